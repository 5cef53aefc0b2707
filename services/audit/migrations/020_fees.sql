-- From here on a session's fee is checked: one that fell due before may have been charged before, unseen. What is open is looked
-- up every few seconds, and is little among the states of all streams.

create index check_states_open on check_states (check_name) where not over and check_name in ('sitting', 'fee');
