-- Each row of the trail of reads bears its writer's mark, made with a key that no database login has, over what it says and the
-- digest of the row before; the first one seals the chain of before, which had no key. No row can stand twice.

alter table reads add column before bytea;  -- digest of the row before; `digest` is the mark. Null: of before the marks
comment on column reads.digest is 'The mark over `before` and this row as JSON. Of before the marks: SHA-256 of the same.';
create unique index reads_by_digest on reads (digest);

-- Rows of before have no mark; who owns the table may put back some of a backup of then.
create function refuse_unmarked() returns trigger language plpgsql set search_path from current as $$
begin
    if not pg_catalog.pg_has_role((select relowner from pg_catalog.pg_class where oid = tg_relid), 'usage') then
        raise exception 'a row of % needs a mark', tg_table_name using errcode = 'integrity_constraint_violation';
    end if;
    return new;
end
$$;
create trigger reads_marked before insert on reads
    for each row when (new.before is null) execute function refuse_unmarked();
