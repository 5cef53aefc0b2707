"""Walks the trails of who looked at cards and persons, and tells where somebody has changed one.

Each look costs what came since the one before, also the first one of a process: up to where a trail is proven stands in
the database, under the auditor's mark. Who owns the database may change what lies before: that is found by the walk
over the whole, once a day at a hundredth of a connection's time, and by `croupier verify`.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

from libs.identity.reads import MOST_TOLD, Reached, Trail, walk, walk_on, why_not_reached
from libs.journal.fold import Position
from libs.projecting import Connection, Pool, PositionLost
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.readers import Stored, move, moved, stored
from services.audit.verifying.findings import Finding, Kind
from services.audit.watch import SUM_SHARE

READER = "trails"
WHOLE_EVERY_S = 24 * 3600.0
"""From one walk over all of a trail to the next, unless it takes longer."""
_LOOK_S = 10.0
"""So long one look walks on; where a trail was never walked the next ones go on with it."""


async def trails(
    connection: Connection, kept: Sequence[Trail], marks: Marks, reached: dict[str, Reached] | None = None
) -> list[Finding]:
    """Where trails break. `reached`: by schema, up to where an earlier walk has come, and afterwards this one; where
    there is nothing, all that there is of a trail is read."""
    reached, found = {} if reached is None else reached, list[Finding]()
    for each in kept:
        before = reached.get(each.schema, Reached())
        if (why := await why_not_reached(connection, each, before)) is not None:
            found.append(_finding(each, why))
        told, reached[each.schema], _ = await walk_on(connection, each, marks, before)
        found += [_finding(each, why) for why in told]
    return found


class TrailWatch:
    """One reader, of the auditor that looks at the whole house."""

    def __init__(
        self,
        pool: Pool,
        kept: Sequence[Trail],
        marks: Marks,
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        self._pool = pool
        self._kept = kept
        self._marks = marks
        self._on_finding = on_finding
        self._known: dict[Trail, Reached] = {}
        """What this process has seen in the database, which only goes on: whoever puts an older place back is told."""
        self._whole = dict.fromkeys(kept, Reached())

    async def look(self) -> list[Finding]:
        """What came since the look before, of all trails."""
        found: list[Finding] = []
        for each in self._kept:
            async with self._pool.acquire() as connection:
                found += await self._go_on(connection, each)
        return found

    async def _go_on(self, connection: Connection, trail: Trail) -> list[Finding]:
        place = (trail.schema, -1)
        there = (await stored(connection, self._marks, READER, [place])).get(place)
        reached = self._known.get(trail) or Reached()
        found = list[Finding]()
        if there is not None and (said := _reached(there)) is not None and _is_further(said, reached):
            reached = said
        elif there is not None and _reached(there) != reached:
            known = reached.row is not None
            goes_on = "it walks on from its own" if known else "the trail is walked from its beginning"
            found.append(moved(place, there.next, goes_on))
        if (why := await why_not_reached(connection, trail, reached)) is not None:
            found.append(_finding(trail, why))
        until, more, told = time.monotonic() + _LOOK_S, True, list[str]()
        while more and time.monotonic() < until:
            why_not, reached, more = await walk(connection, trail, self._marks, reached)
            told += why_not
        found += [_finding(trail, why) for why in told[:MOST_TOLD]]
        await self._record(found)  # before the place goes past it
        if reached.row is not None and (there is None or _reached(there) != reached):
            new = Position(reached.row, reached.link, reached.digest)
            try:
                await move(connection, self._marks, READER, place, there or Stored(), new)
            except PositionLost:
                return found  # another auditor was quicker: the next look goes on with its place
        self._known[trail] = reached
        return found

    async def run_all(self) -> None:
        """All of each trail from its beginning, beside the looks, at its share of time; goes on with it after a
        fault."""
        while True:
            began = time.monotonic()
            for each in self._kept:
                await self._walk_all(each)
            await asyncio.sleep(max(0.0, began + WHOLE_EVERY_S - time.monotonic()))

    async def _walk_all(self, trail: Trail) -> None:
        left, more = MOST_TOLD, True
        while more:
            started = time.monotonic()
            async with self._pool.acquire() as connection:
                found, reached, more = await walk(connection, trail, self._marks, self._whole[trail])
            await self._record([_finding(trail, why) for why in found[: max(0, left)]])
            left -= len(found)
            self._whole[trail] = reached if more else Reached()
            if more:
                await asyncio.sleep(SUM_SHARE * (time.monotonic() - started))

    async def _record(self, found: Sequence[Finding]) -> None:
        if not found:
            return
        async with self._pool.acquire() as connection, connection.transaction():
            new = await record(connection, found, int(time.time() * 1000), self._marks)
        for finding in new:
            self._on_finding(finding)


def _reached(there: Stored) -> Reached | None:
    """None: the auditor has not written it."""
    if there.position is None:
        return None
    return Reached(there.position.next, there.position.last, there.position.digest)


def _is_further(said: Reached, known: Reached) -> bool:
    return said.row is not None and (known.row is None or said.row >= known.row)


def _finding(trail: Trail, why: str) -> Finding:
    return Finding(Kind.READS, trail.schema, why)
