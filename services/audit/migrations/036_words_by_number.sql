-- What holds of blocks is told in pages, by when it ends and by number: an answer reads the rows that it tells, and passes over
-- neither those that are lifted nor sessions that would be over anyway.

drop index last_words_that_hold;
create index last_words_that_hold on last_words (until, id) where holds;
