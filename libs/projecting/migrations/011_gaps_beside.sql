-- An index of the streams whose events have a gap, which every update of every stream had to write to: by what it compares. By a
-- column that says so, and seldom changes, an update stays within its page.

alter table streams
    add column gap boolean not null generated always as (seen > version) stored,
    set (fillfactor = 80);
drop index streams_with_a_gap;
create index streams_with_a_gap on streams (projection) where gap;
