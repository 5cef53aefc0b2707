-- Histories of games against the house: every round of every table as its public events tell it. Cards that were never
-- shown stand nowhere. Amounts are minor units of `currency`; times are milliseconds since the epoch, UTC.

create table shoes (
    table_id   text   not null,
    shoe       bigint not null,
    decks      int    not null,
    cards      int    not null,
    cut        int    not null,
    burned     int[]  not null,
    deck_root  text   not null,
    started_at bigint not null,
    version    bigint not null,
    primary key (table_id, shoe)
);

create table rounds (
    table_id              text   not null,
    round                 bigint not null,
    rulebook              text   not null,
    rulebook_hash         text   not null,
    configuration_version int    not null,
    currency              text   not null,
    kind                  text   not null,
    deck_root             text,    -- of the round's own deck; of a shoe it stands in `shoes`
    shoe                  bigint,
    outcome               text   not null default 'running' check (outcome in ('running', 'settled', 'void', 'lapsed')),
    started_at            bigint not null,
    started_version       bigint not null,
    ended_at              bigint,
    ended_version         bigint,
    house                 bigint,  -- what the bank won or, below zero, lost
    bank                  bigint,
    void_cause            text,
    void_by               text,
    details               jsonb,   -- what the game tells of the result: scores, winner, places on the roads
    burned                int[]  not null default '{}',
    primary key (table_id, round)
);

create table round_seats (
    table_id    text   not null,
    round       bigint not null,
    seat        int    not null,
    player      text   not null,
    reservation text   not null,
    staked      bigint,
    credited    bigint,
    commission  bigint,
    net         bigint,
    refunded    bigint,
    stack_after bigint,
    details     jsonb,   -- what the game tells of the seat: outcome, decision, category
    positions   int[]  not null default '{}',
    primary key (table_id, round, seat)
);
create index round_seats_by_player on round_seats (player, table_id, round);

create table round_bets (
    table_id   text   not null,
    round      bigint not null,
    seat       int    not null,
    area       text   not null,
    staked     bigint not null,
    credited   bigint not null,
    commission bigint not null,
    primary key (table_id, round, seat, area)
);

create table round_actions (
    table_id text   not null,
    version  bigint not null,
    round    bigint not null,
    at       bigint not null,
    seat     int    not null,
    player   text   not null,
    action   text   not null,
    actor    text   not null,
    cause    text,
    area     text,
    amount   bigint not null default 0,
    total    bigint not null default 0,
    stack    bigint,
    primary key (table_id, version)
);
create index round_actions_by_round on round_actions (table_id, round, version);

create table round_cards (
    table_id text   not null,
    round    bigint not null,
    position int    not null,
    card     text   not null,
    owner    text   not null,  -- dealer, ponto, banca, or the seat's number
    place    text   not null,
    salt     text   not null,
    proof    text[] not null,
    version  bigint not null,
    primary key (table_id, round, position)
);
