-- Several processes keep the books at once, each those of some partitions. What all of them move (the outside world, the
-- treasury, play credit) has a row for each, and so has a currency's total: nobody waits for another one's transaction for it.
-- `part` is the lowest partition of the process that writes. Whatever it is, each part of a total has to be zero.

alter table balances add column part integer not null default 0;
alter table balances drop constraint balances_pkey, add primary key (book, account, currency, part);
alter table totals add column part integer not null default 0;
alter table totals drop constraint totals_pkey, add primary key (book, currency, part);

create view accounts as
select book, account, currency, sum(balance) as balance, bool_and(no_floor) as no_floor
  from balances group by book, account, currency;
grant select on accounts to croupier_wallet;

create function part_that_writes() returns integer language sql stable as
    'select coalesce(nullif(current_setting(''croupier.part'', true), ''''), ''0'')::integer';
create or replace function sum_up_new_balances() returns trigger language plpgsql set search_path from current as $$
begin
    insert into totals as t (book, currency, part, total)
    select book, currency, part_that_writes(), sum(balance) from rows_after group by book, currency
    on conflict (book, currency, part) do update set total = t.total + excluded.total;
    return null;
end
$$;
create or replace function sum_up_changed_balances() returns trigger language plpgsql set search_path from current as $$
begin
    insert into totals as t (book, currency, part, total)
    select book, currency, part_that_writes(), sum(change)
      from (select book, currency, balance as change from rows_after
            union all select book, currency, -balance from rows_before) as moved
     group by book, currency
    on conflict (book, currency, part) do update set total = t.total + excluded.total;
    return null;
end
$$;
create or replace function the_books_balance() returns trigger language plpgsql set search_path from current as $$
declare
    remainder numeric;
begin
    select total into remainder from totals
     where book = new.book and currency = new.currency and part = new.part;
    if remainder <> 0 then
        raise exception 'the books (%, %) do not balance: off by %', new.book, new.currency, remainder
            using errcode = 'integrity_constraint_violation';
    end if;
    return null;
end
$$;
