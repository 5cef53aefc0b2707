-- What each look asks of the states of all streams, by an index of its own. An index over the state itself had every update write
-- an entry into each of them; a column that says the same and seldom changes lets an update stay within its page.
--
-- The table is written anew once: some seconds for a million rows.

alter table check_states
    add column waits bigint generated always as
        (case when check_name = 'sitting' and not over then coalesce((state->>'waits')::bigint, 0) end) stored,
    add column ended_at bigint generated always as
        (case when check_name = 'results' then (state->>'ended_at')::bigint end) stored,
    add column passes boolean not null generated always as
        (check_name = 'passage' and not over and (stream not like '/out/%' or state->>'came' is not null)) stored,
    add column undecided boolean not null generated always as
        (check_name = 'tournament' and coalesce(state->>'disqualified' <> '{}' or state->>'excluded' <> '{}', false)) stored,
    add column day text generated always as
        (case when check_name in ('cash', 'promise') then state->>'day' end) stored,
    set (fillfactor = 80);
comment on column check_states.waits is
    'Of an open sitting: since when, milliseconds since the epoch, it waits for the other side.';
comment on column check_states.passes is
    'On its way between wallet and tournament. Who has lost all chips and bought others is not out, and is waited for by nobody.';
comment on column check_states.undecided is 'Whether a second person has to decide about who was put out of the tournament.';

drop index check_states_waiting, check_states_results, check_states_passages;
create index check_states_waiting on check_states (waits, stream) where waits is not null;
create index check_states_results on check_states (ended_at, stream) where ended_at is not null;
create index check_states_passages on check_states (stream) where passes;
create index check_states_undecided on check_states (stream) where undecided;
create index check_states_by_day on check_states (check_name, day) where day is not null;
-- What is over is forgotten: each second it was looked for among all states there ever were.
create index check_states_over on check_states (over_at) where over;
