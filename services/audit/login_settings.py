"""Settings that a login of the database has kept for its own sessions: they outlive session, start and password.

Any login may set them for itself, and the house sets none: what it needs it says as it connects, and that goes before.
And what a superuser has to keep for each, so that none fills the server's disk (`libs/stack/database_bounds.py`).
"""

from collections.abc import Collection

from libs.projecting import Connection
from services.audit.database_logins import HOUSE, OWNER
from services.audit.verifying.findings import Finding, Kind

_KEPT = """select login.rolname as login, split_part(setting, '=', 1) as name
    from pg_db_role_setting as kept join pg_roles as login on login.oid = kept.setrole
    cross join unnest(kept.setconfig) as setting
    where login.rolcanlogin
      and kept.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and exists (
        select from pg_auth_members join pg_roles as groups on groups.oid = roleid
        where member = kept.setrole and groups.rolname like 'croupier\\_%')
    order by 1, 2"""
_ANYBODYS = "select name from pg_settings where name = any($1) and context = 'user'"


async def kept_settings(connection: Connection) -> list[Finding]:
    """One finding for a login. What the owner or a superuser alone may set, as a bound of temporary files, is none."""
    kept = await connection.fetch(_KEPT)
    if not kept:
        return []
    by_itself = {row["name"] for row in await connection.fetch(_ANYBODYS, [row["name"] for row in kept])}
    names: dict[str, list[str]] = {}
    for row in kept:
        if row["name"] in by_itself:
            names.setdefault(row["login"], []).append(row["name"])
    said = "the login {} of the database has settings of its own: {}"
    return [Finding(Kind.LOGIN_SETTINGS, login, said.format(login, ", ".join(each))) for login, each in names.items()]


QUIET = {"log_min_messages": ("fatal", "panic"), "log_min_error_statement": ("panic",)}
"""What a login's sessions write into the server's log."""
_BOUND = "temp_file_limit"
"""Any is one: a house that sorts more has a larger one."""

_BOUNDS = """select login.rolname as login, bound.name, kept.value, kept.its
    from pg_roles as login cross join unnest($2::text[]) as bound (name)
    left join lateral (
      select substr(setting, length(bound.name) + 2) as value, setrole <> 0 as its
        from pg_db_role_setting cross join unnest(setconfig) as setting
       where setrole in (0, login.oid) and split_part(setting, '=', 1) = bound.name
         and setdatabase in (0, (select oid from pg_database where datname = current_database()))
       order by setrole = 0, setdatabase = 0 limit 1  -- as PostgreSQL does
    ) as kept on true
    where login.rolname = any($1) order by 1, 2"""
_EVERYBODYS = """select lanname as language, string_agg(distinct coalesce(rolname, 'everybody'), ', ') as whose
    from pg_language cross join lateral aclexplode(coalesce(lanacl, acldefault('l', lanowner))) as acl
      left join pg_roles on pg_roles.oid = grantee
    where lanpltrusted and lanname <> 'sql'
      and (grantee = 0 or rolname = any($1) or rolname like 'croupier\\_%' and rolname <> $2)
    group by lanname order by 1"""


async def lifted_bounds(connection: Connection, further: Collection[str] = ()) -> list[Finding]:
    """One finding for a login that may fill the server's disk by temporary files or by its log, and for a language in
    which anybody may run code of his own. None where no login has a bound: only a superuser keeps them, and a managed
    server has none. `further`: logins that may have more than the house gives its own."""
    rows = await connection.fetch(_BOUNDS, [each for each in HOUSE if each not in further], [_BOUND, *QUIET])
    if not any(row["its"] for row in rows):
        return []
    lacking: dict[str, list[str]] = {}
    for row in rows:
        value = row["value"]
        if value in (None, "-1") if row["name"] == _BOUND else value not in QUIET[row["name"]]:
            lacking.setdefault(row["login"], []).append(row["name"])
    said = "the login {} of the database may fill its server's disk: {} is not kept for it as the house has it"
    found = [(f"{login}/bounds", said.format(login, ", ".join(each))) for login, each in lacking.items()]
    for row in await connection.fetch(_EVERYBODYS, list(HOUSE), OWNER):
        who = f"may be used by {row['whose']}, who may fill the disk of the database's server with its log"
        found.append((f"{row['language']}/language", f"the language {row['language']} of the database {who}"))
    return [Finding(Kind.LOGIN_SETTINGS, stream, detail) for stream, detail in found]
