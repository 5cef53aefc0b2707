-- Tables of tournaments: their stacks are chips, which are no money, so nothing of theirs is in any other table here.
create table tournament_tables (
    table_id   text primary key,
    tournament text not null
);

grant select, insert on tournament_tables to croupier_wallet;
