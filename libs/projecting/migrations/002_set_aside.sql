-- Events whose rows the database or a projection refused, and all that followed in their streams: accepted, not projected.

create table set_aside (
    projection text        not null,
    topic      text        not null,
    partition  integer     not null,
    "offset"   bigint      not null,
    stream     text        not null,
    version    bigint      not null,
    reason     text        not null,  -- empty: it only follows one that was refused
    event      bytea       not null,  -- PublicEvent, MessagePack: what is projected once it can be
    at         timestamptz not null default now(),
    primary key (projection, topic, partition, "offset")
);
create index set_aside_by_stream on set_aside (projection, topic, stream, version);
