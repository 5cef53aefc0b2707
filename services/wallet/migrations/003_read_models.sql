-- Rake accounts and session statements.

create table rake_accounts (
    table_id     text   not null,
    rulebook     text   not null,
    currency     text   not null,
    book         text   not null check (book in ('real', 'demo')),
    rake         bigint not null default 0,  -- taken from pots
    commission   bigint not null default 0,  -- taken from buy-ins and top-ups
    hands        bigint not null default 0,
    hands_raked  bigint not null default 0,
    hands_exempt bigint not null default 0,
    hands_void   bigint not null default 0,
    primary key (table_id, rulebook, currency)
);

-- One sitting of one player at one table: the part of a session (pt-811-2015 2.s).
create table sittings (
    table_id    text   not null,
    reservation text   not null,
    player      text   not null,
    book        text   not null check (book in ('real', 'demo')),
    currency    text   not null,
    started_at  bigint,  -- milliseconds since the epoch
    ended_at    bigint,
    brought     bigint not null default 0,  -- paid in: buy-in and top-ups, commission included
    commission  bigint not null default 0,
    staked      bigint not null default 0,  -- blinds and bets less what came back uncalled
    won         bigint not null default 0,  -- net payments
    rake        bigint not null default 0,
    returned    bigint,                     -- what left the table
    hands       bigint not null default 0,
    hands_void  bigint not null default 0,
    left_for    text,
    primary key (table_id, reservation)
);
create index sittings_of_a_player on sittings (player, started_at);

-- Sessions: uninterrupted time with at least one table, from the event times alone, whatever order they arrived in.
create view sitting_sessions as
select s.*, sum(starts) over (partition by player, book order by started_at, reservation, table_id) as session
  from (
    select *,
           case when started_at > max(coalesce(ended_at, 9223372036854775807)) over (
                    partition by player, book order by started_at, reservation, table_id
                    rows between unbounded preceding and 1 preceding)
                then 1 else 0 end as starts
      from sittings where started_at is not null
  ) as s;

grant select, insert, update on rake_accounts, sittings to croupier_wallet;
grant select on sitting_sessions to croupier_wallet;
