-- Two roles without login. The books' owner owns `transfers`; the service acts as `croupier_wallet` and owns nothing.

do $$
declare
    wanted text;
begin
    foreach wanted in array array['croupier_ledger_owner', 'croupier_wallet'] loop
        begin
            execute format('create role %I nologin', wanted);
        exception
            when duplicate_object or unique_violation then null;  -- roles belong to the whole cluster
        end;
        if not pg_has_role(current_user, wanted, 'usage') or not pg_has_role(current_user, wanted, 'set') then
            execute format('grant %I to %I with inherit true, set true', wanted, current_user);
        end if;
    end loop;
    execute format('grant usage, create on schema %I to croupier_ledger_owner', current_schema());
    execute format('grant usage on schema %I to croupier_wallet', current_schema());
end
$$;

grant select, insert, update on positions, streams to croupier_wallet;
grant select, insert on parked to croupier_wallet;
