-- Hand histories: every hand of every table as its public events tell it. Cards that were never shown stand nowhere.
-- Amounts are minor units of `currency`; times are milliseconds since the epoch, UTC.

create table played_tables (
    table_id      text primary key,
    name          text   not null,
    rulebook_hash text   not null,
    configuration jsonb  not null,
    opened_at     bigint not null
);

create table hands (
    table_id              text   not null,
    hand                  bigint not null,
    rulebook              text   not null,
    rulebook_hash         text   not null,
    configuration_version int    not null,
    currency              text   not null,
    kind                  text   not null,
    button                int    not null,
    small_blind           int    not null,
    big_blind             int    not null,
    deck_root             text   not null,
    outcome               text   not null default 'running' check (outcome in ('running', 'ended', 'void')),
    started_at            bigint not null,
    started_version       bigint not null,
    ended_at              bigint,
    ended_version         bigint,
    rake                  bigint not null default 0,
    exemption             text,
    void_cause            text,
    void_by               text,
    burned                int[]  not null default '{}',
    primary key (table_id, hand)
);

create table hand_seats (
    table_id     text   not null,
    hand         bigint not null,
    seat         int    not null,
    player       text   not null,
    reservation  text   not null,
    stack_before bigint not null,
    stack_after  bigint,
    staked       bigint,
    won          bigint,
    rake         bigint,
    refunded     bigint,
    positions    int[]  not null default '{}',
    category     text,
    hole_used    text[] not null default '{}',
    board_used   text[] not null default '{}',
    primary key (table_id, hand, seat)
);
create index hand_seats_by_player on hand_seats (player, table_id, hand);

create table hand_actions (
    table_id text    not null,
    version  bigint  not null,
    hand     bigint  not null,
    at       bigint  not null,
    seat     int     not null,
    player   text    not null,
    action   text    not null,
    actor    text    not null,
    reason   text,
    amount   bigint  not null default 0,
    total    bigint  not null default 0,
    stack    bigint,
    all_in   boolean not null default false,
    primary key (table_id, version)
);
create index hand_actions_by_hand on hand_actions (table_id, hand, version);

create table hand_cards (
    table_id text   not null,
    hand     bigint not null,
    position int    not null,
    card     text   not null,
    seat     int,
    street   text,
    salt     text   not null,
    proof    text[] not null,
    version  bigint not null,
    primary key (table_id, hand, position)
);

create table hand_pots (
    table_id text   not null,
    hand     bigint not null,
    pot      text   not null,
    amount   bigint not null,
    eligible int[]  not null,
    winners  int[]  not null,
    rake     bigint not null,
    basis    text   not null,
    version  bigint not null,
    primary key (table_id, hand, pot)
);

create table hand_payments (
    table_id text   not null,
    hand     bigint not null,
    pot      text   not null,
    seat     int    not null,
    player   text   not null,
    gross    bigint not null,
    rake     bigint not null,
    net      bigint not null,
    primary key (table_id, hand, pot, seat)
);
