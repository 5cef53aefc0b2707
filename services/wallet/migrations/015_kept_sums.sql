-- Sums that are kept and not counted, in the transaction of the rows that they are of. The service writes none of them: the
-- database does, under the owner of the ledger. `moved` is what an account's transfers add up to, whoever wrote its balance.

alter table balances
    add column moved numeric(100, 0) not null default 0,
    add column moved_at bigint not null default 0;  -- event time of the latest transfer, milliseconds since the epoch

-- Of all accounts of one kind, as far as one process wrote them (`part`, as in `totals`).
create table group_sums (
    book     text           not null,
    currency text           not null,
    "group"  text           not null,  -- player, stack, pot …
    part     integer        not null,
    accounts bigint         not null,  -- rows of `balances` that there ever were
    balance  numeric(100, 0) not null,
    moved    numeric(100, 0) not null,
    uneven   bigint         not null,  -- whose balance is not the sum of their transfers
    below    bigint         not null,  -- below their floor
    filled   bigint         not null,  -- with another balance than zero
    primary key (book, currency, "group", part)
);

-- Of all transfers, by the month of their event's time (UTC).
create table transfer_sums (
    book      text            not null,
    currency  text            not null,
    month     text            not null,  -- 2026-11
    part      integer         not null,
    transfers bigint          not null,
    amount    numeric(100, 0) not null,
    primary key (book, currency, month, part)
);

-- A clock that is out of its mind holds up no books: what it says is of the first or of the last month.
create function month_of(ms bigint) returns text language sql stable as
    $$select to_char(to_timestamp(least(greatest(ms, 0), 253402300799999) / 1000) at time zone 'UTC', 'YYYY-MM')$$;
create function group_of(account text) returns text language sql immutable as $$select split_part(account, '/', 1)$$;
create function has_parts("group" text) returns boolean language sql immutable as
    $$select "group" in ('operator-cash', 'play-credit', 'treasury')$$;

-- Of a house that has run already. A process's row of the house's own accounts has no transfers of its own: what the others
-- have not is the lowest one's.
update balances b set moved = m.moved, moved_at = m.moved_at
  from (select book, account, currency, sum(change) as moved, max(event_time) as moved_at
          from (select book, debit as account, currency, -amount as change, event_time from transfers
                union all select book, credit, currency, amount, event_time from transfers) as sides
         group by book, account, currency) m
 where (b.book, b.account, b.currency, b.part) = (m.book, m.account, m.currency,
       (select min(part) from balances a where (a.book, a.account, a.currency) = (m.book, m.account, m.currency)));
update balances b set moved = moved - others.balance
  from (select o.book, o.account, o.currency, sum(o.balance) as balance from balances o
         where o.part > (select min(part) from balances a
                          where (a.book, a.account, a.currency) = (o.book, o.account, o.currency))
         group by 1, 2, 3) others
 where (b.book, b.account, b.currency) = (others.book, others.account, others.currency)
   and b.part = (select min(part) from balances a where (a.book, a.account, a.currency) = (b.book, b.account, b.currency));
update balances b set moved = balance
 where b.part > (select min(part) from balances a where (a.book, a.account, a.currency) = (b.book, b.account, b.currency));
set constraints all immediate;

insert into group_sums
select book, currency, group_of(account), 0, count(*), sum(balance), sum(moved), count(*) filter (where balance <> moved),
       count(*) filter (where balance < 0 and not no_floor), count(*) filter (where balance <> 0)
  from balances group by 1, 2, 3;
insert into transfer_sums
select book, currency, month_of(event_time), 0, count(*), sum(amount) from transfers group by 1, 2, 3;

create or replace function sum_up_new_balances() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into totals as t (book, currency, part, total)
    select book, currency, part_that_writes(), sum(balance) from rows_after group by book, currency
    on conflict (book, currency, part) do update set total = t.total + excluded.total;
    insert into group_sums as g
    select book, currency, group_of(account), part_that_writes(), count(*), sum(balance), sum(moved),
           count(*) filter (where balance <> moved), count(*) filter (where balance < 0 and not no_floor),
           count(*) filter (where balance <> 0)
      from rows_after group by 1, 2, 3
    on conflict (book, currency, "group", part) do update
       set accounts = g.accounts + excluded.accounts, balance = g.balance + excluded.balance,
           moved = g.moved + excluded.moved, uneven = g.uneven + excluded.uneven, below = g.below + excluded.below,
           filled = g.filled + excluded.filled;
    return null;
