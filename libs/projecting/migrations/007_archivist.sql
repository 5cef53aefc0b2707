-- Who takes months out of the database acts as `croupier_archivist` and owns nothing: it reads what goes into an archive, keeps
-- writers from a month's part while it reads, and calls each service's `take_out`, which alone removes anything.

do $$
declare
    part regclass;
begin
    begin
        create role croupier_archivist nologin;
    exception
        when duplicate_object or unique_violation then null;  -- roles belong to the whole cluster
    end;
    execute format('grant usage on schema %I to croupier_archivist', current_schema());
    for part in select inhrelid from pg_inherits join pg_class p on p.oid = inhparent
                 where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace loop
        execute format('grant maintain on %s to croupier_archivist', part);
    end loop;
end
$$;
grant select on archived to croupier_archivist;

-- As before (004), and the archivist may lock the part, which a function can't do for it: a call takes its snapshot first.
create or replace function add_part(parent text, part text, lower_end bigint, upper_end bigint) returns void
    language plpgsql set search_path from current as $$
declare
    owner text := (select pg_get_userbyid(relowner) from pg_class where oid = to_regclass(parent));
    final record;
begin
    execute format('create table %I (like %I including defaults including constraints)', part, parent);
    execute format('grant maintain on %I to croupier_archivist', part);
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

-- First millisecond of a month, and that of the month `months` behind it.
create function begins(month text, months int) returns bigint language sql stable as
    $$select extract(epoch from (to_date(month, 'YYYY-MM') + make_interval(months => months)) at time zone 'UTC')::bigint * 1000$$;

-- The steps of `take_out`, under its search path. `pieces` is what the archive holds of the month now: [{"table", "piece", "rows", "sha256"}].
create function put_down(month text, pieces jsonb, kept text[]) returns void language plpgsql as $$
begin
    if month is null or month !~ '^20[2-9][0-9]-(0[1-9]|1[0-2])$' then
        raise exception 'no month: %', month using errcode = 'invalid_parameter_value';
    end if;
    -- Whole months between it and this one; LEAST_MONTHS of services/cli/archive.
    if begins(month, 4) > extract(epoch from now()) * 1000 then
        raise exception '% is too young to be taken out', month using errcode = 'invalid_parameter_value';
    end if;
    if exists (select from jsonb_to_recordset(pieces) as p ("table" text) where p."table" <> all (kept)) then
        raise exception 'a table that is not archived' using errcode = 'invalid_parameter_value';
    end if;
    insert into archived
    select p."table", month, p.piece, p.rows, p.sha256, (extract(epoch from now()) * 1000)::bigint
      from jsonb_to_recordset(pieces) as p ("table" text, piece int, rows bigint, sha256 text);
end
$$;

create function hold_to_count(kept text, month text, pieces jsonb, gone bigint) returns void language plpgsql as $$
declare
    held bigint := (select coalesce(sum(p.rows), 0)
                      from jsonb_to_recordset(pieces) as p ("table" text, rows bigint) where p."table" = kept);
begin
    if gone <> held then
        raise exception '% rows of % %, and % of them in the archive', gone, kept, month, held
            using errcode = 'integrity_constraint_violation';
    end if;
end
$$;

-- Of a table by months, if it has a part of this one. All of it goes, so all of it has to be in the archive.
create function drop_part(parent text, month text, pieces jsonb) returns void language plpgsql as $$
declare
    part text := parent || '_' || replace(month, '-', '_');
    gone bigint := 0;
    there boolean := to_regclass(quote_ident(part)) is not null;
begin
    if there then
        execute format('lock table %I in share mode', part);
        execute format('select count(*) from %I', part) into gone;
    end if;
    perform hold_to_count(parent, month, pieces, gone);
    if there then
        execute format('alter table %I detach partition %I', parent, part);
        execute format('drop table %I', part);
    end if;
end
$$;
revoke execute on function put_down(text, jsonb, text[]), hold_to_count(text, text, jsonb, bigint), drop_part(text, text, jsonb)
    from public;
