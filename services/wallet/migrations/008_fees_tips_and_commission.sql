-- What a table takes beside rake and commission: the charge of a session, tips. Commission on wins leaves `rake`.

alter table rake_accounts add column fees bigint not null default 0;  -- charges of sessions, out of free money
alter table rake_accounts add column tips bigint not null default 0;  -- into the slot, apart from all commission
alter table sittings add column tips bigint not null default 0;
alter table sittings add column commission_on_wins bigint not null default 0;  -- off `won` already

-- The same view anew: a view keeps the columns that its table had.
drop view sitting_sessions;
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
grant select on sitting_sessions to croupier_wallet;

-- A session's charge is due at the table, which names the sitting, and taken at the wallet, which names the amount;
-- the two are read in either order.
create table session_fees (
    table_id    text not null,
    fee         text not null,
    reservation text,
    charged     bigint,  -- null: not taken, or not yet
    primary key (table_id, fee)
);
create index session_fees_of_a_sitting on session_fees (table_id, reservation);
grant select, insert, update on session_fees to croupier_wallet;

-- Of a house that has run already: the transfers have it all but the sitting of a charge, which is the last begun before.
insert into session_fees (table_id, fee, reservation, charged)
select split_part(t.credit, '/', 2), t.reference,
       (select s.reservation from sittings s
         where s.table_id = split_part(t.credit, '/', 2) and s.player = split_part(t.debit, '/', 2)
           and s.started_at <= t.event_time
         order by s.started_at desc limit 1),
       t.amount
  from transfers t where t.kind = 'fee' and t.credit like 'commission/%';

update rake_accounts r set fees = taken.amount
  from (select split_part(credit, '/', 2) as table_id, split_part(credit, '/', 3) as rulebook, currency,
               sum(amount) as amount
          from transfers where kind = 'fee' and credit like 'commission/%' group by 1, 2, 3) as taken
 where (r.table_id, r.rulebook, r.currency) = (taken.table_id, taken.rulebook, taken.currency);

update rake_accounts r set tips = taken.amount
  from (select split_part(credit, '/', 2) as table_id, currency, sum(amount) as amount
          from transfers where kind = 'tip' and credit like 'tips/%' group by 1, 2) as taken
 where (r.table_id, r.currency) = (taken.table_id, taken.currency);

update sittings s set tips = taken.amount
  from (select split_part(credit, '/', 2) as table_id, reference, sum(amount) as amount
          from transfers where kind = 'tip' and credit like 'tips/%' group by 1, 2) as taken
 where (s.table_id, s.reservation) = (taken.table_id, taken.reference);

update sittings set commission_on_wins = rake, rake = 0 where table_id in (select table_id from banked_tables);
