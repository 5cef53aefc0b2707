-- What the checks remember of each stream bears the auditor's mark, too, and goes back to no older state. A sitting that is over
-- is forgotten a minute later: who says so of one that is not is seen by then.

alter table check_states
    add column id bigint generated always as identity unique,
    add column over boolean not null default false,
    add column over_at timestamptz,
    add column mark_version bigint,
    add column mark bytea;

create trigger check_states_marked before insert or update on check_states
    for each row when (new.mark is null) execute function refuse_unmarked();
create trigger check_states_go_on before update on check_states
    for each row when (new.mark_version <= old.mark_version) execute function refuse_going_back();

create function keep_when_over() returns trigger language plpgsql as $$
begin
    new.over_at := case when not new.over then null when tg_op = 'UPDATE' and old.over then old.over_at else now() end;
    return new;
end
$$;
create trigger keep_when_over before insert or update on check_states for each row execute function keep_when_over();

create function refuse_forgetting() returns trigger language plpgsql set search_path from current as $$
begin
    if not pg_catalog.pg_has_role((select relowner from pg_catalog.pg_class where oid = tg_relid), 'usage') then
        raise exception 'what is not over for a minute stays' using errcode = 'integrity_constraint_violation';
    end if;
    return old;
end
$$;
create trigger check_states_stay before delete on check_states
    for each row when (not old.over or old.over_at > now() - interval '1 minute') execute function refuse_forgetting();

revoke insert, update on check_states from croupier_audit;
grant insert (check_name, stream, state, over, mark_version, mark) on check_states to croupier_audit;
grant update (state, over, mark_version, mark) on check_states to croupier_audit;
