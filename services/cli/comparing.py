"""What a live read model and the one made anew differ in: each read as of its own moment, side by side.

Rows are compared in the order of their digests, and the database sorts them: nothing is held but what differs.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from libs.projecting import Projection
from libs.projecting.connecting import connect
from libs.projecting.row_marks import Marks
from libs.projecting.writings import Writings
from services.audit import settings as audit
from services.audit.projections.histories import TABLES as HISTORIES
from services.audit.projections.histories import Histories
from services.audit.projections.record_marks import MARK_COLUMNS, writings_of
from services.cli.archive.tables import ends_of, selected
from services.cli.archive.tables import tables as archived_tables
from services.wallet import projections as wallet

SHOWN = 20
"""Differing rows that are told per table and side."""
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Model:
    """One service's read models: where they live, what makes them, and which tables are compared row by row."""

    schema: str
    projector: str
    projections: Callable[[Marks | None], Sequence[Projection]]
    """With the auditor's marks."""
    migrations: Path
    role: str | None
    tables: tuple[str, ...]
    writings: Callable[[Marks], Writings]
    """With the marks of the service."""


MODELS = (
    Model(
        wallet.SCHEMA, wallet.BOOKS, lambda _: wallet.books(), wallet.MIGRATIONS, wallet.ROLE, wallet.COMPARED, Writings
    ),
    Model(
        audit.SCHEMA,
        audit.PROJECTOR,
        lambda marks: [Histories(marks)],
        audit.MIGRATIONS,
        audit.ROLE,
        HISTORIES,
        writings_of,
    ),
)


class Difference(msgspec.Struct):
    """One table. `only_live` and `only_rebuilt` count rows; the samples hold up to `SHOWN` of each."""

    schema: str
    table: str
    live: int = 0
    rebuilt: int = 0
    only_live: int = 0
    only_rebuilt: int = 0
    sample_live: list[Any] = []
    sample_rebuilt: list[Any] = []

    @property
    def rows(self) -> int:
        return self.only_live + self.only_rebuilt


async def compared(model: Model, schema: str, live: Any, database_url: str) -> list[Difference]:
    """Every table both ways, months that are in an archive, and how far the projector came with the digest of all that
    it accepted. `live`: a connection that sees the live rows as they are to be compared; `schema`: of the others."""
    # Not of a pool: one side may have to wait for long while the other sorts.
    fresh = await connect(database_url)
    try:
        async with fresh.transaction(readonly=True):
            out = await Taken.of(live, model.schema)
            found = [
                await _difference(
                    Difference(model.schema, table),
                    (live, out.left_of(model.schema, model.schema, table)),
                    (fresh, out.left_of(model.schema, schema, table)),
                )
                for table in model.tables
            ]
            found += [
                await _month(live, fresh, model, schema, table, month, pieces)
                for (table, month), pieces in sorted(out.months.items())
            ]
            here, there = (_ACCEPTED.format(schema=name, projector=model.projector) for name in (model.schema, schema))
            return [*found, await _difference(Difference(model.schema, "positions"), (live, here), (fresh, there))]
    finally:
        await fresh.close()


_ACCEPTED = """(select topic, partition, accepted, digest from "{schema}".positions
                where projection = '{projector}' and accepted > 0)"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What an archive has of a schema: by table and month its pieces, as count and digest of their rows."""

    months: dict[tuple[str, str], list[tuple[int, str]]]

    @classmethod
    async def of(cls, connection: Any, schema: str) -> "Taken":
        months: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for row in await connection.fetch(f'select table_name, month, rows, sha256 from "{schema}".archived'):
            months.setdefault((row["table_name"], row["month"]), []).append((row["rows"], row["sha256"]))
        return cls({key: pieces for key, pieces in months.items() if key[0] in _KEPT.get(schema, {})})

    def left_of(self, kind: str, schema: str, table: str) -> str:
        """The table without the months that are in the archive; those are compared by themselves."""
        name = f'"{schema}".{table}'
        if table == "accounts" and self.months:  # empty ones of hands and sittings that are over go with the months
            return f"(select * from {name} where balance <> 0 or split_part(account, '/', 1) not in {_RETIRED})"
        months = [month for kept, month in self.months if kept == table]
        if not months:
            return name
        kept = next(each for each in archived_tables(kind, schema) if each.name == table)
        gone = " or ".join(f"coalesce({kept.of(*ends_of(month))}, false)" for month in months)
        return f"(select * from {name} t where not ({gone}))"


