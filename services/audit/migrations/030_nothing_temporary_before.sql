-- Nothing temporary stands before what is ours (as wallet 022): a path that does not name `pg_temp` looks there first of all.
do $$
declare
    each regprocedure;
begin
    for each in select oid from pg_proc where pronamespace = current_schema()::regnamespace
                   and (prosecdef or array_to_string(proconfig, ',') like '%search_path=%') loop
        execute format('alter function %s set search_path to %I, pg_temp', each, current_schema());
    end loop;
end
$$;
