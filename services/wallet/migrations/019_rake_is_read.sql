-- The auditor holds what tables and tournaments took by their own accounts against the books.

grant select on rake_accounts to croupier_books_reader;
