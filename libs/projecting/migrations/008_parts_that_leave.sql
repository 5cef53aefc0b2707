-- The two steps of `drop_part` for whoever takes out several tables: each is counted while it may still be read, and none is shut
-- before all are counted.

create function count_part(parent text, month text, pieces jsonb) returns void language plpgsql as $$
declare
    part text := parent || '_' || replace(month, '-', '_');
    gone bigint := 0;
begin
    if to_regclass(quote_ident(part)) is not null then
        execute format('lock table %I in share mode', part);
        execute format('select count(*) from %I', part) into gone;
    end if;
    perform hold_to_count(parent, month, pieces, gone);
end
$$;

create function leave_part(parent text, month text) returns void language plpgsql as $$
declare
    part text := parent || '_' || replace(month, '-', '_');
begin
    if to_regclass(quote_ident(part)) is not null then
        execute format('alter table %I detach partition %I', parent, part);
        execute format('drop table %I', part);
    end if;
end
$$;
revoke execute on function count_part(text, text, jsonb), leave_part(text, text) from public;
