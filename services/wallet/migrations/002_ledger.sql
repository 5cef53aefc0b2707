-- The books: double entry, append-only, never below a floor, and in sum always zero.

-- What a table plays for, and under which rulebook; from TableOpened. Stacks at a tournament's table are chips, which are
-- no money: nothing of theirs is in any other table here.
create table tables (
    table_id   text primary key,
    kind       text not null check (kind in ('real', 'demo', 'tournament')),
    currency   text not null,
    rulebook   text not null,
    tournament text not null check ((tournament <> '') = (kind = 'tournament'))
);
grant select, insert on tables to croupier_wallet;

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
    primary key (service, event_id, line)
);
create index transfers_from_players on transfers (debit, event_time) where debit like 'player/%';
create index transfers_to_players on transfers (credit, event_time) where credit like 'player/%';

create function transfers_are_final() returns trigger language plpgsql as $$
begin
    raise exception 'transfers are append-only: % refused', tg_op using errcode = 'integrity_constraint_violation';
end
$$;
create trigger transfers_are_final before update or delete or truncate on transfers
    for each statement execute function transfers_are_final();

-- balance = what came in less what went out. `no_floor`: the outside world, and money between two services.
create table balances (
    book     text    not null check (book in ('real', 'demo')),
    account  text    not null,
    currency text    not null,
    balance  bigint  not null,
    no_floor boolean not null,
    primary key (book, account, currency),
    constraint never_below_its_floor check (no_floor or balance >= 0)
);

-- Sum over all accounts, kept by the database itself; has to be zero whenever a transaction ends.
create table totals (
    book     text   not null,
    currency text   not null,
    total    bigint not null,
    primary key (book, currency)
);

create function sum_up_new_balances() returns trigger language plpgsql set search_path from current as $$
begin
    insert into totals as t (book, currency, total)
    select book, currency, sum(balance) from rows_after group by book, currency
    on conflict (book, currency) do update set total = t.total + excluded.total;
    return null;
end
$$;
create function sum_up_changed_balances() returns trigger language plpgsql set search_path from current as $$
begin
    insert into totals as t (book, currency, total)
    select book, currency, sum(change)
      from (select book, currency, balance as change from rows_after
            union all select book, currency, -balance from rows_before) as moved
     group by book, currency
    on conflict (book, currency) do update set total = t.total + excluded.total;
    return null;
end
$$;
create function the_books_balance() returns trigger language plpgsql set search_path from current as $$
declare
    remainder bigint;
begin
    select total into remainder from totals where book = new.book and currency = new.currency;
    if remainder <> 0 then
        raise exception 'the books (%, %) do not balance: off by %', new.book, new.currency, remainder
            using errcode = 'integrity_constraint_violation';
    end if;
    return null;
end
$$;
create trigger sum_up_new after insert on balances
    referencing new table as rows_after for each statement execute function sum_up_new_balances();
create trigger sum_up_changed after update on balances
    referencing new table as rows_after old table as rows_before
    for each statement execute function sum_up_changed_balances();
create constraint trigger the_books_balance after insert or update on totals
    deferrable initially deferred for each row execute function the_books_balance();

-- An event that states another figure than the books have after it. Should stay empty; audit watches it.
create table disagreements (
    service  text   not null,
    event_id text   not null,
    account  text   not null,
    stated   bigint not null,
    booked   bigint not null,
    primary key (service, event_id, account)
);

grant select, insert on transfers, disagreements to croupier_wallet;
grant select, insert, update on balances, totals to croupier_wallet;
alter table transfers owner to croupier_ledger_owner;
