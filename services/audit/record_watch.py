"""Holds rows against their marks, also where nobody asks for them, and tells what somebody else wrote.

Each look takes those of a table's newest rows that were written since the look before, and one page more of all rows:
newest first, down to the oldest, and again; where tables are long, as many pages as its share of time has room for. How
far it has come stands nowhere that the auditor's login could write to.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from libs.identity.reads import MARKED as MARKED_READS
from libs.identity.reads import Trail, why_not_read
from libs.projecting import Connection, Pool
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from libs.projecting.row_marks import Marks
from services.audit import archived_months
from services.audit.checkpoint_rows import SIGNED, foreign_row
from services.audit.incidents import WORDS as INCIDENTS
from services.audit.incidents import record
from services.audit.integrity.cases import WORDS as CASES
from services.audit.marked_rows import Evidence
from services.audit.projections.histories import RECORDS
from services.audit.projections.live_checks import STATES
from services.audit.projections.record_marks import MARKED, WrittenByHand, true_record
from services.audit.projections.signals import WORDS as SIGNALS
from services.audit.projections.waiting_checks import forget_what_is_over
from services.audit.restrictions import WORDS as RESTRICTIONS
from services.audit.verifying.findings import Finding, Kind

NEWEST = 10_000
"""Rows of a table of which each look asks what was written since the one before."""
AT_ONCE = 2_000
"""Of those, how many one look reads; the pages come to what it leaves out."""
PAGE = 500
EVERY_S = 1.0
SHARE_S = 0.05
"""Of each second: a look that has taken so long begins no further page. A fixed number of rows would be too few of a
house's millions, or too many for a machine that is slow."""
_NOW = "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
EVIDENCE = (INCIDENTS, RESTRICTIONS, SIGNALS, CASES, STATES)


@dataclass(slots=True)
class Swept:
    """A table; `order`: columns of an index, of which the first one comes first where rows are new."""

    table: str
    columns: str
    order: tuple[str, ...]
    check: Callable[[Marks, Any], Finding | None]
    page: int = 0
    """Rows of a page; 0: `PAGE`."""
    few: bool = False
    """No more than one page a look, for what is true is told, too."""
    place: tuple[Any, ...] = field(default=())
    """Behind which the next page is; empty: at the newest row."""

    async def fresh(self, connection: Connection, since: int | None) -> Sequence[Any]:
        """Those of the newest rows that were written since the look before; `since`: below this transaction all had
        ended then."""
        if since is None or not await is_there(connection, self.table):
            return []
        rows: Sequence[Any] = await connection.fetch(self._fresh, since)
        return rows

    async def rows(self, connection: Connection, place: tuple[Any, ...]) -> tuple[Sequence[Any], tuple[Any, ...]]:
        """The page behind a place, and behind which row the next one is; empty: there is none."""
        if not await is_there(connection, self.table):
            return [], ()
        page = await connection.fetch(self._next(place), *place)
        return page, tuple(page[-1][name] for name in self.order) if len(page) == (self.page or PAGE) else ()

    @property
    def _fresh(self) -> str:
        # `xmin` is the transaction that wrote the row as it is, and nobody's to set; it counts in a circle of 2^32.
        newest = f"order by {self.order[0]} desc limit"
        rows = f"select *, xmin::text::bigint as writer from {self.table} {newest} {NEWEST}"
        return f"""select {self.columns} from ({rows}) newest
                    where ((writer - $1) & 4294967295) < 2147483648 {newest} {AT_ONCE}"""

    def _next(self, place: tuple[Any, ...]) -> str:
        named = ", ".join(f"${number}" for number in range(1, len(self.order) + 1))
        behind = f"where {self.order[0]} <= $1 and ({', '.join(self.order)}) < ({named})" if place else ""
        newest = ", ".join(f"{name} desc" for name in self.order)
        return f"select {self.columns} from {self.table} {behind} order by {newest} limit {self.page or PAGE}"


