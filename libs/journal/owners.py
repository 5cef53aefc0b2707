"""Whether a process of the house owns each partition: who may join a group may take them and do nothing.

An owner commits its position, under the house's mark and with its present, every few seconds, whether it moves or not.
Nobody else can write a newer one.
"""

import asyncio
import logging
from collections.abc import Callable
from time import time
from typing import Protocol

from libs.journal.log import LogUnavailable
from libs.journal.marks import Marking
from libs.journal.positions import found
from libs.telemetry.figures import gauge

LIVES_S = 3.0
"""So often at the least."""
PATIENCE_S = 15.0
SKEW_S = 30.0
"""How far clocks of machines may be apart: what was written longer ago than both of these is written again by somebody
who had it by him."""
"""So long nobody of the house gives a sign before it is told; a dead member's partitions are another's after six."""
_LOOK_S = 2.0
_STALL_S = 6.0
"""Who has not looked for so long was held up, or has had no answer: nothing is known of the time between."""
_UNOWNED = gauge("croupier_partitions_unowned")
_log = logging.getLogger(__name__)


class Membership(Protocol):
    """What is asked of a group."""

    name: str
    topic: str
    generation: int
    assigned: frozenset[int]
    refused: str | None

    @property
    def partitions(self) -> frozenset[int]: ...

    async def all_committed(self, partitions: frozenset[int]) -> dict[int, tuple[int | None, str]]: ...


class Owners:
    """Of one group's topic, as one member sees it. Its own partitions have an owner: itself."""

    def __init__(self, group: Membership, marks: Marking, clock: Callable[[], float] = time) -> None:
        """`clock`: seconds since the epoch."""
        self._group = group
        self._marks = marks
        self._clock = clock
        self._seen: dict[int, int] = {}
        """When the newest true position was written, by partition: an older one, written again, is no sign."""
        self._since: dict[int, float] = {}
        """Loop time at which a partition was seen to have an owner."""
        self._looked = 0.0
        self.unowned: frozenset[int] = frozenset()

    def why_not(self) -> str | None:
        """Why not all is owned, or we can't be a member, in a few words; None: all is, and we can."""
        if self._group.refused is not None:
            return f"we are refused by group {self._group.name}: {self._group.refused}"
        if not self.unowned:
            return None
        which = ", ".join(map(str, sorted(self.unowned)))
        return f"no process of the house has partitions {which} of {self._group.topic} (group {self._group.name})"

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_S)
            await self.look(asyncio.get_running_loop().time())

    async def look(self, now: float) -> None:
        """`now`: seconds, of a clock that nobody sets."""
        group = self._group
        others = group.partitions - group.assigned
        if now - self._looked > _STALL_S:
            self._since.clear()
        self._looked = now
        for each in self._since.keys() - others:
            del self._since[each]
        try:
            async with asyncio.timeout(_STALL_S):
                there = await group.all_committed(group.partitions)
        except (LogUnavailable, TimeoutError):
            self._since.clear()  # nothing is known while the broker is away
            self._tell(frozenset())
            return
        oldest = (self._clock() - PATIENCE_S - SKEW_S) * 1000
        for each, (offset, beside) in there.items():
            position = found(self._marks, group.name, group.topic, each, offset, beside).position
            newest = self._seen.get(each, -1)
            is_sign = position is not None and position.at > max(newest, oldest)
            if each in others and (each not in self._since or is_sign):
                self._since[each] = now
            if position is not None:  # our own, too: somebody may take the partition, and write them again
                self._seen[each] = max(newest, position.at)
        self._tell(frozenset(each for each in others if now - self._since[each] > PATIENCE_S))

    def _tell(self, unowned: frozenset[int]) -> None:
        if unowned - self.unowned:
            place = {"topic": self._group.topic, "group": self._group.name, "partitions": sorted(unowned)}
            _log.critical("no process of the house owns partitions of this group", extra=place)
        self.unowned = unowned
        _UNOWNED.labels(self._group.name).set(len(unowned))
