-- The search for collusion asks for the signals of those who played, and of each whether anybody else has the same.
create index account_signals_by_player on account_signals (player);
create index account_signals_by_value_and_player on account_signals (kind, value, player);
drop index account_signals_by_value;
