"""A service's pool: under a login that owns nothing, on a schema that somebody else has brought up to date."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg

from libs.projecting.migrator import missing, open_pool

_MEND = "run `croupier migrate` under the owner's login"


class DatabaseRefused(Exception):
    """The database does not let this service work. One line, fit to be shown; holds no password."""


async def open_current(
    database_url: str, schema: str, *directories: Path, role: str, max_size: int
) -> "asyncpg.Pool[asyncpg.Record]":
    """As `open_pool`; raises `DatabaseRefused` for a login or role that is refused and a schema that is behind."""
    with _told(database_url, schema, role):
        pool = await open_pool(database_url, schema, role=role, max_size=max_size)
        try:
            lacking = await missing(pool, schema, *directories)
        except BaseException:
            await pool.close()
            raise
    if lacking:
        await pool.close()
        raise DatabaseRefused(f"schema {schema} lacks {lacking[0]}: {_MEND}")
    return pool


@contextmanager
def _told(database_url: str, schema: str, role: str) -> Iterator[None]:
    user = urlsplit(database_url).username
    try:
        yield
    except asyncpg.InvalidAuthorizationSpecificationError as wrong:
        raise DatabaseRefused(f"the database refuses the login {user}{_open_file(database_url)}") from wrong
    except asyncpg.UndefinedTableError as wrong:
        raise DatabaseRefused(f"there is no schema {schema} for {role}: {_MEND}") from wrong
    except (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError) as wrong:
        raise DatabaseRefused(f"the login {user} may not act as {role}: {_MEND}") from wrong


def _open_file(database_url: str) -> str:
    """A password file that others can read is passed over in silence; that is worth a word."""
    file = Path(parse_qs(urlsplit(database_url).query).get("passfile", [""])[0])
    if not file.is_file():
        return ""
    others = file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return f": {file.name} can be read by others, so it does not count" if others else ""
