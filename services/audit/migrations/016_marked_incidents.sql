-- Each incident bears the auditor's mark, made with a key that no database login has, and its identity is made with that key,
-- too: nobody puts a row where a finding will belong. Rows of before have no mark; who owns the table may put back some of a
-- backup of then.

alter table incidents add column mark bytea;

create trigger incidents_marked before insert or update on incidents
    for each row when (new.mark is null) execute function refuse_unmarked();

create function refuse_taking_back() returns trigger language plpgsql as $$
begin
    raise exception 'what was counted of % stays', tg_table_name using errcode = 'integrity_constraint_violation';
end
$$;
create trigger incidents_go_on before update on incidents
    for each row when (new.count < old.count or new.last_seen < old.last_seen) execute function refuse_taking_back();

-- Column by column: nobody but the database gives a row its number, and takes those that come next.
revoke insert on incidents from croupier_audit;
grant insert (identity, kind, severity, stream, version, topic, partition, "offset", detail, first_seen, last_seen, mark)
    on incidents to croupier_audit;
revoke insert on reads from croupier_audit;
grant insert (at, principal, roles, scopes, purpose, what, target, address, before, digest) on reads to croupier_audit;
