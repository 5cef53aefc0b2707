-- Each record of a hand or round, and what is kept of a table's opening, bears the auditor's mark, made with a key that no
-- database login has. The constraints are of what is written from now on: rows of before have no mark, and whoever writes
-- to one of them has to give it one. An older state of a row has a true mark, too: no row goes back.

alter table histories add column mark_version bigint, add column mark bytea;  -- the version of the table's stream that it is of
alter table openings add column mark_version bigint, add column mark bytea;
alter table histories add constraint histories_marked check (mark_version is not null and mark is not null) not valid;
alter table openings add constraint openings_marked check (mark_version is not null and mark is not null) not valid;

create function refuse_going_back() returns trigger language plpgsql as $$
begin
    raise exception '% of version % does not go back to %', tg_table_name, old.mark_version, new.mark_version
        using errcode = 'integrity_constraint_violation';
end
$$;
create trigger histories_go_on before update on histories
    for each row when (new.mark_version <= old.mark_version) execute function refuse_going_back();
create trigger openings_go_on before update on openings
    for each row when (new.mark_version <= old.mark_version) execute function refuse_going_back();

-- Which row it is stays: nobody makes room for an older one.
revoke update on histories, openings from croupier_audit;
grant update (outcome, players, record, mark_version, mark) on histories to croupier_audit;
grant update (state, mark_version, mark) on openings to croupier_audit;
