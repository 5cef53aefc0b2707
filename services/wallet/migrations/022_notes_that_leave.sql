-- What is taken of the notes of writings (017, 018) is chained, and the auditor marks where the chain has come to, with a key
-- that no database login has. Who takes a note away with the auditor's login moves the chain and makes no mark. What the owner
-- deletes moves none.

create table notes_taken (
    one    boolean primary key default true check (one),
    notes  bigint  not null default 0,   -- taken away since the chain began
    digest bytea   not null default '',  -- SHA-256 of the digest before and of the notes with their marks
    mark   bytea                         -- over both; null: begun by whoever takes next
);
insert into notes_taken default values;
alter table notes_taken owner to croupier_ledger_owner;
grant select, update (mark) on notes_taken to croupier_books_reader;
-- Nobody but the owner begins it anew.
create trigger notes_taken_marked before update on notes_taken
    for each row when (new.mark is null) execute function refuse_unmarked();

grant select on writing_marks to croupier_ledger_owner;
create function chain_taken() returns trigger language plpgsql security definer as $$
begin
    update notes_taken t set notes = t.notes + gone.notes, digest = sha256(t.digest || convert_to(gone.said, 'UTF8'))
      from (select count(*) as notes,
                   string_agg(concat_ws(' ', xid, extract(epoch from g.at), g.tables, encode(m.mark, 'hex')), E'\n'
                              order by xid) as said
              from rows_before g left join writing_marks m using (xid)) as gone
     where gone.notes > 0;
    return null;
end
$$;
alter function chain_taken() owner to croupier_ledger_owner;
do $$
begin
    execute format('create trigger chain_taken after delete on writings referencing old table as rows_before'
                   ' for each statement when (current_user <> %L) execute function chain_taken()', current_user);
end
$$;

-- What has been applied: who checks what the schema holds knows by it of which build it is.
grant select on migrations to croupier_books_reader;

-- Nothing temporary stands before what is ours: a path that does not name `pg_temp` looks there first of all.
do $$
declare
    each regprocedure;
begin
    for each in select oid from pg_proc where pronamespace = current_schema()::regnamespace
                   and (prosecdef or array_to_string(proconfig, ',') like '%search_path=%') loop
        execute format('alter function %s set search_path to %I, pg_temp', each, current_schema());
    end loop;
end
$$;
