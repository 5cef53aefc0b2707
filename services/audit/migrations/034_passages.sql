-- From here on what is on its way between wallet and tournament is checked by the clock: what left one side before may have come
-- to the other before, unseen.

create index check_states_passages on check_states (check_name) where not over and check_name = 'passage';
