-- What players' integrity is judged by: signals that were reported of accounts, and the cases that the audit job opens.
-- `value` of a device, an address or a means of payment is a keyed digest, never the thing itself.

create table account_signals (
    account text   not null,
    report  text   not null,
    player  text   not null,
    kind    text   not null,
    value   text   not null,
    at      bigint not null,
    primary key (account, report)
);
create index account_signals_by_value on account_signals (kind, value);

create table cases (
    id        bigint generated always as identity primary key,
    identity  bytea  not null unique,
    kind      text   not null,
    players   text[] not null,
    hands     jsonb  not null,
    evidence  jsonb  not null,
    opened_at bigint not null,
    last_seen bigint not null
);
