-- Transfers by month (docs/adr/0018). A transfer's time is its event's, so the key holds over all time as it did: an event is
-- accepted once (positions, streams), and what it says of its time never changes.

grant execute on function make_month(text, text) to croupier_wallet;
grant select on archived to croupier_wallet, croupier_books_reader;

alter table transfers rename to transfers_of_before;
alter table transfers_of_before rename constraint transfers_pkey to transfers_of_before_pkey;
drop index transfers_from_players, transfers_to_players;
create table transfers (
    service    text     not null,  -- whose event it was
    event_id   text     not null,  -- stream/version
    line       smallint not null,  -- several transfers of one event
    book       text     not null check (book in ('real', 'demo')),
    debit      text     not null,  -- the account that gives
    credit     text     not null check (credit <> debit),  -- the account that receives
    amount     bigint   not null check (amount > 0),
    currency   text     not null check (currency ~ '^[A-Z]{3}$'),
    kind       text     not null,
    reference  text     not null,  -- table/hand, reserve, or the operator's own
    event_time bigint   not null,  -- milliseconds since the epoch
    primary key (service, event_id, line, event_time)
) partition by range (event_time);
create index transfers_from_players on transfers (debit, event_time) where debit like 'player/%';
create index transfers_to_players on transfers (credit, event_time) where credit like 'player/%';
create trigger transfers_are_final before update or delete or truncate on transfers
    for each statement execute function transfers_are_final();
alter table transfers owner to croupier_ledger_owner;
grant select, insert on transfers to croupier_wallet;
grant select on transfers to croupier_books_reader;

select begin_parts('transfers');
select make_month('transfers', month)
  from (select distinct month_of(event_time) as month from transfers_of_before
         where event_time >= 1577836800000 and event_time < 4102444800000) as months;
-- This month and the next: a process of the version before this makes none, and may write until it is replaced.
select make_month('transfers', to_char((now() + ahead) at time zone 'UTC', 'YYYY-MM'))
  from unnest(array[interval '0', interval '1 month']) as ahead;
insert into transfers select * from transfers_of_before;
drop table transfers_of_before;
create trigger sum_up_new after insert on transfers
    referencing new table as rows_after for each statement execute function sum_up_transfers();

-- Sums of the transfers that are in an archive, of accounts where they are not zero: what is left adds up with them.
create table carried (
    book     text            not null,
    account  text            not null,
    currency text            not null,
    moved    numeric(100, 0) not null,
    primary key (book, account, currency)
);
alter table carried owner to croupier_ledger_owner;
grant select on carried to croupier_wallet, croupier_books_reader;

-- Of whom statements lie in an archive: sittings that ended in these months.
create table archived_sittings (
    player text not null,
    book   text not null,
    month  text not null,
    begun  bigint not null,  -- start of the first of them, milliseconds since the epoch
    primary key (player, book, month)
);
grant select on archived_sittings to croupier_wallet;
create index sittings_by_end on sittings (ended_at);
