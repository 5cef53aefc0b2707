-- Which topic each name stood for when it was last looked at: one that is deleted and made anew has another id.

create table topics (
    topic text primary key,
    id uuid not null
);
grant select, insert, update on topics to croupier_audit;
