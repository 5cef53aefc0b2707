-- What is set aside is projected later, so who wrote it is noted and marked, as all of the wallet's (wallet 018). Events are
-- set aside seldom: notes and marks stay.

create table writings (
    xid    xid8        primary key,
    at     timestamptz not null,  -- when the transaction began
    tables text[]      not null
);
create table writing_marks (
    xid  xid8  primary key default pg_current_xact_id(),
    mark bytea not null
);

create function note_change() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into writings as w values (pg_current_xact_id(), now(), array[tg_table_name::text])
    on conflict (xid) do update set tables = w.tables || excluded.tables where not w.tables @> excluded.tables;
    return null;
end
$$;
do $$
begin
    execute format('create trigger note_change after insert or update or delete on set_aside for each statement'
                   ' when (current_user <> %L) execute function note_change()', current_user);
end
$$;

grant select on writings, writing_marks to croupier_audit;
grant insert (mark) on writing_marks to croupier_audit;
