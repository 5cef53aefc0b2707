-- A row for each player of each hand and round: a page of somebody's hands costs what the page holds, and not what they ever
-- played. An index over `players` finds all of theirs, to be sorted at each question.

create table played (
    player     text   not null,
    game       text   not null check (game in ('hand', 'round')),
    started_at bigint not null,
    table_id   text   collate "C" not null,
    number     bigint not null,
    primary key (player, table_id, number)
);
insert into played select unnest(players), game, started_at, table_id, number from histories on conflict do nothing;
create index played_by_time on played (player, game, started_at, table_id, number);
drop index histories_by_player;
grant select, insert on played to croupier_audit;
