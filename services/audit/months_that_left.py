"""Months of tables that are gone, and sums that stand for them, against what the archivist has put down.

Whoever owns the database drops a month's part and makes an empty one in its place, and has the sums of its transfers
among those of the archive (`carried`), so that the books add up all the same. Which part is which, what `carried` adds
up to and what was put down is remembered from look to look, in this process alone: who owns the database writes all
that lies there. Behind a start it is known only that nothing may be carried where no transfers have left.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from libs.projecting import Connection
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from libs.projecting.row_marks import Marks
from services.audit.archived_months import COLUMNS, is_young, why_not_piece
from services.audit.verifying.findings import Finding, Kind

_SHARE = 100
"""A look at all of `carried` comes after so many times what the last one took."""
_NAMED = 12
_PARTS = """select parent.relname as of, part.relname as name, part.oid::bigint as oid
      from pg_inherits join pg_class as parent on parent.oid = inhparent join pg_class as part on part.oid = inhrelid
     where parent.relnamespace = $1::text::regnamespace and parent.relkind = 'p' and part.relkind in ('r', 'p', 'f')"""
# Locks what it looks at until the transaction ends: no part twice that has rows, and none that is young.
_FILLED = "select part from unnest($1::bigint[]) as part where pg_relation_size(part::oid) > 0"
_CARRIED = """select count(*)::text || ' ' || coalesce(sum(hashtextextended(
           concat_ws(E'\\x1f', book, account, currency, moved), 0)::numeric), 0)::text from {}.carried"""
_TRANSFERS = "transfers"
Piece = tuple[str, str, int]
"""Table, month, number."""


class Part(NamedTuple):
    """A month's part of a table, by what the server calls it as long as it is there."""

    oid: int
    has_rows: bool
    """Or had once: its file takes room. Not asked of a month that is young."""


Parts = dict[tuple[str, str], Part]
"""By table and month (`2026-11`)."""


class MonthsThatLeft:
    """`schemas`: of which what is put down is looked at; `ledger`: the one that carries sums. `now`: seconds since the
    epoch."""

    def __init__(self, schemas: Sequence[str], ledger: str, now: Callable[[], float] = time.time) -> None:
        self._schemas, self._ledger, self._now = schemas, ledger, now
        self._parts: dict[str, Parts] = {}
        self._pieces: dict[str, set[Piece]] = {}
        self._filled = set[int]()
        self._true: dict[tuple[object, ...], bool] = {}
        """What was put down to whether its mark is true."""
        self._carried: tuple[str, set[Piece]] | None = None
        self._again = 0.0
        self._found: dict[Finding, None] = {}

    async def look(self, connection: Connection, marks: Marks) -> list[Finding]:
        """What has ever been found since the start; in a transaction that sees one moment."""
        for schema in self._schemas:
            if await is_there(connection, f'"{checked(schema)}".archived'):
                await self._of(connection, marks, schema)
        return list(self._found)

    async def _of(self, connection: Connection, marks: Marks, schema: str) -> None:
        pieces = await self._put_down(connection, marks, schema)
        now = await self._there(connection, schema)
        before = self._parts.get(schema)
        if before is not None:
            fresh = pieces - self._pieces[schema]
            self._tell(gone(schema, before, now, fresh, self._now() * 1000))
        if schema == self._ledger and await is_there(connection, f'"{schema}".carried'):
            await self._sums(connection, schema, {each for each in pieces if each[0] == _TRANSFERS})
        self._parts[schema], self._pieces[schema] = now, pieces

    async def _there(self, connection: Connection, schema: str) -> Parts:
        there = {
            (row["of"], row["name"].removeprefix(f"{row['of']}_").replace("_", "-")): row["oid"]
            for row in await connection.fetch(_PARTS, f'"{schema}"')
        }
        now_ms = self._now() * 1000
        ask = [oid for (_, month), oid in there.items() if oid not in self._filled and not is_young(month, now_ms)]
        self._filled |= {row["part"] for row in await connection.fetch(_FILLED, ask)}
        return {key: Part(oid, oid in self._filled) for key, oid in there.items()}

    async def _put_down(self, connection: Connection, marks: Marks, schema: str) -> set[Piece]:
        """What the archivist has."""
        found = set()
        for row in await connection.fetch(f'select {", ".join(COLUMNS)} from "{schema}".archived'):
            if (said := (schema, *row.values())) not in self._true:
                self._true[said] = why_not_piece(marks, schema, row) is None
            if self._true[said]:
                found.add((row["table_name"], row["month"], row["piece"]))
        return found

    async def _sums(self, connection: Connection, schema: str, pieces: set[Piece]) -> None:
        if not pieces and await connection.fetchval(f'select exists(select from "{schema}".carried)'):
            self._tell([_of_sums(schema, "there are sums of transfers in an archive, and none have left for one")])
        if (started := time.monotonic()) < self._again:
            return
        summed = await connection.fetchval(_CARRIED.format(f'"{schema}"'))
        if self._carried is not None and summed != self._carried[0] and not pieces - self._carried[1]:
            detail = "sums of transfers in an archive are others than before, and none have left for one"
            self._tell([_of_sums(schema, detail)])
        self._carried = summed, pieces
        self._again = started + _SHARE * (time.monotonic() - started)

    def _tell(self, found: Iterable[Finding]) -> None:
        self._found.update(dict.fromkeys(found))


def gone(schema: str, before: Parts, now: Parts, fresh: set[Piece], now_ms: float) -> list[Finding]:
    """Parts that went, or in whose place another one is, though no piece of them was put down between two looks; one
    finding for a table. A month that had no rows leaves the database without any, once it is old enough."""
    left = {(table, month) for table, month, _ in fresh}
    lost: dict[str, list[str]] = {}
    for (table, month), part in sorted(before.items()):
        there = now.get((table, month))
        if there is not None and there.oid == part.oid:
            continue
        may_go = not part.has_rows or (table, month) in left
        if not may_go or is_young(month, now_ms):
            lost.setdefault(table, []).append(month)
    return [
        Finding(
            Kind.NOT_ARCHIVED,
            f"{schema}.{table}",
            f"{_named(months)} left the database, and nobody has archived it: its part is gone, or another one",
        )
        for table, months in lost.items()
    ]


def _named(months: Sequence[str]) -> str:
    more = f" and {len(months) - _NAMED} more" if len(months) > _NAMED else ""
    return ", ".join(months[:_NAMED]) + more


def _of_sums(schema: str, detail: str) -> Finding:
    return Finding(Kind.NOT_ARCHIVED, f"{schema}.carried", detail)