_RETIRED = "('pot', 'round', 'in-transit')"
_KEPT = {model.schema: {each.name for each in archived_tables(model.schema)} & set(model.tables) for model in MODELS}


async def _month(
    live: Any, fresh: Any, model: Model, schema: str, table: str, month: str, pieces: list[tuple[int, str]]
) -> Difference:
    """A month that is in an archive: what is rebuilt of it against the digest that was kept when it was taken out.

    Where it was taken out in several pieces, or something has come since, their number is compared."""
    here = next(each for each in archived_tables(model.schema) if each.name == table)
    there = next(each for each in archived_tables(model.schema, schema) if each.name == table)
    late = await live.fetchval(f'select count(*) from "{model.schema}".{table} t where {here.of(*ends_of(month))}')
    digest, rows = sha256(), 0

    async def take(data: bytes) -> None:
        nonlocal rows
        digest.update(data)
        rows += data.count(b"\n")

    await fresh.copy_from_query(await selected(fresh, schema, there, month), output=take)
    had = late + sum(count for count, _ in pieces)
    found = Difference(model.schema, f"{table} {month}, archived", had, rows)
    found.only_live, found.only_rebuilt = max(0, had - rows), max(0, rows - had)
    if not found.rows and len(pieces) == 1 and not late and digest.hexdigest() != pieces[0][1]:
        found.only_live = found.only_rebuilt = 1  # at least: which ones, `croupier archive read` shows
    return found


_Side = tuple[Any, str]
"""A connection, and what is read there."""


async def _difference(found: Difference, live: _Side, rebuilt: _Side) -> Difference:
    """Both sides in the order of their rows' digests, side by side: nothing is held but what differs, and of that
    little."""
    here, there = _digests(live), _digests(rebuilt)
    odd_here, odd_there = list[bytes](), list[bytes]()
    one, other = await anext(here, None), await anext(there, None)
    while one is not None or other is not None:
        found.live += one is not None and (other is None or one <= other)
        found.rebuilt += other is not None and (one is None or other <= one)
        if one == other:
            one, other = await anext(here, None), await anext(there, None)
        elif other is None or (one is not None and one < other):
            assert one is not None
            found.only_live += 1
            odd_here += [one] if found.only_live <= SHOWN else []
            one = await anext(here, None)
        else:
            found.only_rebuilt += 1
            odd_there += [other] if found.only_rebuilt <= SHOWN else []
            other = await anext(there, None)
    found.sample_live, found.sample_rebuilt = await _rows(live, odd_here), await _rows(rebuilt, odd_there)
    return found


_ROW = f"(to_jsonb(t) - '{{{','.join(MARK_COLUMNS)}}}'::text[])"
_DIGEST = f"sha256(convert_to({_ROW}::text, 'UTF8'))"


async def _digests(side: _Side) -> AsyncIterator[bytes]:
    connection, table = side
    query = f"select {_DIGEST} as digest from {table} as t order by 1"
    async for row in connection.cursor(query, prefetch=_PAGE):
        yield row["digest"]


async def _rows(side: _Side, digests: list[bytes]) -> list[Any]:
    if not digests:
        return []
    connection, table = side
    rows = await connection.fetch(
        f"select {_ROW} as row from {table} as t where {_DIGEST} = any($1) limit {SHOWN}", digests
    )
    return [msgspec.json.decode(row["row"]) for row in rows]
