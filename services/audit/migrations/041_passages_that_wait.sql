-- Who has lost all chips and bought others is not out, and nothing ever comes to the other side: those rows were read again at each
-- look, for ever. What has come without having left is looked at, and so are payments and credits.

drop index check_states_passages;
create index check_states_passages on check_states (check_name)
    where check_name = 'passage' and not over and (stream not like '/out/%' or state->>'came' is not null);
