-- Of each month of a table in the schemas $1 what no parent keeps for it: whose it is, whether and where and how it is kept, which
-- months it is for, its triggers, the rights of the roles $2 (and $3, as in database_shape.sql), constraints and indexes of its own.
-- Nothing that fails where an archive takes one out, or that locks a part.

with places as (select oid, nspname, nspowner from pg_namespace where nspname = any($1)),
roles as (
    select oid, rolname from pg_roles where (rolname = any($2) or rolname like 'croupier\_%') and rolname <> all($3)
    union all select 0, 'everybody'
),
relations as (
    select pg_class.*, nspname, nspname || '.' || relname as name from pg_class join places on places.oid = relnamespace
)
select part.name as what, parent.name as of,
       encode(sha256(convert_to(concat_ws(E'\x1f', part.relkind, part.relpersistence,
           case when part.relowner = parent.relowner then '@' else pg_get_userbyid(part.relowner) end,
           (select spcname from pg_tablespace where pg_tablespace.oid = part.reltablespace),
           concat_ws(' ', part.relreplident, (select amname from pg_am where pg_am.oid = part.relam)),
           nullif(pg_get_expr(part.relpartbound, 0), bounds.named),
           (select string_agg(concat_ws(' ', tgname, tgfoid::regproc, tgtype, tgenabled, tgattr, tgqual is null, tgargs),
                              E'\n' order by tgname)
              from pg_trigger where tgrelid = part.oid and not tgisinternal),
           (select string_agg(concat_ws(' ', rolname, privilege_type, is_grantable), E'\n' order by rolname, privilege_type)
              from aclexplode(part.relacl) join roles on roles.oid = grantee where grantee <> part.relowner),
           (select string_agg(concat_ws(' ', rolname, privilege_type, attname), E'\n' order by rolname, privilege_type, attname)
              from pg_attribute, aclexplode(attacl) join roles on roles.oid = grantee where attrelid = part.oid and attacl is not null),
           (select string_agg(conname, E'\n' order by conname)
              from pg_constraint where conrelid = part.oid and coninhcount = 0 and contype in ('c', 'f', 'u', 'x')),
           (select count(*)
              from pg_index join pg_class as its on its.oid = indexrelid
             where indrelid = part.oid and not its.relispartition
               and (indisunique or indexprs is not null or indpred is not null)
               -- `reindex concurrently` makes another one beside it.
               and not exists (
                   select from pg_index as other where other.indrelid = part.oid and other.indexrelid <> its.oid
                      and other.indkey = pg_index.indkey and other.indisunique = pg_index.indisunique
                      and other.indexprs::text is not distinct from pg_index.indexprs::text
                      and other.indpred::text is not distinct from pg_index.indpred::text))
       ), 'UTF8')), 'hex') as said
  from relations as part join pg_inherits on inhrelid = part.oid join relations as parent on parent.oid = inhparent
       -- By its name, as `add_part` of libs/projecting/migrations makes it.
       cross join lateral (select substr(part.relname, length(parent.relname) + 2) as month) as each
       cross join lateral (
           select case
               when month = 'before' then 'FOR VALUES FROM (MINVALUE) TO (''1577836800000'')'
               when month = 'beyond' then 'FOR VALUES FROM (''4102444800000'') TO (MAXVALUE)'
               when month ~ '^2[0-9]{3}_(0[1-9]|1[0-2])$' then format('FOR VALUES FROM (%L) TO (%L)',
                   extract(epoch from to_date(month, 'YYYY_MM'))::bigint * 1000,
                   extract(epoch from (to_date(month, 'YYYY_MM') + interval '1 month')::date)::bigint * 1000)
           end as named) as bounds
 where part.relispartition and part.relkind in ('r', 'p', 'f') and parent.relkind = 'p' order by 1
