-- The search for collusion asks for the results of tournaments that ended in the last thirty days.
create index check_states_results on check_states (((state->>'ended_at')::bigint)) where check_name = 'results';
