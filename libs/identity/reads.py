"""The trail of who looked at cards or persons: kept in the schema of the service that shows them, before it answers."""

from hashlib import sha256
from typing import Any, NamedTuple

import asyncpg
import msgspec
from pydantic import BaseModel

from libs.contracts.topics import topic
from libs.edge.paging import Place as Cursor
from libs.edge.problems import Problem
from libs.identity.purpose import Read
from libs.journal.mark_keys import HISTORIES
from libs.journal.marks import RETIRED, Place
from libs.projecting import Connection, Pool
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from libs.projecting.row_marks import Marks, row_mark, why_not_row_mark
from libs.projecting.turns import take_turn

_COLUMNS = "at, principal, roles, scopes, purpose, what, target, address"
_KEPT = ("id", *_COLUMNS.split(", "))
MARKED = f"id, {_COLUMNS}, before, digest"
_INSERT = f"insert into reads ({_COLUMNS}, before, digest) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"

_PAGE = 500
"""Rows in one turn of the loop, some milliseconds."""
MOST_TOLD = 20
_FORMERLY_S = 0.2


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
    def place(self) -> Cursor:
        return Cursor(self.at, self.service, self.id)


class Trail(NamedTuple):
    """Whose trail it is: the schema that it stands in, and for which place its rows are marked."""

    schema: str
    place: Place


def of_wallet(schema: str) -> Trail:
    return Trail(schema, (topic("wallet", "events").name, -1))


def of_audit(schema: str) -> Trail:
    return Trail(schema, (HISTORIES, -1))


class Reads:
    """The trail of a service, whose marks these are; `others` are shown, too."""

    def __init__(self, pool: Pool, marks: Marks, own: Trail, *others: Trail) -> None:
        self._pool = pool
        self._marks = marks
        self._own = own
        self._others = others

    async def record(self, read: Read) -> None:
        """`Problem` 503 when it can't be kept: what is not on record is not shown."""
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                await take_turn(connection, "reads", _FORMERLY_S)
                before = await self._last_true(connection)
                values = (getattr(read, name) for name in _COLUMNS.split(", "))
                mark = row_mark(self._marks, self._own.place, b"read", _covered(before, read))
                await connection.execute(_INSERT, *values, before, mark)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            raise Problem(
                503, "record-unavailable", "This can't be put on record right now.", headers={"retry-after": "1"}
            ) from None

    async def _last_true(self, connection: Connection) -> bytes:
        """Digest of the last row that is the service's own: what somebody else has put behind it breaks no chain."""
        async for row in connection.cursor(f"select {MARKED} from reads order by id desc", prefetch=5):
            if why_not_read(self._marks, self._own, row) is None:
                digest: bytes = row["digest"]
                return digest
        return b""

    async def kept(self, before: Cursor, limit: int) -> tuple[list[KeptRead], Cursor | None]:
        """Of the next `limit` below a place those that the services have written, newest first, those of one
        millisecond by service and number; and behind which the next ones are, None: there are no more."""
        async with self._pool.acquire() as connection:
            found = [
                (trail, KeptRead(service=trail.schema, **{name: row[name] for name in _KEPT}), row)
                for trail in (self._own, *self._others)
                for row in await _rows(connection, trail.schema, _below(before, trail.schema, limit), MARKED)
            ]
        page = sorted(found, key=lambda each: each[1].place, reverse=True)[:limit]
        true = [read for trail, read, row in page if why_not_read(self._marks, trail, row) is None]
        return true, page[-1][1].place if len(page) == limit else None


def _below(before: Cursor, schema: str, limit: int) -> str:
    """Which rows of one schema: of the place's own millisecond all, none or those of lower number."""
    if schema == before.name:
        which = f"at <= {before.at:d} and (at, id) < ({before.at:d}, '{before.number:d}')"
    else:
        which = f"at {'<=' if schema < before.name else '<'} {before.at:d}"
    return f"where {which} order by at desc, id desc limit {limit:d}"


