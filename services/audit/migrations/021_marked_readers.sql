-- How far the auditor has read and what it judged bear its mark, as heads do, made with a key that no database login has. Nothing
-- is believed without one, so there are no rows of before: the journals are judged anew, and what topics still hold is read anew.
-- Another's link takes no place from one of ours.

truncate readers, journal_heads, journal_links;

alter table readers add column mark bytea not null;
alter table journal_heads alter column mark set not null;
drop trigger journal_heads_marked on journal_heads;
-- A refusal moves a stream's head and not its version.
drop trigger journal_heads_go_on on journal_heads;
create trigger journal_heads_go_on before update on journal_heads
    for each row when (new.version < old.version or new.last_offset <= old.last_offset) execute function refuse_older_head();
alter table journal_links add column mark bytea not null;
alter table journal_links drop constraint journal_links_pkey, add primary key (topic, partition, "offset", at, mark);

revoke update on readers from croupier_audit;
grant update (next, last, digest, mark) on readers to croupier_audit;
