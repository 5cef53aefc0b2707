-- Who of the staff looked at cards or persons, and what for (SEC-9). Only ever added to; each row is chained to the one before.

create table reads (
    id        bigint generated always as identity primary key,
    at        bigint not null,  -- milliseconds since the epoch, UTC
    principal text   not null,
    roles     text[] not null,
    scopes    text[] not null,
    purpose   text   not null,
    what      text   not null,  -- method and path as declared
    target    text   not null,  -- path and query as asked
    address   text   not null,
    digest    bytea  not null   -- SHA-256 of the digest before and of this row as JSON
);
create index reads_by_time on reads (at);

create function reads_are_final() returns trigger language plpgsql as $$
begin
    raise exception 'reads are append-only: % refused', tg_op using errcode = 'integrity_constraint_violation';
end
$$;
create trigger reads_are_final before update or delete or truncate on reads
    for each statement execute function reads_are_final();
