-- The wallet's HTTP writes down who looked at players' money.
grant select, insert on reads to croupier_wallet;
