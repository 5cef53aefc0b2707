-- Of all sittings that are open the looks ask for those alone that wait for the other side: every seat at a table is one
-- that is open. What was written before it says so is looked at, too.
create index check_states_waiting on check_states ((coalesce((state->>'waits')::bigint, 0)), stream)
    where check_name = 'sitting' and not over;
