-- Tables that grow by history lie in a part for each month (UTC) of their event's time, milliseconds since the epoch. Parts
-- are made as rows for them come, by a function that can do this and nothing else: a service's login owns none of them.

create function add_part(parent text, part text, lower_end bigint, upper_end bigint) returns void
    language plpgsql set search_path from current as $$
declare
    owner text := (select pg_get_userbyid(relowner) from pg_class where oid = to_regclass(parent));
    final record;
begin
    execute format('create table %I (like %I including defaults including constraints)', part, parent);
    if owner <> current_user then
        execute format('alter table %I owner to %I', part, owner);
    end if;
    -- What is append-only is so in each part by itself: statements that name a part pass the parent's triggers by.
    for final in select tgname, tgfoid::regproc as raises from pg_trigger
                  where tgrelid = to_regclass(parent) and not tgisinternal and tgtype & 3 = 2 loop
        execute format('create trigger %I before update or delete or truncate on %I for each statement execute function %s()',
                       final.tgname, part, final.raises);
    end loop;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part,
                   coalesce(lower_end::text, 'minvalue'), coalesce(upper_end::text, 'maxvalue'));
end
$$;

-- What a clock out of its mind tells lies before the first or beyond the last month, and holds nobody up.
create function begin_parts(parent text) returns void language sql set search_path from current as $$
    select add_part(parent, parent || '_before', null, 1577836800000), add_part(parent, parent || '_beyond', 4102444800000, null)
$$;

-- The part of a month, if it is not there yet. Until the transaction ends nobody takes it away.
create function make_month(parent text, month text) returns void
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
    perform pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || part, 0));
    -- By the table itself: what is known of names does not change by having waited.
    if not exists (select from pg_class where relname = part and relnamespace = current_schema()::regnamespace) then
        perform add_part(parent, part, extract(epoch from to_date(month, 'YYYY-MM'))::bigint * 1000,
                         extract(epoch from (to_date(month, 'YYYY-MM') + interval '1 month')::date)::bigint * 1000);
    end if;
end
$$;
revoke execute on function add_part(text, text, bigint, bigint), begin_parts(text), make_month(text, text) from public;

-- What was taken out of the database into an archive, in the transaction that took it out.
create table archived (
    table_name text   not null,
    month      text   not null,
    piece      int    not null,  -- what came later for a month that was taken out already is another one
    rows       bigint not null,
    sha256     text   not null,  -- of the rows as COPY writes them, in the order of the primary key
    at         bigint not null,
    primary key (table_name, month, piece)
);
