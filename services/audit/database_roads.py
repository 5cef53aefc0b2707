"""Roads into the house's data that no login's rights show: what everybody may do, what acts with the owner's rights,
what runs inside the house's own transactions, and what a login of the house may do to the server.

They outlive every change of a password, so whoever had the owner's once leaves none untold. Functions are known by the
names that migrations give them: one of theirs whose body was replaced is not seen here.
"""

from collections.abc import Collection, Sequence

from libs.projecting import Connection
from services.audit.database_logins import HOUSE, OURS, OWNER
from services.audit.verifying.findings import Finding, Kind

FUNCTIONS = frozenset({
    "add_part", "begin_parts", "begins", "drop_part", "group_of", "has_parts", "hold_to_count", "keep_last_words",
    "keep_when_over", "make_month", "month_of", "note_change", "note_writing", "part_that_writes", "put_down",
    "reads_are_final", "refuse_forgetting", "refuse_going_back", "refuse_older_head", "refuse_taking_back",
    "refuse_unmarked", "restrictions_are_final", "sum_up_changed_balances", "sum_up_new_balances", "sum_up_transfers",
    "take_out", "the_books_balance", "transfers_are_final",
})  # fmt: skip
"""Of the house's schemas, as migrations make them."""

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

_WITHIN = """select 'the function ' || nspname || '.' || proname as what
      from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
      where nspname = any($1) and proname <> all($2)
    union select 'the trigger ' || tgname || ' of ' || of.nspname || '.' || relname
      from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace as of on of.oid = relnamespace
      join pg_proc on pg_proc.oid = tgfoid join pg_namespace as place on place.oid = pronamespace
      where of.nspname = any($1) and not tgisinternal and place.nspname <> all($1)
    union select 'the rule ' || rulename || ' of ' || nspname || '.' || relname
      from pg_rewrite join pg_class on pg_class.oid = ev_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = any($1) and rulename <> '_RETURN'
    order by 1"""

_ATTRIBUTES = """select rolname as login, array_remove(array[
      case when rolsuper then 'superuser' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end, case when rolcreaterole and rolname <> $2 then 'createrole' end,
      case when rolcreatedb and rolname <> $2 then 'createdb' end], null) as has
    from pg_roles where rolname = any($1) and oid <> 10 order by 1"""


async def roads(connection: Connection, schemas: Sequence[str], further: Collection[str] = ()) -> list[Finding]:
    """One finding for each. `further`: logins that may have more than the house gives its own."""
    ours, places, found = [*HOUSE, OWNER], list(schemas), list[tuple[str, str]]()
    for row in await connection.fetch(_EVERYBODY, places):
        found.append((row["what"], "everybody who may connect to the database has rights in {}"))
    for row in await connection.fetch(_ELSEWHERE, ours, places):
        found.append(
            (row["what"], "{} of the database is a role's of the house, which has made none outside its schemas")
        )
    for row in await connection.fetch(_WITHIN, places, sorted(FUNCTIONS)):
        found.append((row["what"], "{} of the database is not the house's"))
    for row in await connection.fetch(_ATTRIBUTES, [each for each in ours if each not in further], OWNER):
        if row["has"]:
            has = f"{row['login']} of the database has {', '.join(row['has'])}"
            found.append((f"{row['login']}/attributes", f"the login {has}, which the house has not given it"))
    return [Finding(Kind.DATABASE_STRANGERS, what, told.format(what)) for what, told in found]
