-- The projector sets streams aside and takes them up again.
grant select, insert, delete on set_aside to croupier_wallet;
