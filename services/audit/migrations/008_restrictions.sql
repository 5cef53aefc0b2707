-- Who blocked players, lifted blocks and ended sessions, and what for. The topic on which gateways tell it keeps the last word of a player
-- alone, and can be cut; here each stays.

create table restrictions (
    id       bigint generated always as identity primary key,
    identity bytea   not null unique,  -- SHA-256 of the notice: gateways tell one again
    at       bigint  not null,         -- milliseconds since the epoch, UTC
    about    text    not null check (about in ('blocked', 'since')),
    player   text    not null,
    whose    text    not null,         -- the platform whose block it is; empty: the house's
    holds    boolean not null,
    until    bigint  not null,
    principal text   not null,
    reason   text    not null,
    notice   bytea   not null          -- as it was told
);
create index restrictions_by_time on restrictions (at);
create index restrictions_by_player on restrictions (player, about, whose, at);

create function restrictions_are_final() returns trigger language plpgsql as $$
begin
    raise exception 'restrictions are append-only: % refused', tg_op using errcode = 'integrity_constraint_violation';
end
$$;
create trigger restrictions_are_final before update or delete or truncate on restrictions
    for each statement execute function restrictions_are_final();

grant select, insert on restrictions to croupier_audit;

-- What lies on the topic already is read once more.
delete from readers where reader = 'traffic' and topic like '%croupier.sessions.v1';