def _history(marks: Marks, row: Any) -> Finding | None:
    try:
        RECORDS.decode(true_record(marks, row))
    except WrittenByHand as wrong:
        return wrong.finding
    except msgspec.MsgspecError:
        table, number = row["table_id"], row["number"]
        detail = f"number {number}, begun at {row['started_at']}, is the auditor's own and can't be read by this build"
        return Finding(Kind.HISTORY_UNREADABLE, table, detail, number)
    return None


def _reads(trail: Trail) -> Swept:
    def check(marks: Marks, row: Any) -> Finding | None:
        why = why_not_read(marks, trail, row)
        return None if why is None else Finding(Kind.READS, trail.schema, why)

    return Swept(f'"{checked(trail.schema)}".reads', MARKED_READS, ("id",), check)


def _evidence(kept: Evidence) -> Swept:
    def check(marks: Marks, row: Any) -> Finding | None:
        why = kept.why_not(marks, row)
        return None if why is None else kept.finding(row, why)

    return Swept(kept.table, kept.columns, ("id",), check)


def _checkpoints(public_key: str) -> Swept:
    def check(marks: Marks, row: Any) -> Finding | None:
        return foreign_row(row, public_key)

    # A signature takes longer than a mark.
    return Swept("checkpoints", ", ".join(SIGNED), ("number", "signature"), check, page=50)


def _archived(schema: str) -> Swept:
    """What is true there is told, too, and so written down."""
    columns, order = ", ".join(archived_months.COLUMNS), ("at", "table_name", "month", "piece")
    return Swept(f'"{checked(schema)}".archived', columns, order, archived_months.telling(schema), page=50, few=True)


class RecordWatch:
    """One reader, of the auditor that looks at the whole house."""

    def __init__(
        self,
        pool: Pool,
        marks: Marks,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        trails: Sequence[Trail] = (),
        checkpoint_key: str = "",
    ) -> None:
        """`trails`: of reads, of whichever service; what left its schema for an archive is looked at, too.
        `checkpoint_key`: under which checkpoints are signed (hex)."""
        self._pool = pool
        self._marks = marks
        self._on_finding = on_finding
        self._seen: int | None = None
        self._swept = [
            Swept("histories", MARKED, ("started_at", "table_id", "number"), _history),
            *map(_evidence, EVIDENCE),
            *map(_reads, trails),
            *(_archived(trail.schema) for trail in trails),
            *([_checkpoints(checkpoint_key)] if checkpoint_key else ()),
        ]

    async def look(self) -> list[Finding]:
        """What is to be told of the rows of this look, new or not."""
        found: dict[tuple[str, str], Finding] = {}
        until = time.monotonic() + SHARE_S
        places = [each.place for each in self._swept]
        async with self._pool.acquire() as connection:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                seen: int = await connection.fetchval(_NOW)
                for each in self._swept:
                    found |= self._wrong(each, await each.fresh(connection, self._seen))
                going = deque(range(len(self._swept)))
                first = len(going)
                while going and (first > 0 or (time.monotonic() < until and len(found) < PAGE)):
                    first, number = first - 1, going.popleft()
                    rows, places[number] = await self._swept[number].rows(connection, places[number])
                    found |= self._wrong(self._swept[number], rows)
                    if places[number] and not self._swept[number].few:
                        going.append(number)
            async with connection.transaction():
                await forget_what_is_over(connection)
                new = await record(connection, list(found.values()), int(time.time() * 1000), self._marks)
        self._seen = seen
        for each, place in zip(self._swept, places, strict=True):
            each.place = place
        for finding in new:
            self._on_finding(finding)
        return list(found.values())

    def _wrong(self, swept: Swept, rows: Sequence[Any]) -> dict[tuple[str, str], Finding]:
        wrong = [finding for row in rows if (finding := swept.check(self._marks, row)) is not None]
        return {(finding.stream, finding.detail): finding for finding in wrong}
