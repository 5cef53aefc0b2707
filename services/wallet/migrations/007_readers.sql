-- Who checks the books reads what it needs of them, and has no other right here.

do $$
begin
    begin
        create role croupier_books_reader nologin;
    exception
        when duplicate_object or unique_violation then null;  -- roles belong to the whole cluster
    end;
    execute format('grant usage on schema %I to croupier_books_reader', current_schema());
end
$$;

grant select on balances, disagreements, positions, streams, parked, set_aside, reads to croupier_books_reader;
-- The service looks at its start whether the schema is the one that it was written for.
grant select on migrations to croupier_wallet;
