-- Histories: every hand and round of every table as its public events tell it. Cards that were never shown stand nowhere.
-- Times are milliseconds since the epoch, UTC.

create table openings (
    table_id text primary key,
    state    text not null  -- Records of libs/views/records.py, without the record itself
);

create table histories (
    table_id   text   not null,
    number     bigint not null,
    game       text   not null check (game in ('hand', 'round')),
    kind       text   not null,
    outcome    text   not null check (outcome in ('running', 'ended', 'void', 'lapsed')),
    started_at bigint not null,
    players    text[] not null,
    record     text   not null,  -- Hand or RoundRecord of libs/views, as it is served
    primary key (table_id, number)
);
create index histories_by_player on histories using gin (players);
create index histories_by_time on histories (started_at);
