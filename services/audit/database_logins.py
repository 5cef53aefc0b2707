"""Who has the house's rights in the database and is none of the house's: logins, and what the house's own have beside.

Anybody with the owner's rights could make a login that outlives every change of a password. Logins that a managed
server has of its own are none of our roles and are told no more than others; a superuser has rights in everything.
"""

from collections.abc import Collection, Sequence

from libs.projecting import Connection
from services.audit.verifying.findings import Finding, Kind

OWNER = "croupier"
HOUSE = {
    "wallet": ("croupier_wallet",),
    "audit": ("croupier_audit",),
    "inspector": ("pg_read_all_data",),
    "archivist": ("croupier_archivist",),
}
"""Each login's roles: what `croupier migrate` and who makes the logins give it."""

OURS = """ours as (
      select oid from pg_roles where rolname like 'croupier\\_%' or rolname = any($1)
      union select datdba from pg_database where datname = current_database()
      union select nspowner from pg_namespace where nspname = any($2)
      union select (aclexplode(nspacl)).grantee from pg_namespace where nspname = any($2)
      union select relowner from pg_class join pg_namespace as schema on schema.oid = relnamespace
        where schema.nspname = any($2))"""
"""Roles with rights in the house's schemas, and the house's logins."""

_STRANGERS = f"""with recursive {OURS},
    holders as (
      select oid as login, oid as role from ours
      union select member, holders.role from pg_auth_members join holders on roleid = holders.login)
    select login.rolname as login, login.rolsuper as super,
      array_agg(distinct role.rolname::text) filter (where role.oid <> login.oid) as roles
    from pg_roles as login left join holders on holders.login = login.oid
      left join pg_roles as role on role.oid = holders.role
    where login.rolcanlogin and login.oid <> 10  -- who made the server
      and login.rolname <> all($3) and login.rolname <> session_user
      and (holders.role is not null or login.rolsuper)
      and has_database_privilege(login.oid, current_database(), 'connect')
    group by login.rolname, login.rolsuper order by 1"""

_BESIDE = f"""with {OURS}
    select login.rolname as login, role.rolname as role
    from pg_auth_members join pg_roles as login on login.oid = member join pg_roles as role on role.oid = roleid
    where login.rolname = any($3) and (role.oid in (select oid from ours) or role.rolname like 'pg\\_%')
    order by 1, 2"""

_LACKS = """select login.rolname as login, role.rolname as role
    from unnest($1::text[], $2::text[]) as given (login, role)
      join pg_roles as login on login.rolname = given.login join pg_roles as role on role.rolname = given.role
    where login.rolcanlogin and not pg_has_role(login.oid, role.oid, 'member') order by 1, 2"""
"""Of logins and roles that are there: what of `HOUSE` was taken away."""


async def strangers(connection: Connection, schemas: Sequence[str], further: Collection[str] = ()) -> list[Finding]:
    """One finding for a login, or for a role that one of the house's has beside its own or lacks. `further`: logins
    that may."""
    ours = [*HOUSE, OWNER]
    found = []
    for row in await connection.fetch(_STRANGERS, ours, list(schemas), [*ours, *further]):
        has = ["is a superuser"] if row["super"] else []
        has += [f"is in {', '.join(row['roles'])}"] if row["roles"] else []
        why = " and ".join(has) or "has rights in the house's schemas"
        told = f"the login {row['login']} of the database is none of the house's and {why}"
        found.append(Finding(Kind.DATABASE_STRANGERS, row["login"], told))
    for row in await connection.fetch(_BESIDE, ours, list(schemas), [each for each in HOUSE if each not in further]):
        if row["role"] not in HOUSE[row["login"]]:
            told = f"the login {row['login']} of the database is in {row['role']}, which the house has not given it"
            found.append(Finding(Kind.DATABASE_STRANGERS, f"{row['login']}/{row['role']}", told))
    given = [(login, role) for login, roles in HOUSE.items() if login not in further for role in roles]
    for row in await connection.fetch(_LACKS, [each for each, _ in given], [each for _, each in given]):
        told = f"the login {row['login']} of the database is not in {row['role']}, which the house gives it"
        found.append(Finding(Kind.DATABASE_STRANGERS, f"{row['login']}/{row['role']}", told))
    return found
