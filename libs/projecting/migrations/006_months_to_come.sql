-- No month beyond the next year's end: who has a service's login made hundreds of parts in seconds, which every question
-- about a table then has to open. Of what was before there are eighty-four at the most.

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
    perform pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || part, 0));
    -- By the table itself: what is known of names does not change by having waited.
    if not exists (select from pg_class where relname = part and relnamespace = current_schema()::regnamespace) then
        perform add_part(parent, part, extract(epoch from to_date(month, 'YYYY-MM'))::bigint * 1000,
                         extract(epoch from (to_date(month, 'YYYY-MM') + interval '1 month')::date)::bigint * 1000);
    end if;
end
$$;
