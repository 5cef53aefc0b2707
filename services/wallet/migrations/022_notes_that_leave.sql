-- Notes of writings (017, 018) leave by one function, which chains all that it took: the auditor marks where the chain has come
-- to, with a key that no database login has. Who takes a note away with the auditor's login moves the chain and makes no mark.

create table notes_taken (
    one    boolean primary key default true check (one),
    notes  bigint  not null,  -- taken away since the chain began
    digest bytea   not null,  -- SHA-256 of the digest before and of the notes with their marks
    mark   bytea              -- over both
);
insert into notes_taken (notes, digest) values (0, '');
alter table notes_taken owner to croupier_ledger_owner;
grant select, update (mark) on notes_taken to croupier_books_reader;

-- One that has no mark stays.
create function take_notes(taken text[]) returns void language plpgsql security definer as $$
declare
    gone record;
begin
    with notes as (
        delete from writings w where w.xid = any (taken::xid8[])
            and (select m.xid from writing_marks m where m.xid = w.xid) is not null
        returning w.xid, w.at, w.tables
    ), marks as (
        delete from writing_marks m where m.xid = any (taken::xid8[]) returning m.xid, m.mark
    )
    select count(*) as notes,
           string_agg(concat_ws(' ', xid, extract(epoch from n.at), n.tables, encode(m.mark, 'hex')), E'\n' order by xid) as said
      into gone from notes n left join marks m using (xid);
    update notes_taken set notes = notes_taken.notes + gone.notes,
                           digest = sha256(notes_taken.digest || convert_to(gone.said, 'UTF8'))
     where gone.notes > 0;
end
$$;
grant select, delete on writing_marks to croupier_ledger_owner;
alter function take_notes(text[]) owner to croupier_ledger_owner;
revoke execute on function take_notes(text[]) from public;
grant execute on function take_notes(text[]) to croupier_books_reader;
revoke delete on writings, writing_marks from croupier_books_reader;

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
