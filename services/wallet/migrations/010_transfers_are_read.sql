-- Who checks the books holds balances against the transfers that they are made of.

grant select on transfers to croupier_books_reader;
