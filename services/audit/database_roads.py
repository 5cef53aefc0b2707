"""Roads into the house's data that no login's rights show: what everybody may do, what acts with the owner's rights,
what runs inside the house's own transactions, what a role of the house may do to the server, and whatever else is not
as migrations make it (`database_shape`).

They outlive every change of a password, so whoever had the owner's once leaves none untold.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from libs.projecting import Connection
from services.audit.database_logins import HOUSE, OURS, OWNER
from services.audit.database_shape import misshapen
from services.audit.verifying.findings import Finding, Kind

FUNCTIONS: Mapping[str, str] = msgspec.json.decode(
    Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, str]
)
"""Of the house's schemas, as this build's migrations make them: name and arguments to a digest of what it does, as
whom and how it is planned (`WRITE_FUNCTIONS=1 pytest tests/audit/test_database_roads.py` writes them)."""
SCHEMAS = sorted({each.removeprefix("the function ").partition(".")[0] for each in FUNCTIONS})
SETTINGS = (
    "check_function_bodies", "local_preload_libraries", "role", "row_security", "search_path", "session_authorization",
    "session_preload_libraries", "session_replication_role",
)  # fmt: skip
"""What a connection must not begin with that somebody has kept for it."""

_REBUILT = re.compile(r"_rebuilt_[^.]*(?=\.)")
_PLACES = """select nspname from pg_namespace
    where nspname = any($1) or nspname ~ ('^(' || array_to_string($1, '|') || ')_rebuilt_')"""
"""The house's schemas, and those that `croupier rebuild` makes beside them by the same migrations."""

_EVERYBODY = """select 'the schema ' || nspname as what from pg_namespace, aclexplode(nspacl) as acl
      where nspname = any($1) and acl.grantee = 0
    union select 'the relation ' || nspname || '.' || relname
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl) as acl
      where nspname = any($1) and acl.grantee = 0
    order by 1"""

_ELSEWHERE = f"""with {OURS}
    select what from (
      select 'the schema ' || nspname as what, nspname as place, nspowner as owner from pg_namespace
      union all select 'the relation ' || nspname || '.' || relname, nspname, relowner
        from pg_class join pg_namespace on pg_namespace.oid = relnamespace where relkind in ('r', 'p', 'v', 'm', 'f')
      union all select 'the function ' || nspname || '.' || proname, nspname, proowner
        from pg_proc join pg_namespace on pg_namespace.oid = pronamespace) as each
    where owner in (select oid from ours) and owner <> 10  -- who made the server
      and place <> all($2) and place not like 'pg\\_%' and place <> 'information_schema'
    order by 1"""

FUNCTIONS_THERE = """select
      'the function ' || nspname || '.' || proname || '(' || pg_get_function_identity_arguments(of.oid) || ')' as what,
      encode(sha256(convert_to(
        concat_ws(
          E'\\x1f', prosrc, prosecdef, lang.lanname, replace(proconfig::text, nspname, '@'),
          pg_get_function_result(of.oid), provolatile, proisstrict, proparallel, proleakproof, procost, prorows,
          case when proowner = nspowner then '@' else pg_get_userbyid(proowner) end
        ), 'UTF8'
      )), 'hex') as digest
    from pg_proc as of join pg_namespace on pg_namespace.oid = pronamespace
      join pg_language as lang on lang.oid = prolang
    where nspname = any($1) order by 1"""

_WITHIN = """select 'the trigger ' || tgname || ' of ' || of.nspname || '.' || relname as what
      from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace as of on of.oid = relnamespace
      join pg_proc on pg_proc.oid = tgfoid join pg_namespace as place on place.oid = pronamespace
      where of.nspname = any($1) and not tgisinternal and (place.nspname <> all($1) or tgenabled <> 'O')
    union select 'the rule ' || rulename || ' of ' || nspname || '.' || relname
      from pg_rewrite join pg_class on pg_class.oid = ev_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = any($1) and rulename <> '_RETURN'
    union select 'the policy ' || polname || ' of ' || nspname || '.' || relname
      from pg_policy join pg_class on pg_class.oid = polrelid join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = any($1)
    union select 'the row security of ' || nspname || '.' || relname
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = any($1) and relrowsecurity
    order by 1"""

