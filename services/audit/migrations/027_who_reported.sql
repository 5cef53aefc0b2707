-- Who reported a signal; '': not known, of rows of before. Their marks are of the other columns alone.
alter table account_signals add column by text not null default '';
grant insert (by) on account_signals to croupier_audit;
