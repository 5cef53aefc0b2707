"""One topic, read without a group: a gateway sees all of its partitions, or those of its floor, and remembers no
position."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from aiokafka.errors import OffsetOutOfRangeError

from libs.contracts.topics import Topic
from libs.journal.kafka_fetch import Followed, Following
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord
from libs.journal.marks import Place

BATCH = 500


class TopicReader:
    """Reads from the `beginning` or from the `end` as it was at `start`; `caught_up` once it is past that end."""

    def __init__(
        self,
        log: KafkaLog,
        topic: Topic,
        of_house: int,
        prefix: str,
        start_at: Literal["beginning", "end"],
        only: Iterable[int] | None = None,
    ) -> None:
        """`of_house`: its partitions; `only` those are read, or all."""
        self.topic = prefix + topic.name
        self._log = log
        self._arrived = asyncio.Event()
        self._caught_up = asyncio.Event()
        numbers = range(topic.partitions(of_house)) if only is None else sorted(only)
        self._places = [log.followed((self.topic, number), self._arrived.set) for number in numbers]
        # A reply from before us is for nobody; a public event from before us is what views are made of.
        self._start_at = -2 if start_at == "beginning" else -1
        self._behind: dict[Followed, int] = {}
        """End as it was at `start`, for the partitions that have not been read so far."""
        self._lines: list[tuple[Following, Followed]] = []

    async def start(
        self, known: Mapping[int, int] = MappingProxyType({}), since: Mapping[int, int] = MappingProxyType({})
    ) -> None:
        """`known`: partitions to the offset from which on something is news; `since`: to when the broker took in (ms)
        what is the first news."""
        await self._log.cluster.join()
        await self._log.cluster.partitions(self.topic)
        ends = await self._log.cluster.offsets([each.place for each in self._places], -1)
        self._behind = {each: ends[each.place] for each in self._places} if self._start_at == -2 else {}
        await self._seek(self._places)
        for each in self._places:
            if each.place[1] in known:
                each.seek(known[each.place[1]])
            elif each.place[1] in since:
                at = (await self._log.cluster.offsets([each.place], max(0, since[each.place[1]])))[each.place]
                each.seek(at if at >= 0 else ends[each.place])
        self._see_whether_caught_up()
        self._lines = [(self._log.follow(each), each) for each in self._places]

    async def stop(self) -> None:
        for line, followed in self._lines:
            line.remove(followed)
        self._log.cluster.leave()

    async def batches(self) -> AsyncIterator[list[LogRecord]]:
        """Records as they come, in order within a partition."""
        async for _, page in self.pages():
            yield page

    async def pages(self) -> AsyncIterator[tuple[int, list[LogRecord]]]:
        """The same, with the partition."""
        while True:
            self._arrived.clear()
            for line, followed in self._lines:
                try:
                    while page := followed.take(BATCH):
                        line.taken()
                        yield followed.place[1], page
                except OffsetOutOfRangeError:  # older than what is kept
                    await self._seek([followed])
                    line.stir()
            self._see_whether_caught_up()
            await self._arrived.wait()

    @property
    def caught_up(self) -> bool:
        return self._caught_up.is_set()

    async def catch_up(self) -> None:
        """Returns once everything that was there at `start` has been read."""
        await self._caught_up.wait()

    async def bounds(self) -> dict[Place, tuple[int, int]]:
        """Beginning and end of each partition now. Raises `KafkaError`."""
        places = [each.place for each in self._places]
        beginnings, ends = [await self._log.cluster.offsets(places, at) for at in (-2, -1)]
        return {place: (beginnings[place], ends[place]) for place in places}

    async def _seek(self, places: Sequence[Followed]) -> None:
        offsets = await self._log.cluster.offsets([each.place for each in places], self._start_at)
        for each in places:
            each.seek(offsets[each.place])

    def _see_whether_caught_up(self) -> None:
        self._behind = {each: end for each, end in self._behind.items() if each.position < end}
        if not self._behind:
            self._caught_up.set()