_AROUND = f"""with {OURS}
    select 'the event trigger ' || evtname as what from pg_event_trigger where evtowner <> 10
    union select 'the schema ' || nspname from pg_namespace join pg_roles on pg_roles.oid = nspowner
      where nspname <> all($2) and nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')
        and nspowner not in (select oid from ours) and not rolsuper and rolname <> all($3)
    union select 'the right of ' || coalesce(rolname, 'everybody') || ' to make schemas'
      from pg_database, aclexplode(datacl) as acl left join pg_roles on pg_roles.oid = acl.grantee
      where datname = current_database() and acl.privilege_type = 'CREATE'
        and acl.grantee not in (select oid from ours) and coalesce(rolname <> all($3), true)
    union select 'the setting ' || split_part(setting, '=', 1) || ' of ' || coalesce(rolname, 'every connection')
      from pg_db_role_setting as kept left join pg_roles on pg_roles.oid = setrole
      cross join unnest(setconfig) as setting
      where (setrole = 0 or rolname = any($1))
        and setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and split_part(setting, '=', 1) = any($4)
    union select 'the setting ' || name || ' of the database'
      from pg_db_role_setting cross join unnest(setconfig) as kept
        join pg_settings on name = split_part(kept, '=', 1)
      where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())
        and context = 'user' and name <> all($4)  -- what a superuser alone may set is his who runs the server
    union select 'the limit of connections of the database' from pg_database
      where datname = current_database() and datconnlimit <> -1
    union select unnest(array_remove(array[
        case when not datallowconn then 'the way in' end, case when datistemplate then 'the right of who copies it' end
      ], null)) from pg_database where datname = current_database()
    union select 'the way in of ' || rolname from pg_roles
      where rolname = any($1) and rolname <> all($3) and rolcanlogin
        and (not has_database_privilege(oid, current_database(), 'connect')
          or rolconnlimit = 0 or rolvaliduntil <= now())
    union select 'the way in of everybody' from pg_database, aclexplode(datacl) as acl
      where datname = current_database() and acl.privilege_type = 'CONNECT' and acl.grantee = 0
    -- One whose rows do not hold what a table is told apart by lets nobody change that table any more.
    union select 'the publication ' || pubname from pg_publication join pg_roles on pg_roles.oid = pubowner
      where rolname <> all($3)
    union select 'the subscription ' || subname from pg_subscription join pg_roles on pg_roles.oid = subowner
      where rolname <> all($3) and subdbid = (select oid from pg_database where datname = current_database())
    union select 'the login ' || rolname || ', which replicates' from pg_roles
      where rolcanlogin and rolreplication and oid <> 10 and rolname <> all($1) and rolname <> all($3)
    order by 1"""

_ATTRIBUTES = """select rolname as login, array_remove(array[
      case when rolsuper then 'superuser' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end, case when rolcreaterole and rolname <> $2 then 'createrole' end,
      case when rolcreatedb and rolname <> $2 then 'createdb' end,
      case when rolcanlogin and rolname <> all($1) then 'login' end], null) as has
    from pg_roles where (rolname = any($1) or rolname like 'croupier\\_%' and rolname <> all($3)) and oid <> 10
    order by 1"""


async def roads(
    connection: Connection, further: Collection[str] = (), shape: Sequence[str] | None = None
) -> list[Finding]:
    """One finding for each; in a transaction. `further`: logins that may have more than the house gives its own.
    `shape`: what `misshapen` found before; None: it is asked now."""
    ours, found = [*HOUSE, OWNER], list[tuple[str, str]]()
    places = [row["nspname"] for row in await connection.fetch(_PLACES, SCHEMAS)]
    for row in await connection.fetch(_EVERYBODY, places):
        found.append((row["what"], "everybody who may connect to the database has rights in {}"))
    for row in await connection.fetch(_ELSEWHERE, ours, places):
        found.append(
            (row["what"], "{} of the database is a role's of the house, which has made none outside its schemas")
        )
    within = [row["what"] for row in await connection.fetch(_WITHIN, places)]
    listed = await connection.fetch(FUNCTIONS_THERE, places)
    # One that is dropped while they are listed has no name any more, and is missed below if it was the house's.
    functions = {row["what"]: row["digest"] for row in listed if row["what"] is not None}
    within += [what for what, digest in functions.items() if FUNCTIONS.get(_REBUILT.sub("", what)) != digest]
    there = {what.partition(".")[0] for what in functions}
    within += [what for what in FUNCTIONS if what not in functions and what.partition(".")[0] in there]
    within += [row["what"] for row in await connection.fetch(_AROUND, ours, places, list(further), SETTINGS)]
    for what in await misshapen(connection, further) if shape is None else shape:
        of = what.partition(" in the function ")[2]
        if not of or f"the function {of}" in FUNCTIONS:  # another one is told itself
            within.append(what)
    said = "{} of the database is not as this build of the house makes it"
    found += [(what, said) for what in dict.fromkeys(within)]
    theirs = [each for each in ours if each not in further]
    for row in await connection.fetch(_ATTRIBUTES, theirs, OWNER, list(further)):
        if row["has"]:
            has = f"{row['login']} of the database has {', '.join(row['has'])}"
            found.append((f"{row['login']}/attributes", f"the login {has}, which the house has not given it"))
    return [Finding(Kind.DATABASE_STRANGERS, what, told.format(what)) for what, told in found]
