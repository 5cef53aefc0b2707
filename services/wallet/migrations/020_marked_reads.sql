-- Column by column: nobody but the database gives a row of the trail of reads its number.
revoke insert on reads from croupier_wallet;
grant insert (at, principal, roles, scopes, purpose, what, target, address, before, digest) on reads to croupier_wallet;
