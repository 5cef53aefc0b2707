-- An account is known from its opening on, with nothing in it; those that were opened before this and never used.

insert into balances (book, account, currency, balance, no_floor)
select case when found[3] is null then 'real' else 'demo' end, 'player/' || found[1] || '/' || found[2], found[2], 0, false
  from streams, regexp_match(stream, '^account-(.+)-([A-Z]{3})(-demo)?$') as found
 where topic like '%croupier.wallet.events%' and version > 0 and found is not null
on conflict do nothing;
