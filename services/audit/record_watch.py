"""Holds histories against their marks, also where nobody asks for them, and tells what somebody else wrote.

Each look takes those of the newest rows that were written since the look before, and one page more of all rows: newest
first, down to the oldest, and again. How far it has come stands nowhere that the auditor's login could write to.
"""

import asyncio
import time
from collections.abc import Callable

from libs.projecting import Connection, Pool
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.projections.record_marks import MARKED, WrittenByHand, true_record
from services.audit.verifying.findings import Finding

NEWEST = 10_000
"""Rows of which each look asks what was written since the one before."""
AT_ONCE = 2_000
"""Of those, how many one look reads; the pages come to what it leaves out."""
PAGE = 500
EVERY_S = 1.0
_Place = tuple[int, str, int]
_NOWHERE: _Place = (2**63 - 1, "", 0)
_NOW = "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
# `xmin` is the transaction that wrote the row as it is, and nobody's to set; it counts in a circle of 2^32.
_FRESH = f"""select {MARKED} from (select *, xmin::text::bigint as writer from histories
                                    order by started_at desc limit {NEWEST}) newest
              where ((writer - $1) & 4294967295) < 2147483648 order by started_at desc limit {AT_ONCE}"""
_NEXT = f"""select {MARKED} from histories where started_at <= $1 and (started_at, table_id, number) < ($1, $2, $3)
             order by started_at desc, table_id desc, number desc limit {PAGE}"""


class RecordWatch:
    """One reader, of the auditor that looks at the whole house."""

    def __init__(self, pool: Pool, marks: Marks, on_finding: Callable[[Finding], None] = lambda finding: None) -> None:
        self._pool = pool
        self._marks = marks
        self._on_finding = on_finding
        self._seen: int | None = None
        """Below this transaction all had ended at the look before."""
        self._place = _NOWHERE

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(EVERY_S)

    async def look(self) -> list[Finding]:
        """What is wrong among the rows of this look, new or not."""
        async with self._pool.acquire() as connection:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                found, seen, place = await self._pages(connection)
            async with connection.transaction():
                new = await record(connection, found, int(time.time() * 1000))
        self._seen, self._place = seen, place
        for finding in new:
            self._on_finding(finding)
        return found

    async def _pages(self, connection: Connection) -> tuple[list[Finding], int, _Place]:
        seen: int = await connection.fetchval(_NOW)
        fresh = [] if self._seen is None else await connection.fetch(_FRESH, self._seen)
        page = await connection.fetch(_NEXT, *self._place)
        last = page[-1] if len(page) == PAGE else None
        place = _NOWHERE if last is None else (last["started_at"], last["table_id"], last["number"])
        found: dict[str, Finding] = {}
        for row in (*fresh, *page):
            try:
                true_record(self._marks, row)
            except WrittenByHand as wrong:
                found[wrong.finding.stream + wrong.finding.detail] = wrong.finding
        return list(found.values()), seen, place
