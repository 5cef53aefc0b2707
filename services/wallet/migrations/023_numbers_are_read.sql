-- Whether rows get numbers that others have had: who has come further looks at no such row.
grant select on sequence reads_id_seq to croupier_books_reader;
