-- What each valid commit answers, so that every reply can be held against it. Null: judged before the auditor kept it.

alter table journal_links add column command_id bytea, add column answer bytea;
create index journal_links_by_command on journal_links (command_id);
