-- The auditors take turns at the trail of reads and at checkpoints (libs/projecting 009).
insert into turns values ('checkpoints');
grant select, update (one) on turns to croupier_audit;
