"""Settings that a login of the database has kept for its own sessions: they outlive session, start and password.

Any login may set them for itself, and the house sets none: what it needs it says as it connects, and that goes before.
"""

from libs.projecting import Connection
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
