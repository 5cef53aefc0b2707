-- Rake accounts have what tournaments earned; the transfers of those that ended before this tell it.

insert into rake_accounts (table_id, rulebook, currency, book, commission)
select split_part(credit, '/', 2), split_part(credit, '/', 3), currency, book, sum(amount)
  from transfers where debit like 'tournament-fee/%' and credit like 'commission/%' group by 1, 2, 3, 4
on conflict (table_id, rulebook, currency) do update set commission = rake_accounts.commission + excluded.commission;
