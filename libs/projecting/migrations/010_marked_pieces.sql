-- What a month left as bears the archivist's mark, made with a key that no database login has: the auditor looks for it. Rows of
-- before have none (null), and whoever takes a month out writes no such row any more.
alter table archived add column mark bytea;
create index archived_by_time on archived (at, table_name, month, piece);

-- How many whole months a database keeps. The owner's to change: whoever takes months out takes none that is younger.
create table archiving (
    one          boolean primary key default true check (one),
    least_months int     not null default 24 check (least_months >= 3)  -- younger ones are still looked at, and may still change
);
insert into archiving default values;
grant select on archiving to croupier_archivist;

create function hold_to_age(month text) returns void language plpgsql as $$
declare
    stay int := (select least_months from archiving);
begin
    if month is null or month !~ '^20[2-9][0-9]-(0[1-9]|1[0-2])$' then
        raise exception 'no month: %', month using errcode = 'invalid_parameter_value';
    end if;
    -- Whole months between it and this one; where nobody says how many, none goes.
    if coalesce(begins(month, stay + 1) > extract(epoch from now()) * 1000, true) then
        raise exception '% is too young to be taken out: % whole months stay', month, stay
            using errcode = 'invalid_parameter_value';
    end if;
end
$$;

-- As in 007, and each piece is one of rows that were there, with a mark.
create or replace function put_down(month text, pieces jsonb, kept text[]) returns void language plpgsql as $$
begin
    perform hold_to_age(month);
    if exists (select from jsonb_to_recordset(pieces) as p ("table" text) where p."table" <> all (kept)) then
        raise exception 'a table that is not archived' using errcode = 'invalid_parameter_value';
    end if;
    if exists (select from jsonb_to_recordset(pieces) as p ("table" text, piece int, rows bigint, sha256 text, mark text)
                group by p."table"
               having count(*) > 1
                   or not bool_and(coalesce(p.piece > 0 and p.rows > 0 and p.sha256 ~ '^[0-9a-f]{64}$'
                                            and p.mark ~ '^([0-9a-f]{2}){1,128}$', false))) then
        raise exception 'of each table one piece, with its rows, digest and mark' using errcode = 'invalid_parameter_value';
    end if;
    insert into archived (table_name, month, piece, rows, sha256, at, mark)
    select p."table", put_down.month, p.piece, p.rows, p.sha256, (extract(epoch from now()) * 1000)::bigint, decode(p.mark, 'hex')
      from jsonb_to_recordset(pieces) as p ("table" text, piece int, rows bigint, sha256 text, mark text);
end
$$;

-- As in 009.
create or replace function hold_month(month text) returns void
    language plpgsql security definer set search_path from current as $$
declare
    part regclass;
begin
    perform hold_to_age(month);
    for part in select c.oid from pg_inherits join pg_class p on p.oid = inhparent join pg_class c on c.oid = inhrelid
                 where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace
                   and c.relname = p.relname || '_' || replace(month, '-', '_') order by p.relname loop
        execute format('lock table %s in share mode', part);
    end loop;
end
$$;
revoke execute on function hold_to_age(text) from public;
