-- The record as it was read, with its mark: who has this database's login alone makes none, and a gateway tells nothing again that has none.
alter table restrictions add column topic text, add column partition int, add column key bytea, add column headers bytea;
