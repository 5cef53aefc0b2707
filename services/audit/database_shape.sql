-- What the schemas $1 hold and what the roles $2, and all whose names begin with `croupier_`, may do there, but for the logins
-- $3: what it is, and a digest of how it is, or its words. With `pg_catalog` as search path: everything else has its schema.

with places as (select oid, nspname, nspowner, nspacl from pg_namespace where nspname = any($1)),
roles as (
    select oid, rolname from pg_roles where (rolname = any($2) or rolname like 'croupier\_%') and rolname <> all($3)
    union all select 0, 'everybody'
),
relations as (
    select pg_class.*, nspname, nspowner, nspname || '.' || relname as name
      from pg_class join places on places.oid = relnamespace where relkind in ('r', 'p', 'v', 'm', 'f', 'S', 'c')
),
kept as (select * from relations where not relispartition),
indexes as (
    -- One that `reindex concurrently` makes beside another, or leaves behind, is as that one.
    select distinct on (indrelid, made) each.*, bool_or(indisvalid and indisready) over (partition by indrelid, made) as sound
      from (select pg_index.*, its.relname, kept.name,
                   regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \S+ ON ', ' INDEX ON ') as made
              from pg_index join kept on kept.oid = indrelid join pg_class as its on its.oid = indexrelid) as each
     order by indrelid, made, relname
),
given as (
    select ' in ' || name as place, relowner as owner, acl.*, '' as columns
      from kept, aclexplode(relacl) as acl where grantee <> 0  -- everybody's are told elsewhere
    union all
    select ' in ' || name, relowner, acl.*, ' (' || attname || ')'
      from kept join pg_attribute on attrelid = kept.oid and attacl is not null, aclexplode(attacl) as acl
    union all
    select ' in the function ' || nspname || '.' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
           proowner, acl.*, ''
      from pg_proc join places on places.oid = pronamespace, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
    union all
    select ' in the schema ' || nspname, nspowner, acl.*, ''
      from places, aclexplode(nspacl) as acl where grantee <> 0
),
found (what, said, in_words) as (
    select 'the relation ' || name,
           concat_ws(E'\x1f', relkind, relpersistence,
               case when relowner = nspowner then '@' else pg_get_userbyid(relowner) end,
               case when relkind in ('v', 'm') then concat(reloptions::text, pg_get_viewdef(kept.oid)) end,
               case when relkind = 'p' then pg_get_partkeydef(kept.oid) end,
               -- Of what is on no disc of the database's own: whoever set up the server makes tablespaces, no migration does.
               (select spcname from pg_tablespace where pg_tablespace.oid = reltablespace),
               case when relkind in ('r', 'p', 'm') then concat_ws(' ', relreplident, coalesce(amname, '')) end,
               (select concat_ws(' ', format_type(seqtypid, null), seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle,
                           (select string_agg(concat_ws(' ', deptype, refobjid::regclass, attname), E'\n' order by refobjid, attname)
                              from pg_depend join pg_attribute on (attrelid, attnum) = (refobjid, refobjsubid)
                             where (classid, objid, refclassid) = ('pg_class'::regclass, kept.oid, 'pg_class'::regclass)))
                  from pg_sequence where seqrelid = kept.oid),
               (select string_agg(
                           concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
                                     attcollation::regcollation, pg_get_expr(adbin, adrelid)),
                           E'\n' order by attnum)
                  from pg_attribute left join pg_attrdef on (adrelid, adnum) = (attrelid, attnum)
                 where attrelid = kept.oid and attnum > 0 and not attisdropped and relkind <> 'S')),
           false
      from kept left join pg_am on pg_am.oid = relam
    union all
    select 'the constraint ' || conname || ' of ' || name,
           concat_ws(E'\x1f', pg_get_constraintdef(pg_constraint.oid), convalidated), false
      from pg_constraint join kept on kept.oid = conrelid where contype in ('c', 'f', 'p', 'u', 'x')
    union all
    select 'the trigger ' || tgname || ' of ' || name,
           concat_ws(E'\x1f', replace(pg_get_triggerdef(pg_trigger.oid), quote_literal(pg_get_userbyid(nspowner)), '@'), tgenabled),
           false
      from pg_trigger join kept on kept.oid = tgrelid where not tgisinternal
    union all
    -- Those that run code or refuse rows: the others make something faster, and anybody's are good.
    select 'the index ' || relname || ' of ' || name, concat_ws(E'\x1f', made, sound), false
      from indexes where (indisunique or indexprs is not null or indpred is not null)
       and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
    union all
    select 'the rights of ' || rolname || place,
           string_agg(lower(privilege_type) || columns || case when is_grantable then ' to give away' else '' end, ', '
                      order by privilege_type, columns),
           true
      from given join roles on roles.oid = grantee where grantee <> owner group by rolname, place
    -- From here on what no migration makes.
    union all
    select 'the right of ' || rolname || ' to make temporary tables', '', true
      from pg_database, aclexplode(datacl) as acl join roles on roles.oid = grantee
     where datname = current_database() and privilege_type = 'TEMPORARY' and grantee not in (0, datdba)
       and rolname <> '{owner}'
    union all
    select 'the default rights of ' || rolname, '', true
      from pg_default_acl, aclexplode(defaclacl) as acl join roles on roles.oid = grantee
     where grantee <> defaclrole and (defaclrole in (select oid from roles union select nspowner from places)
                                      or defaclnamespace in (select oid from places))
    union all
    select 'the ' || pg_describe_object(classid, objid, objsubid), '', true
      from pg_depend join places on refobjid = places.oid and refclassid = 'pg_namespace'::regclass
     where classid not in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_default_acl'::regclass)
    union all
    select 'the child ' || inhrelid::regclass || ' of ' || parent.name, '', true
      from pg_inherits join relations as parent on parent.oid = inhparent left join relations as child on child.oid = inhrelid
     where not coalesce(child.relispartition and child.nspname = parent.nspname
                        and child.relname ~ ('^' || parent.relname || '_(before|beyond|2[0-9]{{3}}_[0-9]{{2}})$'), false)
    -- But for one of these, in which a migration's role is.
    union all
    select member.rolname || ' in ' || role.rolname || case when bool_or(admin_option) then ', to give away' else '' end, '', true
      from pg_auth_members join roles as member on member.oid = member join pg_roles as role on role.oid = roleid
     where member.rolname <> all($2) or admin_option and member.rolname <> '{owner}' group by member.rolname, role.rolname
)
select what, case when in_words then said else encode(sha256(convert_to(said, 'UTF8')), 'hex') end as said from found order by 1
