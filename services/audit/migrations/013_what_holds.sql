-- The last word on each player's blocks and sessions, kept with the trail: a gateway that starts asks what holds, and not what
-- ever did. The service's login adds to the trail and writes nothing here.

create table last_words (
    about  text    not null,
    player text    not null,
    whose  text    not null,
    at     bigint  not null,
    id     bigint  not null,  -- in `restrictions`
    holds  boolean not null,
    until  bigint  not null,
    primary key (about, player, whose)
);
insert into last_words
select distinct on (about, player, whose) about, player, whose, at, id, holds, until
  from restrictions order by about, player, whose, at desc, id desc;
create index last_words_that_hold on last_words (until) where holds;

create function keep_last_words() returns trigger language plpgsql security definer set search_path from current as $$
begin
    insert into last_words as l
    select distinct on (about, player, whose) about, player, whose, at, id, holds, until
      from rows_after order by about, player, whose, at desc, id desc
    on conflict (about, player, whose) do update
       set at = excluded.at, id = excluded.id, holds = excluded.holds, until = excluded.until
     where (excluded.at, excluded.id) > (l.at, l.id);
    return null;
end
$$;
create trigger keep_last_words after insert on restrictions
    referencing new table as rows_after for each statement execute function keep_last_words();
grant select on last_words to croupier_audit;
