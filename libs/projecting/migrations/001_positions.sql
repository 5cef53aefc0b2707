-- What a projector knows of the log: how far it has read, and the last version of every stream (journal 15, 20).

create table positions (
    projection text    not null,
    topic      text    not null,
    partition  integer not null,
    position   bigint  not null check (position >= 0),  -- offset of the next record to read
    accepted   bigint  not null default 0,              -- events accepted so far
    digest     bytea   not null default '\x',           -- rolling SHA-256 over the accepted events, in order
    event_time bigint  not null default 0,              -- time of the last accepted event, milliseconds since the epoch
    primary key (projection, topic, partition)
);

create table streams (
    projection text   not null,
    topic      text   not null,
    stream     text   not null,
    version    bigint not null,  -- last version accepted
    seen       bigint not null,  -- highest version met; above `version` while a gap is open
    primary key (projection, topic, stream)
);
create index streams_with_a_gap on streams (projection) where seen > version;

-- Records that are no event of ours, untouched, with the reason.
create table parked (
    projection  text    not null,
    topic       text    not null,
    partition   integer not null,
    "offset"    bigint  not null,
    reason      text    not null,
    key         bytea,
    value       bytea,
    parked_at   timestamptz not null default now(),
    primary key (projection, topic, partition, "offset")
);
