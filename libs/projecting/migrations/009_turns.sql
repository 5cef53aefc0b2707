-- Who keeps others waiting has to be one of those who write there. What had no such bound: an advisory lock, which any login takes, and
-- MAINTAIN, which is LOCK TABLE in every mode.

-- One row for each thing that one transaction at a time does: `select … for update` takes the turn, which needs a right to update.
create table turns (
    what text    primary key,
    one  boolean not null default true check (one)  -- to have a right to, and nothing to change
);
insert into turns values ('reads');

-- The archivist locks no month by itself; `hold_month` does it.
do $$
declare
    part regclass;
begin
    for part in select inhrelid from pg_inherits join pg_class p on p.oid = inhparent
                 where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace loop
        execute format('revoke maintain on %s from croupier_archivist', part);
    end loop;
end
$$;

-- As in 007, without that right.
create or replace function add_part(parent text, part text, lower_end bigint, upper_end bigint) returns void
    language plpgsql set search_path from current as $$
declare
    owner text := (select pg_get_userbyid(relowner) from pg_class where oid = to_regclass(parent));
    final record;
begin
    execute format('create table %I (like %I including defaults including constraints)', part, parent);
    if owner <> current_user then
        execute format('alter table %I owner to %I', part, owner);
    end if;
    for final in select tgname, tgfoid::regproc as raises from pg_trigger
                  where tgrelid = to_regclass(parent) and not tgisinternal and tgtype & 3 = 2 loop
        execute format('create trigger %I before update or delete or truncate on %I for each statement execute function %s()',
                       final.tgname, part, final.raises);
    end loop;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part,
                   coalesce(lower_end::text, 'minvalue'), coalesce(upper_end::text, 'maxvalue'));
end
$$;

-- As in 006; two who make a month take turns by the lock that attaching takes anyway.
create or replace function make_month(parent text, month text) returns void
    language plpgsql security definer set search_path from current as $$
declare
    part text := parent || '_' || replace(month, '-', '_');
begin
    if not exists (select from pg_partitioned_table where partrelid = to_regclass(quote_ident(parent))) then
        raise exception 'no table by months: %', parent using errcode = 'undefined_table';  -- no fault of an event
    end if;
    if month !~ '^20[2-9][0-9]-(0[1-9]|1[0-2])$' then
        raise exception 'no month: %', month using errcode = 'invalid_parameter_value';
    end if;
    execute format('lock table only %I in row exclusive mode', parent);
    if to_regclass(quote_ident(part)) is not null then
        return;
    end if;
    if left(month, 4)::int > extract(year from now() at time zone 'UTC') + 1 then
        raise exception 'a month too far ahead: %', month using errcode = 'invalid_parameter_value';
    end if;
    execute format('lock table only %I in share update exclusive mode', parent);
    -- By the table itself: what is known of names does not change by having waited.
    if not exists (select from pg_class where relname = part and relnamespace = current_schema()::regnamespace) then
        perform add_part(parent, part, extract(epoch from to_date(month, 'YYYY-MM'))::bigint * 1000,
                         extract(epoch from (to_date(month, 'YYYY-MM') + interval '1 month')::date)::bigint * 1000);
    end if;
end
$$;

-- Until the transaction ends nobody writes into this month, and everybody reads it. Only of a month that may leave (as `put_down`).
-- A call takes its snapshot first: who wants one of behind the lock begins another transaction while this one lasts.
create function hold_month(month text) returns void
    language plpgsql security definer set search_path from current as $$
declare
    part regclass;
begin
    if month is null or month !~ '^20[2-9][0-9]-(0[1-9]|1[0-2])$' then
        raise exception 'no month: %', month using errcode = 'invalid_parameter_value';
    end if;
    if begins(month, 4) > extract(epoch from now()) * 1000 then
        raise exception '% is too young to be taken out', month using errcode = 'invalid_parameter_value';
    end if;
    for part in select c.oid from pg_inherits join pg_class p on p.oid = inhparent join pg_class c on c.oid = inhrelid
                 where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace
                   and c.relname = p.relname || '_' || replace(month, '-', '_') order by p.relname loop
        execute format('lock table %s in share mode', part);
    end loop;
end
$$;
revoke execute on function hold_month(text) from public;
grant execute on function hold_month(text) to croupier_archivist;
