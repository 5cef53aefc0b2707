-- Games against the house: what each table took in, paid out and ought to have won; rounds that did not count.

-- The house's edge on each area as the configuration in force has it, parts per million of what is staked there.
create table house_edges (
    table_id text   not null,
    area     text   not null,
    edge_ppm bigint not null,
    primary key (table_id, area)
);

create table banked_tables (
    table_id    text   primary key,
    rulebook    text   not null,
    currency    text   not null,
    book        text   not null check (book in ('real', 'demo')),
    drop        bigint not null default 0,  -- what players brought to the table
    bank_in     bigint not null default 0,  -- from the treasury: opening, top-ups
    bank_cover  bigint not null default 0,  -- from the treasury for payouts that the bank could not make
    bank_out    bigint not null default 0,  -- to the treasury: drops, closing
    rounds      bigint not null default 0,
    rounds_void bigint not null default 0,
    alarms      bigint not null default 0
);

-- One row per area and edge: a changed configuration begins a row of its own, so theory never mixes two edges.
create table banked_handle (
    table_id   text   not null,
    rulebook   text   not null,
    area       text   not null,
    edge_ppm   bigint not null,
    bets       bigint not null default 0,
    handle     bigint not null default 0,  -- staked in rounds that counted
    credited   bigint not null default 0,  -- paid back, stakes of won bets included, commission off
    commission bigint not null default 0,
    primary key (table_id, rulebook, area, edge_ppm)
);

-- Void rounds of a sitting: listed in the statement, outside its totals.
create table void_rounds (
    table_id    text   not null,
    reservation text   not null,
    round       bigint not null,
    refunded    bigint not null,
    at          bigint not null,  -- milliseconds since the epoch
    primary key (table_id, reservation, round)
);

grant select, insert, update on house_edges, banked_tables, banked_handle, void_rounds to croupier_wallet;
