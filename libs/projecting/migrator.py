"""Plain SQL files, applied once and in order."""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg

from libs.broker.lines import end_with_peer
from libs.projecting.connecting import SEES_ALL, connect

OWN_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x63726F7570696572  # "croupier": only one process of a database migrates at a time
_WAIT_S = 0.1
_HELD_UP = """select a.usename as login, a.pid from pg_locks l join pg_stat_activity a using (pid)
 where l.locktype = 'advisory' and l.granted and l.objsubid = 1
   and (l.classid::bigint << 32) + l.objid::bigint = $1
   and l.database = (select oid from pg_database where datname = current_database())
   and not pg_has_role(a.usesysid, current_user, 'member')"""
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_CONNECT_S = 10.0
"""With the login. The address is looked up anew each time."""
IDLE_S = 10
"""So long a transaction may stand still: others wait for what it holds. Who froze in it has lost it and begins anew."""
LOCK_S = 5
"""So long a statement waits for a lock: somebody may hold it for ever, and who waits unseen looks like one who is idle.
Our own hold none for so long, but an archive the months that it takes out, and a migration what it changes."""


class MigrationChanged(RuntimeError):
    """A file that was applied has other content now. History is added to, never edited."""


class MigrationHeldUp(RuntimeError):
    """Another login than the owner's holds the lock of migrations: nobody waits for what may never end."""


async def migrate(database_url: str, schema: str, *directories: Path, at_once: bool = False) -> list[str]:
    """Brings `schema` up to date; returns what was applied just now, as `directory/file`. `at_once`: all of it or none,
    so that nobody sees a schema that is half made; else file by file.

    The tables of libs/projecting come first, then the `NNN_*.sql` files of each directory in order of name. Files name
    no schema: `search_path` does, so that the same files build a second schema beside the live one.
    Raises `MigrationChanged`, `MigrationHeldUp`, and what the database says.
    """
    connection = await connect(database_url)
    try:
        await _alone(connection)
        async with connection.transaction() if at_once else nullcontext():
            return await _migrate(connection, checked(schema), (OWN_MIGRATIONS, *directories))
    finally:
        await connection.close()


async def missing(pool: "asyncpg.Pool[asyncpg.Record]", schema: str, *directories: Path) -> list[str]:
    """Files that were not applied yet, as `directory/file`; asks under any login that may read `migrations`.

    Raises `MigrationChanged` as `migrate` does. What was applied beyond these files is of a later version: no matter.
    """
    done = {row["name"]: row["checksum"] for row in await pool.fetch("select name, checksum from migrations")}
    lacking = []
    for name, _, checksum in _files((OWN_MIGRATIONS, *directories)):
        if name not in done:
            lacking.append(name)
        elif done[name] != checksum:
            raise MigrationChanged(f"{name} was changed after it had been applied to schema {schema}")
    return lacking


async def drop_schema(database_url: str, schema: str) -> None:
    connection = await connect(database_url)
    try:
        await connection.execute(f'drop schema if exists "{checked(schema)}" cascade')
    finally:
        await connection.close()


_NOT_THE_LOGINS = {
    "default_transaction_read_only": "off",
    "default_transaction_deferrable": "off",
    "default_transaction_isolation": "read committed",
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "idle_session_timeout": "0",
    "timezone": "UTC",
}
"""What a connection says of itself goes before what its login has kept (`alter role … set`): with one such statement a
login ended every later start of its service. What else may be kept makes it slower, and the auditor tells all of it."""


async def open_pool(
    database_url: str, schema: str, *, role: str | None = None, max_size: int = 4, **settings: Any
) -> "asyncpg.Pool[asyncpg.Record]":
    """A pool whose connections see `schema` and act as `role` (also after a reset). Whole `numeric`s are ints there."""
    session = {"search_path": checked(schema), "application_name": f"croupier-{schema}", "jit": "off"}
    session |= _NOT_THE_LOGINS | SEES_ALL
    session |= {"idle_in_transaction_session_timeout": f"{IDLE_S}s", "lock_timeout": f"{LOCK_S}s"}
    if role is not None:
        session["role"] = role
    pool = await asyncpg.create_pool(
        database_url,
        min_size=1,
        max_size=max_size,
        server_settings=session,
        init=_prepare,
        **{"timeout": _CONNECT_S, **settings},
    )
    assert pool is not None
    return pool


async def _prepare(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Sums of money are `numeric`, for they have no bound, and ints here; what has a fraction stays a Decimal.

    No statement has a bound of its own but for locks, for some may take long: whoever waits for a server that is gone
    without a word is told by the end of the connection.
    """
    end_with_peer(connection._transport.get_extra_info("socket"))  # type: ignore[attr-defined]  # asyncpg has no hook
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_number)


def _number(text: str) -> int | Decimal:
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def checked(schema: str) -> str:
    """The name, if it is a plain lower-case identifier; ValueError else."""
    if not _SCHEMA.fullmatch(schema):
        raise ValueError(f"not a schema name: {schema!r}")
    return schema


async def _alone(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Waits for others who migrate. The lock is any login's to take, for there is no table yet that only the owner
    locks; so who has it, and may not migrate, is told of by name."""
    while not await connection.fetchval("select pg_try_advisory_lock($1)", _LOCK):
        if (holder := await connection.fetchrow(_HELD_UP, _LOCK)) is not None:
            raise MigrationHeldUp(
                f"the login {holder['login']} holds up every migration of this database; "
                f"as the server's superuser: select pg_terminate_backend({holder['pid']})"
            )
        await asyncio.sleep(_WAIT_S)


async def _migrate(
    connection: "asyncpg.Connection[asyncpg.Record]", schema: str, directories: tuple[Path, ...]
) -> list[str]:
    await connection.execute(f'create schema if not exists "{schema}"')
    # What functions keep of it (`set search_path from current`) names what is temporary, and that last.
    await connection.execute(f'set search_path to "{schema}", pg_temp')
    await connection.execute(
        "create table if not exists migrations ("
        " name text primary key, checksum text not null, applied_at timestamptz not null default now())"
    )
    done = {row["name"]: row["checksum"] for row in await connection.fetch("select name, checksum from migrations")}
    applied = []
    for name, text, checksum in _files(directories):
        if name not in done:
            async with connection.transaction():
                await connection.execute(text)
                await connection.execute("insert into migrations (name, checksum) values ($1, $2)", name, checksum)
            applied.append(name)
        elif done[name] != checksum:
            raise MigrationChanged(f"{name} was changed after it had been applied to schema {schema}")
    return applied


def _files(directories: tuple[Path, ...]) -> Iterator[tuple[str, str, str]]:
    """Name, text and checksum of each, in order."""
    for directory in directories:
        for file in sorted(directory.glob("[0-9][0-9][0-9]_*.sql")):
            text = file.read_text()
            yield f"{directory.parent.name}/{file.name}", text, hashlib.sha256(text.encode()).hexdigest()
