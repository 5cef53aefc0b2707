-- Histories, who played in them and the journals' links by month (docs/adr/0018). Of a hand it is the time of its start. A link
-- has the time at which the broker took its record in; those from before this have the time of this. A place in the log is
-- judged once, for the reader's position moves in the same transaction.

grant execute on function make_month(text, text) to croupier_audit;
grant select on archived to croupier_audit;

alter table histories rename to histories_of_before;
alter table histories_of_before rename constraint histories_pkey to histories_of_before_pkey;
drop index histories_by_time;
create table histories (
    table_id   text   not null,
    number     bigint not null,
    game       text   not null check (game in ('hand', 'round')),
    kind       text   not null,
    outcome    text   not null check (outcome in ('running', 'ended', 'void', 'lapsed')),
    started_at bigint not null,
    players    text[] not null,
    record     text   not null,  -- Hand or RoundRecord of libs/views, as it is served
    primary key (table_id, number, started_at)
) partition by range (started_at);
create index histories_by_time on histories (started_at);
grant select, insert, update on histories to croupier_audit;

alter table played rename to played_of_before;
alter table played_of_before rename constraint played_pkey to played_of_before_pkey;
drop index played_by_time;
create table played (
    player     text   not null,
    game       text   not null check (game in ('hand', 'round')),
    started_at bigint not null,
    table_id   text   collate "C" not null,
    number     bigint not null,
    primary key (player, table_id, number, started_at)
) partition by range (started_at);
create index played_by_time on played (player, game, started_at, table_id, number);
grant select, insert on played to croupier_audit;

alter table journal_links rename to journal_links_of_before;
alter table journal_links_of_before rename constraint journal_links_pkey to journal_links_of_before_pkey;
drop index journal_links_by_command;
create table journal_links (
    topic      text   not null,
    partition  int    not null,
    "offset"   bigint not null,
    stream     text   not null,
    version    bigint not null,
    prev       bytea  not null,
    digest     bytea  not null,
    judgement  text   not null,
    command_id bytea,
    answer     bytea,
    at         bigint not null,
    primary key (topic, partition, "offset", at)
) partition by range (at);
create index journal_links_by_command on journal_links (command_id);
grant select, insert on journal_links to croupier_audit;

select begin_parts(parent) from unnest(array['histories', 'played', 'journal_links']) as parent;
select make_month(parent, month)
  from (select distinct to_char(to_timestamp(started_at / 1000) at time zone 'UTC', 'YYYY-MM') as month
          from histories_of_before where started_at >= 1577836800000 and started_at < 4102444800000) as months,
       unnest(array['histories', 'played']) as parent;
select make_month(parent, to_char((now() + ahead) at time zone 'UTC', 'YYYY-MM'))
  from unnest(array['histories', 'played', 'journal_links']) as parent, unnest(array[interval '0', interval '1 month']) as ahead;
insert into histories select * from histories_of_before;
insert into played select * from played_of_before;
insert into journal_links select *, extract(epoch from now())::bigint * 1000 from journal_links_of_before;
drop table histories_of_before, played_of_before, journal_links_of_before;

-- Of whom and of which tables hands and rounds lie in an archive.
create table archived_hands (
    table_id text   not null,
    month    text   not null,
    first    bigint not null,
    last     bigint not null,
    primary key (table_id, month)
);
create table archived_players (
    player text not null,
    game   text not null,
    month  text not null,
    primary key (player, game, month)
);
grant select on archived_hands, archived_players to croupier_audit;
