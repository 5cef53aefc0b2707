-- All that the wallet's login writes is noted by its transaction, not transfers alone: who keeps the books marks each of them
-- (017), goes on from nothing that another one wrote, and shows none of it. What the owner writes is not noted.

alter table writings add column tables text[] not null default '{transfers}';

create or replace function note_writing() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into writings as w
    select pg_current_xact_id(), now(), count(*), '{transfers}' from rows_after having count(*) > 0
    on conflict (xid) do update
       set rows = w.rows + excluded.rows,
           tables = case when w.tables @> excluded.tables then w.tables else w.tables || excluded.tables end;
    return null;
end
$$;

create function note_change() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into writings as w values (pg_current_xact_id(), now(), 0, array[tg_table_name::text])
    on conflict (xid) do update set tables = w.tables || excluded.tables where not w.tables @> excluded.tables;
    return null;
end
$$;
alter function note_change() owner to croupier_ledger_owner;

do $$
declare
    written text;
begin
    foreach written in array array['positions', 'streams', 'parked', 'set_aside', 'tables', 'balances', 'disagreements',
                                   'rake_accounts', 'sittings', 'house_edges', 'banked_tables', 'banked_handle',
                                   'void_rounds', 'session_fees'] loop
        execute format('create trigger note_change after insert or update or delete on %I for each statement'
                       ' when (current_user <> %L) execute function note_change()', written, current_user);
    end loop;
end
$$;

grant select on writings, writing_marks to croupier_wallet;
revoke insert on writing_marks from croupier_wallet;
grant insert (mark) on writing_marks to croupier_wallet;  -- of no transaction but one's own
