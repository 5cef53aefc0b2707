-- What keeps logins from filling the disk of the database's server (docs/sre.md), for one made before it:
-- as its superuser, in the house's database. Written by `croupier watching`.
alter role "wallet" set temp_file_limit = '256MB';
alter role "wallet" set log_min_messages = 'fatal';
alter role "wallet" set log_min_error_statement = 'panic';
alter role "audit" set temp_file_limit = '2GB';
alter role "audit" set log_min_messages = 'fatal';
alter role "audit" set log_min_error_statement = 'panic';
alter role "inspector" set temp_file_limit = '2GB';
alter role "inspector" set log_min_messages = 'fatal';
alter role "inspector" set log_min_error_statement = 'panic';
alter role "archivist" set temp_file_limit = '8GB';
alter role "archivist" set log_min_messages = 'fatal';
alter role "archivist" set log_min_error_statement = 'panic';
revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_put(oid, bigint, bytea), lowrite(integer, bytea), pg_export_snapshot(), pg_logical_emit_message(boolean, text, text, boolean), pg_logical_emit_message(boolean, text, bytea, boolean) from public;
grant execute on function pg_export_snapshot() to "croupier";
grant usage on language plpgsql to "croupier";
revoke usage on language plpgsql from public;
