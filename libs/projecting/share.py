"""Several processes share what is projected: a Kafka group gives each of them some of the partitions."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from libs.journal.group_position import GroupPosition
from libs.journal.kafka_group import KafkaGroup
from libs.journal.log import LogUnavailable
from libs.journal.marks import Marking
from libs.journal.owners import LIVES_S, Owners
from libs.journal.positions import check_key
from libs.journal.tasks import end, together


class Share:
    """This process's partitions, worked on in one task, which ends and begins anew when they change.

    The group is for speed alone: who works on a partition that is another one's by now, frozen or cut off, finds its
    position moved and writes nothing (journal 15).
    """

    def __init__(
        self, group: KafkaGroup, work: Callable[[frozenset[int]], Coroutine[Any, Any, None]], marks: Marking
    ) -> None:
        """`work` is never given nothing; it runs until cancelled. Raises `BadKey` for a file of marks that is too
        old: who works on a partition says so in the group, under its mark."""
        check_key(marks)
        self.partitions: frozenset[int] = frozenset()
        self._group = group
        self._work = work
        self._marks = marks
        self._owners = Owners(group, marks)

    @property
    def joined(self) -> bool:
        """Told which partitions are ours; it may be none."""
        return self._group.generation >= 0

    def why_not(self) -> str | None:
        """Why some of it is nobody's of the house, in a few words; None: all has an owner."""
        return self._owners.why_not()

    async def run(self) -> None:
        """Until cancelled; raises what the work raises, or ends with it."""
        try:
            await self._group.join()
            await together(self._group.attend(), self._follow(), self._own(), self._owners.watch())
        finally:
            with suppress(LogUnavailable):
                await self._group.stop()

    async def hand_over(self) -> None:
        """Before the process is ended as told: where others are there, they get our partitions now."""
        await self._group.leave()

    async def _own(self) -> None:
        """Tells the other processes that what we have is worked on. No offset counts: positions are in the database."""
        while True:
            with suppress(LogUnavailable):
                for partition in sorted(self.partitions):
                    position = GroupPosition(self._group, self._marks, partition)
                    await position.look()
                    await position.write(0)
            await asyncio.sleep(LIVES_S)

    async def _follow(self) -> None:
        working: list[asyncio.Task[None]] = []
        news = asyncio.create_task(self._group.changed.wait())
        try:
            while True:
                await asyncio.wait([news, *working], return_when=asyncio.FIRST_COMPLETED)
                if any(task.done() for task in working):
                    return working[0].result()
                self._group.changed.clear()
                news = asyncio.create_task(self._group.changed.wait())
                if self._group.assigned == self.partitions:
                    continue
                await end(working)
                self.partitions = self._group.assigned
                working = [asyncio.create_task(self._work(self.partitions))] if self.partitions else []
        finally:
            self.partitions = frozenset()
            await end([news, *working])
