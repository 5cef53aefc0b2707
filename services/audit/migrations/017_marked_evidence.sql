-- Rows of the trail of blocks, of signals and of cases bear the auditor's mark as incidents do. Rows of before have none.

alter table restrictions add column mark bytea;
create trigger restrictions_marked before insert on restrictions
    for each row when (new.mark is null) execute function refuse_unmarked();
create index incidents_of_restrictions on incidents (id) where stream = 'audit.restrictions';
revoke insert on restrictions from croupier_audit;
grant insert (identity, at, about, player, whose, holds, until, principal, reason, notice, topic, partition, key, headers, mark)
    on restrictions to croupier_audit;

-- Another's row under the name of a report that is to come keeps it out no longer.
alter table account_signals drop constraint account_signals_pkey;
alter table account_signals add column id bigint generated always as identity primary key, add column mark bytea;
create unique index account_signals_by_report on account_signals (account, report, coalesce(mark, ''));
create trigger account_signals_marked before insert on account_signals
    for each row when (new.mark is null) execute function refuse_unmarked();
revoke insert on account_signals from croupier_audit;
grant insert (account, report, player, kind, value, at, mark) on account_signals to croupier_audit;

alter table cases add column mark bytea;
create trigger cases_marked before insert or update on cases
    for each row when (new.mark is null) execute function refuse_unmarked();
create trigger cases_go_on before update on cases
    for each row when (new.last_seen < old.last_seen) execute function refuse_taking_back();
revoke insert on cases from croupier_audit;
grant insert (identity, kind, players, hands, evidence, opened_at, last_seen, mark) on cases to croupier_audit;
grant update (mark) on cases to croupier_audit;
