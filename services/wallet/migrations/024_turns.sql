-- The wallets take turns at the trail of reads (libs/projecting 009).
grant select, update (one) on turns to croupier_wallet;
