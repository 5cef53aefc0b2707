-- What one person reports in a day is counted.
create index account_signals_of_people on account_signals (at) where by like 'staff:%';
-- What one person alone reports of several is one case, to which further players come. What a case says is marked.
grant update (players) on cases to croupier_audit;
