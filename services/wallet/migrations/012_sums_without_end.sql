-- Sums end nowhere. One transfer fits 64 bits by far; what many add up to, in an account that all platforms share or at a
-- table that plays for years, has no bound that anybody could reach. Still whole minor units: no place behind the point. The
-- tables come in the order in which the projector writes them, so that neither waits for the other.

alter table balances alter column balance type numeric(100, 0);
alter table totals alter column total type numeric(100, 0);
alter table disagreements alter column stated type numeric(100, 0), alter column booked type numeric(100, 0);

create or replace function the_books_balance() returns trigger language plpgsql set search_path from current as $$
declare
    remainder numeric;
begin
    select total into remainder from totals where book = new.book and currency = new.currency;
    if remainder <> 0 then
        raise exception 'the books (%, %) do not balance: off by %', new.book, new.currency, remainder
            using errcode = 'integrity_constraint_violation';
    end if;
    return null;
end
$$;

alter table rake_accounts
    alter column rake type numeric(100, 0), alter column commission type numeric(100, 0),
    alter column fees type numeric(100, 0), alter column tips type numeric(100, 0);

-- The same view anew: a view keeps the types that its table had.
drop view sitting_sessions;
alter table sittings
    alter column brought type numeric(100, 0), alter column commission type numeric(100, 0),
    alter column staked type numeric(100, 0), alter column won type numeric(100, 0),
    alter column rake type numeric(100, 0), alter column returned type numeric(100, 0),
    alter column tips type numeric(100, 0), alter column commission_on_wins type numeric(100, 0);
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

alter table banked_tables
    alter column drop type numeric(100, 0), alter column bank_in type numeric(100, 0),
    alter column bank_cover type numeric(100, 0), alter column bank_out type numeric(100, 0);
alter table banked_handle
    alter column handle type numeric(100, 0), alter column credited type numeric(100, 0),
    alter column commission type numeric(100, 0);
