-- Who checks the books looks every few seconds at the totals, and seldom at all the accounts that they are made of.

grant select on totals to croupier_books_reader;
