-- Another's row takes no number from a checkpoint that is to be signed: what counts is the signature. Heads, which go into one,
-- bear the auditor's mark, go back to no older version and stay those of their stream. Heads of before have no mark.

alter table checkpoints drop constraint checkpoints_pkey, add primary key (number, signature);

alter table journal_heads add column mark bytea;
create trigger journal_heads_marked before insert or update on journal_heads
    for each row when (new.mark is null) execute function refuse_unmarked();
create function refuse_older_head() returns trigger language plpgsql as $$
begin
    raise exception 'the head of version % does not go back to %', old.version, new.version
        using errcode = 'integrity_constraint_violation';
end
$$;
create trigger journal_heads_go_on before update on journal_heads
    for each row when (new.version <= old.version) execute function refuse_older_head();
revoke update on journal_heads from croupier_audit;
grant update (partition, version, digest, time, last_offset, mark) on journal_heads to croupier_audit;
