-- The service acts as `croupier_audit` and owns nothing: what is evidence it adds to and can't take back.

do $$
begin
    begin
        create role croupier_audit nologin;
    exception
        when duplicate_object or unique_violation then null;  -- roles belong to the whole cluster
    end;
    execute format('grant usage on schema %I to croupier_audit', current_schema());
end
$$;

grant select on migrations to croupier_audit;
grant select, insert on parked, reads, journal_links, checkpoints, account_signals to croupier_audit;
grant select, insert, update on positions, streams, openings, histories, readers, journal_heads, incidents, cases
    to croupier_audit;
grant select, insert, update, delete on check_states to croupier_audit;
grant select, insert, delete on set_aside to croupier_audit;
