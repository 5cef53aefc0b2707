-- What the books are made of is marked by who makes them, with a key that no database login has: one mark for all transfers of
-- a transaction. Which rows a transaction wrote says the database; the auditor holds the mark against them and takes both away.

create table writings (
    xid   xid8   primary key,
    rows  bigint not null,
    least bigint not null,  -- event times of its transfers
    most  bigint not null
);
create table writing_marks (
    xid  xid8  primary key default pg_current_xact_id(),
    mark bytea not null
);
alter table writings owner to croupier_ledger_owner;
grant insert on writing_marks to croupier_wallet;
grant select, delete on writings, writing_marks to croupier_books_reader;

create function note_writing() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into writings as w
    select pg_current_xact_id(), count(*), min(event_time), max(event_time) from rows_after having count(*) > 0
    on conflict (xid) do update
       set rows = w.rows + excluded.rows, least = least(w.least, excluded.least), most = greatest(w.most, excluded.most);
    return null;
end
$$;
alter function note_writing() owner to croupier_ledger_owner;
create trigger note_writing after insert on transfers
    referencing new table as rows_after for each statement execute function note_writing();
create index transfers_by_time on transfers using brin (event_time) with (pages_per_range = 8, autosummarize = on);
