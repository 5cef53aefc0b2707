"""The wallet's projector: the product's loop and acceptance, over simulated topics and the books in memory."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from random import Random

from libs.journal.log import LogUnavailable
from libs.projecting.acceptance import Accepted
from libs.projecting.kafka_source import arrived
from libs.projecting.positions import Head, Reached
from libs.projecting.source import Arrived, Partition, SourceAway
from tests.simulation.books import Database
from tests.testkit.process import Process
from tests.testkit.weather import Sky

_WAIT_S = 10.0
_PAGE_S = 0.2


class TopicsSource:
    """Public topics read straight, by the page."""

    def __init__(self, process: Process, partitions: Sequence[Partition]) -> None:
        self._process = process
        self._partitions = list(partitions)
        self._at: dict[Partition, int] = {}

    @property
    def partitions(self) -> Sequence[Partition]:
        return self._partitions

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        self._at = dict(positions)

    async def batch(self, limit: int) -> Sequence[Arrived]:
        if not await self._news():
            return ()
        found: list[Arrived] = []
        for place in self._partitions:
            if self._at[place] >= self._end(place):
                continue
            reader = await self._process.log.reader(*place)
            try:
                fetched = await reader.read(self._at[place], limit, 0)
            except LogUnavailable as wrong:
                raise SourceAway(str(wrong)) from None
            self._at[place] = fetched.position
            found += [arrived(*place, record) for record in fetched.records]
        return found

    async def ends(self) -> Mapping[Partition, int]:
        return {place: self._end(place) for place in self._partitions}

    async def close(self) -> None: ...

    def _end(self, place: Partition) -> int:
        return len(self._process.log.broker.partition(*place).slots)

    async def _news(self) -> bool:
        """Waits until some partition has more; then a page's worth longer."""
        await self._process.gate.passed()
        if all(self._at[place] >= self._end(place) for place in self._partitions):
            news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            for place in self._partitions:
                self._process.log.broker.partition(*place).readers.append(news)
            try:
                async with asyncio.timeout(_WAIT_S):
                    await news
            except TimeoutError:
                return False
        await asyncio.sleep(_PAGE_S)
        await self._process.gate.passed()
        return True


class MemoryStore:
    """`Store` over the books in memory: it may be slow, away, or lose its answer after all is written."""

    set_aside = 0

    def __init__(self, process: Process, database: Database, sky: Sky, random: Random) -> None:
        self._process = process
        self._database = database
        self._sky = sky
        self._random = random

    async def load(self, partitions: Sequence[Partition]) -> dict[Partition, Head]:
        await self._way("database away")
        return self._database.load(partitions)

    async def reached(self, streams: Collection[tuple[str, str]]) -> dict[tuple[str, str], Reached]:
        await self._way("database away")
        return {stream: self._database.streams[stream] for stream in streams if stream in self._database.streams}

    async def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        await self._way("database away")
        self._database.write(old, batch)
        await self._way("commit without answer")

    async def go_on(self) -> bool:
        return False

    async def _way(self, kind: str) -> None:
        await self._process.gate.passed()
        await asyncio.sleep(self._random.uniform(0.001, 0.02))
        await self._process.gate.passed()
        if not self._sky.healed and self._random.random() < 0.03:
            self._sky.fired[kind] += 1
            raise ConnectionResetError(kind)
