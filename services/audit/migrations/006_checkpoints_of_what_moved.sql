-- A checkpoint holds the heads that moved since the one before, and how far all of them reach.

delete from checkpoints;  -- those of the first format; the file outside keeps them
alter table checkpoints add column reached jsonb not null default '[]';
alter table checkpoints alter column reached drop default;
create index journal_heads_by_offset on journal_heads (topic, partition, last_offset);
