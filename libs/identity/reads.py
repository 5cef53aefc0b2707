"""The trail of who looked at cards or persons: kept in the schema of the service that shows them, before it answers."""

from hashlib import sha256
from typing import Any

import asyncpg
import msgspec
from pydantic import BaseModel

from libs.edge.paging import Place
from libs.edge.problems import Problem
from libs.identity.guard import Read
from libs.projecting import Connection, Pool
from libs.projecting.migrator import checked

_COLUMNS = "at, principal, roles, scopes, purpose, what, target, address"
_INSERT = f"insert into reads ({_COLUMNS}, digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)"

_PAGE = 500
"""Rows in one turn of the loop, some milliseconds."""


class KeptRead(BaseModel):
    """A row. `at` in milliseconds; `service` is whose trail it stands in, `id` its number there."""

    service: str
    id: int
    at: int
    principal: str
    roles: list[str]
    scopes: list[str]
    purpose: str
    what: str
    target: str
    address: str

    @property
    def place(self) -> Place:
        return Place(self.at, self.service, self.id)


class Reads:
    """Of the schema that `pool` sees; `others` are schemas of other services, whose trails are shown, too."""

    def __init__(self, pool: Pool, *others: str) -> None:
        self._pool = pool
        self._others = others

    async def record(self, read: Read) -> None:
        """`Problem` 503 when it can't be kept: what is not on record is not shown."""
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute("select pg_advisory_xact_lock(hashtext(current_schema() || ' reads'))")
                before = await connection.fetchval("select digest from reads order by id desc limit 1")
                values = (getattr(read, name) for name in _COLUMNS.split(", "))
                await connection.execute(_INSERT, *values, digest_after(before or b"", read))
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            raise Problem(
                503, "record-unavailable", "This can't be put on record right now.", headers={"retry-after": "1"}
            ) from None

    async def kept(self, before: Place, limit: int) -> list[KeptRead]:
        """Those below a place, newest first; those of one millisecond by service and number."""
        async with self._pool.acquire() as connection:
            own = await connection.fetchval("select current_schema()")
            found = [
                KeptRead(service=schema, **row)
                for schema in (own, *self._others)
                for row in await _rows(connection, schema, _below(before, schema, limit), f"id, {_COLUMNS}")
            ]
        return sorted(found, key=lambda read: read.place, reverse=True)[:limit]


def _below(before: Place, schema: str, limit: int) -> str:
    """Which rows of one schema: of the place's own millisecond all, none or those of lower number."""
    least = before.number if schema == before.name else 2**62 if schema < before.name else 0
    return (
        f"where at <= {before.at:d} and (at, id) < ({before.at:d}, {least:d}) order by at desc, id desc limit {limit:d}"
    )


async def why_not_whole(connection: Connection, schema: str) -> str | None:
    """Where the chain of a schema's trail breaks: a row was changed, taken out or put in. None: it is whole.

    Page by page, for nobody may make the trail shorter: what it takes of memory does not go by how long it is.
    """
    digest, number, last = b"", 0, -(2**63)
    while True:
        which = f"where id > ({last:d}) order by id limit {_PAGE:d}"
        rows = await _rows(connection, schema, which, f"id, {_COLUMNS}, digest")
        for row in rows:
            number, last, kept = number + 1, row.pop("id"), row.pop("digest")
            digest = digest_after(digest, Read(**row))
            if digest != kept:
                return f"row {number} of {schema}.reads does not follow from those before it"
        if len(rows) < _PAGE:
            return None


def digest_after(before: bytes, read: Read) -> bytes:
    return sha256(before + msgspec.json.encode(read)).digest()


async def _rows(connection: Connection, schema: str, which: str, columns: str = _COLUMNS) -> list[dict[str, Any]]:
    """None where the schema has no trail: its service has never run here."""
    name = f'"{checked(schema)}".reads'
    if not await connection.fetchval("select to_regclass($1) is not null", name):
        return []
    return [dict(row) for row in await connection.fetch(f"select {columns} from {name} {which}")]