def why_not_read(marks: Marks, trail: Trail, row: Any) -> str | None:
    """Which row it is and why the service has not written it, in a few words; None: it has, or it is of before the
    marks."""
    if row["before"] is None:
        return None
    covered = _covered(row["before"], Read(**{name: row[name] for name in _COLUMNS.split(", ")}))
    why = why_not_row_mark(marks, trail.place, b"read", covered, row["digest"])
    if why is None or why == RETIRED:
        return None
    return f"row {row['id']} of {trail.schema}.reads is not of the service that keeps it: {why}"


class Reached(NamedTuple):
    """Up to which row a trail was walked: the chain goes on from it."""

    row: int | None = None
    """None: nothing was walked."""
    link: int = 0
    """The last row that is the service's own, where there is any: the one of this digest."""
    digest: bytes = b""


class Walked(NamedTuple):
    breaks: list[str]
    reached: Reached
    more: bool


async def walk(connection: Connection, trail: Trail, marks: Marks, reached: Reached) -> Walked:
    """Goes on with a trail by a page, and tells where it breaks there: a row was changed, taken out or put in."""
    behind = "" if reached.row is None else f"where id > '{reached.row:d}'"
    rows = await _rows(connection, trail.schema, f"{behind} order by id limit {_PAGE:d}", MARKED)
    last, link, digest = reached
    found = list[str]()
    for row in rows:
        last = row["id"]
        if (why := why_not_read(marks, trail, row)) is not None:
            found.append(why)
            continue
        before = row["before"]
        if before is None:
            read = Read(**{name: row[name] for name in _COLUMNS.split(", ")})
            before = digest if row["digest"] == digest_of_before_the_marks(digest, read) else None
        if before != digest:
            found.append(f"row {last} of {trail.schema}.reads does not follow from those before it")
        link, digest = row["id"], row["digest"]
    return Walked(found, Reached(last, link, digest), len(rows) == _PAGE)


async def why_not_reached(connection: Connection, trail: Trail, reached: Reached) -> str | None:
    """Why a trail has not got any more what it was walked up to, in a few words: its end was taken away. None: it
    has, or nothing was walked."""
    if not reached.digest or not await is_there(connection, name := f'"{checked(trail.schema)}".reads'):
        return None
    if await connection.fetchval(f"select digest from {name} where id = $1", reached.link) == reached.digest:
        return None
    return f"row {reached.link} of {trail.schema}.reads, up to which it was walked, is there no more as it was"


async def walk_on(connection: Connection, trail: Trail, marks: Marks, reached: Reached) -> Walked:
    """Goes on with a trail to its end, and tells where it breaks, at the first `MOST_TOLD` rows.

    Page by page, for nobody may make the trail shorter: what it takes of memory does not go by how long it is.
    """
    found, walked = list[str](), Walked([], reached, True)
    while walked.more and len(found) < MOST_TOLD:
        walked = await walk(connection, trail, marks, walked.reached)
        found += walked.breaks
    return walked._replace(breaks=found[:MOST_TOLD])


async def breaks(connection: Connection, trail: Trail, marks: Marks) -> list[str]:
    """Where all of a trail breaks, at the first `MOST_TOLD` rows."""
    return (await walk_on(connection, trail, marks, Reached())).breaks


def digest_of_before_the_marks(before: bytes, read: Read) -> bytes:
    return sha256(before + msgspec.json.encode(read)).digest()


def _covered(before: bytes, read: Read) -> bytes:
    return msgspec.msgpack.encode((before, msgspec.json.encode(read)))


async def _rows(connection: Connection, schema: str, which: str, columns: str) -> list[dict[str, Any]]:
    """None where the schema has no trail: its service has never run here."""
    name = f'"{checked(schema)}".reads'
    if not await is_there(connection, name):
        return []
    return [dict(row) for row in await connection.fetch(f"select {columns} from {name} {which}")]
