"""`croupier migrate`: brings the schemas of wallet and audit up to date and lets their logins in."""

import asyncio
import os

import asyncpg

from libs.projecting import MigrationHeldUp
from libs.projecting import migrate as apply
from libs.projecting.connecting import connect
from libs.stack import StackError, postgres, running
from services.audit import settings as audit
from services.cli.surroundings import in_one_line
from services.wallet import projections as wallet

BOOKS_READER = "croupier_books_reader"
"""What `services/wallet/migrations/007_readers.sql` calls who reads the books."""
ARCHIVIST = "croupier_archivist"
"""What `libs/projecting/migrations/007_archivist.sql` calls who takes months out."""
_ACTS, _HAS = "inherit false, set true", "inherit true, set false"
MEMBERS = (
    ("wallet", wallet.ROLE, _ACTS),
    ("audit", audit.ROLE, _ACTS),
    (audit.ROLE, BOOKS_READER, _HAS),
    (postgres.ARCHIVIST, ARCHIVIST, _HAS),
)
"""Who may act as whom. A service's login inherits nothing: it has its rights only while it acts as the service."""
_TRIES = 20


def migrate() -> None:
    """Bring the schemas up to date under the owner's login (`DATABASE_URL`); services only look whether they are."""
    url = os.environ.get("DATABASE_URL") or _local()
    with in_one_line():
        try:
            applied = asyncio.run(migrated(url))
        except MigrationHeldUp as wrong:
            raise StackError(str(wrong)) from None
        print("\n".join(applied) or "nothing to do")
        asyncio.run(_check_archivist(url))


def _local() -> str:
    stack = running()
    if stack is None:
        raise StackError("no database answers here: `croupier up` starts one, or set DATABASE_URL")
    return stack.database_url


async def migrated(database_url: str) -> list[str]:
    """Comes as the owner of the database; returns what was applied just now. Twice is once."""
    schema = os.environ.get("CROUPIER_DATABASE_SCHEMA", wallet.SCHEMA)
    applied = await apply(database_url, schema, wallet.MIGRATIONS)
    applied += await apply(database_url, audit.SCHEMA, audit.MIGRATIONS)
    owner = await connect(database_url)
    try:
        await let_in(owner)
    finally:
        await owner.close()
    return applied


async def let_in(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Logins are made by whoever runs the server; one that is not there is passed by."""
    database = await owner.fetchval("select quote_ident(current_database())")
    await _grant(owner, f"revoke all on database {database} from public")
    there = await owner.fetch("select rolname from pg_roles where rolcanlogin and rolname = any($1)", list(LOGINS))
    for row in there:
        await _grant(owner, f'grant connect on database {database} to "{row["rolname"]}"')
    for member, role, how in MEMBERS:
        if member not in LOGINS or any(row["rolname"] == member for row in there):
            await _join(owner, member, role, how)


async def _check_archivist(database_url: str) -> None:
    """Raises StackError if it has the owner's rights, as it had before: the owner can't take itself from anybody."""
    owner = await connect(database_url)
    try:
        name = await owner.fetchval("select current_user")
        found = await owner.fetchval(postgres.HAS_OWNERS_RIGHTS, postgres.ARCHIVIST, name)
    finally:
        await owner.close()
    if found:
        mend = f'revoke "{name}" from "{postgres.ARCHIVIST}"'
        raise StackError(f"the archivist's login has the owner's rights; as the server's superuser: {mend}")


async def _join(owner: "asyncpg.Connection[asyncpg.Record]", member: str, role: str, how: str) -> None:
    joined = await owner.fetchval(
        """select true from pg_auth_members
           where roleid = (select oid from pg_roles where rolname = $1)
             and member = (select oid from pg_roles where rolname = $2)""",
        role,
        member,
    )
    if not joined:
        await _grant(owner, f'grant "{role}" to "{member}" with {how}')


async def _grant(owner: "asyncpg.Connection[asyncpg.Record]", statement: str) -> None:
    """Roles belong to the whole cluster: who migrates another database of it at the same time gets in the way."""
    for _ in range(_TRIES):
        try:
            await owner.execute(statement)
            return
        except (asyncpg.InternalServerError, asyncpg.UniqueViolationError):
            await asyncio.sleep(0.1)
    raise StackError(f"the database does not take: {statement}")


LOGINS = (*postgres.SERVICES, postgres.INSPECTOR, postgres.ARCHIVIST)
