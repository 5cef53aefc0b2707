-- What the search for collusion makes of the hands of a table on a day (UTC), so that each hand is read once and not in every
-- hour of thirty days. `sums` is a document of services/audit/integrity/sums.py, in MessagePack, of the hands numbered from
-- `first` to `last`; `form` says by what rules it was made. Each row bears the auditor's mark. A row that is gone, or that
-- somebody else has written, is made anew of the hands: so nothing rests on who may delete here.

create table hand_sums (
    table_id text   not null,
    day      int    not null,  -- since the epoch
    form     int    not null,
    first    bigint not null,
    last     bigint not null,
    sums     bytea  not null,
    mark     bytea  not null,
    primary key (table_id, day)
);
grant select, insert, update, delete on hand_sums to croupier_audit;
