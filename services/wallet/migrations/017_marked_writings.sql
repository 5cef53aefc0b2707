-- A transaction that writes transfers is marked by who keeps the books, with a key that no database login has. That it wrote
-- some, the database notes; the auditor holds the mark against the note and takes both away.

create table writings (
    xid  xid8        primary key,
    at   timestamptz not null,  -- when the transaction began
    rows bigint      not null
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
    select pg_current_xact_id(), now(), count(*) from rows_after having count(*) > 0
    on conflict (xid) do update set rows = w.rows + excluded.rows;
    return null;
end
$$;
alter function note_writing() owner to croupier_ledger_owner;
create trigger note_writing after insert on transfers
    referencing new table as rows_after for each statement execute function note_writing();