end
$$;
create or replace function sum_up_changed_balances() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into totals as t (book, currency, part, total)
    select book, currency, part_that_writes(), sum(change)
      from (select book, currency, balance as change from rows_after
            union all select book, currency, -balance from rows_before) as moved
     group by book, currency
    on conflict (book, currency, part) do update set total = t.total + excluded.total;
    insert into group_sums as g
    select book, currency, group_of(account), part_that_writes(), 0, sum(sign * balance), sum(sign * moved),
           coalesce(sum(sign) filter (where balance <> moved), 0),
           coalesce(sum(sign) filter (where balance < 0 and not no_floor), 0),
           coalesce(sum(sign) filter (where balance <> 0), 0)
      from (select 1 as sign, * from rows_after union all select -1, * from rows_before) as changed group by 1, 2, 3
    on conflict (book, currency, "group", part) do update
       set balance = g.balance + excluded.balance, moved = g.moved + excluded.moved, uneven = g.uneven + excluded.uneven,
           below = g.below + excluded.below, filled = g.filled + excluded.filled;
    return null;
end
$$;

-- What is transferred is added to the accounts' `moved` in the same transaction; an account that nobody has booked shows as
-- one whose balance is not the sum of its transfers.
create function sum_up_transfers() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into balances as b (book, account, currency, part, balance, no_floor, moved, moved_at)
    select book, account, currency,
           case when has_parts(group_of(account)) then part_that_writes() else 0 end,
           0, true, sum(change), max(event_time)
      from (select book, debit as account, currency, -amount as change, event_time from rows_after
            union all select book, credit, currency, amount, event_time from rows_after) as sides
     group by book, account, currency order by book, account, currency
    on conflict (book, account, currency, part) do update
       set moved = b.moved + excluded.moved, moved_at = greatest(b.moved_at, excluded.moved_at);
    insert into transfer_sums as t
    select book, currency, month_of(event_time), part_that_writes(), count(*), sum(amount) from rows_after group by 1, 2, 3
    on conflict (book, currency, month, part) do update
       set transfers = t.transfers + excluded.transfers, amount = t.amount + excluded.amount;
    return null;
end
$$;
create trigger sum_up_new after insert on transfers
    referencing new table as rows_after for each statement execute function sum_up_transfers();

-- What a rebuild compares: whoever wrote which part.
create view kept_groups as
select book, currency, "group", sum(balance) as balance, sum(moved) as moved, sum(uneven)::bigint as uneven,
       sum(below)::bigint as below,
       case when has_parts("group") then 1 else sum(accounts)::bigint end as accounts,  -- one, with a row for each process
       case when has_parts("group") then (sum(balance) <> 0)::int else sum(filled)::bigint end as filled
  from group_sums group by book, currency, "group";
create view kept_months as
select book, currency, month, sum(transfers) as transfers, sum(amount) as amount
  from transfer_sums group by book, currency, month;

alter table group_sums owner to croupier_ledger_owner;
alter table transfer_sums owner to croupier_ledger_owner;
grant select, insert, update on balances, totals to croupier_ledger_owner;
alter function sum_up_new_balances() owner to croupier_ledger_owner;
alter function sum_up_changed_balances() owner to croupier_ledger_owner;
alter function sum_up_transfers() owner to croupier_ledger_owner;
revoke insert, update on balances, totals from croupier_wallet;
grant insert (book, account, currency, balance, no_floor, part), update (balance) on balances to croupier_wallet;
grant select on group_sums, transfer_sums, kept_groups, kept_months to croupier_wallet;
grant select on group_sums, transfer_sums to croupier_books_reader;

-- For the questions: a player's sittings newest first and those that reach over a moment, and those that are open.
create index sittings_from on sittings (player, book, started_at);
create index sittings_until on sittings (player, book, (coalesce(ended_at, 9223372036854775807)), started_at);
create index sittings_open on sittings (player, book) where ended_at is null;
drop index sittings_of_a_player;-- The view `sitting_sessions` stays for processes of the version before this, which still ask it.
