"""A house that a real Prometheus watches, and what may be done to it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord, Publisher
from libs.journal.mark_keys import marks_in
from tests.chaos.scene import Scene
from tests.watching.at_the_door import Door
from tests.watching.prometheus import OfAHouse


@dataclass(slots=True)
class Drill:
    at: Scene
    prometheus: OfAHouse
    rows: list[str] = field(default_factory=list)
    fired: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    door: Door | None = None
    """Of platforms, once a fault has opened one."""
    began: float = 0.0
    """When the fault was there (seconds of `time.monotonic`)."""

    @asynccontextmanager
    async def writing(self, writer: str) -> AsyncIterator[Publisher]:
        """With the login and the marks of one of the house's processes."""
        log = KafkaLog(self.at.stack.broker(writer), marks_in(self.at.house.marks_file(writer)))
        publisher = await log.publisher()
        try:
            yield publisher
        finally:
            await publisher.abandon()

    async def write(self, writer: str, name: str, value: bytes, key: bytes = b"drill") -> None:
        async with self.writing(writer) as publisher:
            await (await publisher.send([OutRecord(self.at.house.topic_prefix + name, key, value)]))

    async def sql(self, statement: str) -> None:
        owner = await asyncpg.connect(self.at.house.stack.database_url)
        try:
            await owner.execute(statement)
        finally:
            await owner.close()

    async def weakened(self, service: str, how: str, **extra: str) -> None:
        process = self.at.house.processes[service]
        if process.running:
            await process.kill()
        process.through = ("tests.watching.weakened",)
        process.environment |= {"DRILL_WEAKENED": how, **extra}
        await process.start()

    async def sound(self, service: str) -> None:
        """As it was before, and started."""
        process = self.at.house.processes[service]
        if process.running:
            await process.kill()
        process.through = ("tests.chaos.crashing",)
        await self.at.again(service)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is broken, in words; how; how it is mended; what has to fire."""

    words: str
    alerts: tuple[str, ...]
    fire: Callable[[Drill], Awaitable[Any]]
    mend: Callable[[Drill], Awaitable[Any]] | None = None
    stays: frozenset[str] = frozenset()
    """Alerts that go on for ever: nothing mends it, so it is the last one."""
