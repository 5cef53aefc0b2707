-- What the auditor itself remembers: how far it has read, what every record was judged, what did not agree.

create table readers (
    reader    text   not null,
    topic     text   not null,
    partition int    not null,
    next      bigint not null,
    last      bigint not null,
    digest    bytea  not null,
    primary key (reader, topic, partition)
);

create table journal_heads (
    topic       text   not null,
    stream      text   not null,
    partition   int    not null,
    version     bigint not null,
    digest      bytea  not null,
    time        bigint not null,
    last_offset bigint not null,
    primary key (topic, stream)
);

create table journal_links (
    topic     text   not null,
    partition int    not null,
    "offset"  bigint not null,
    stream    text   not null,
    version   bigint not null,
    prev      bytea  not null,
    digest    bytea  not null,
    judgement text   not null,
    primary key (topic, partition, "offset")
);

create table check_states (
    check_name text  not null,
    stream     text  not null,
    state      jsonb not null,
    primary key (check_name, stream)
);

create table incidents (
    id         bigint generated always as identity primary key,
    identity   bytea   not null unique,
    kind       text    not null,
    severity   text    not null,
    stream     text    not null,
    version    bigint,
    topic      text,
    partition  int,
    "offset"   bigint,
    detail     text    not null,
    first_seen bigint  not null,
    last_seen  bigint  not null,
    count      bigint  not null default 1
);

create table checkpoints (
    number     bigint primary key,
    taken_at   bigint not null,
    root       text   not null,
    previous   text   not null,
    heads      jsonb  not null,
    public_key text   not null,
    signature  text   not null
);
