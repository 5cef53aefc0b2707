"""Public topics read straight: assign and seek, no group, no offset but the one in the database (journal 20)."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from aiokafka.errors import KafkaError, OffsetOutOfRangeError

from libs.broker import Broker
from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.journal.kafka_fetch import Following
from libs.journal.kafka_log import KafkaLog, told
from libs.journal.log import LogRecord
from libs.journal.marks import Marking
from libs.projecting.source import Arrived, Partition, SourceAway


def books_log(broker: Broker, marks: Marking, pause_ms: int = 500, **options: Any) -> KafkaLog:
    """`pause_ms`: what comes in it is written at once, unless it is a page or more."""
    return KafkaLog(broker, marks, client_id="croupier-books", fetch_pause_ms=pause_ms, **options)


class KafkaSource:
    """All partitions of some public topics. A position that the log does not have (any more) is raised, loudly."""

    def __init__(self, log: KafkaLog, partitions: Sequence[Partition], *, wait_ms: int = 1_000) -> None:
        self._log = log
        self._arrived = asyncio.Event()
        self._places = [log.followed(place, self._arrived.set) for place in partitions]
        self._wait_s = wait_ms / 1000
        self._lines: list[Following] = []
        self._joined = False
        self._first = 0
        """Of the places, whose turn it is to come first."""
        self._passed: dict[Partition, int] = {each.place: -1 for each in self._places}

    @property
    def partitions(self) -> Sequence[Partition]:
        return [each.place for each in self._places]

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        await self._join()
        for each in self._places:
            each.seek(positions[each.place])  # never a guess where to go on (journal 12, 20)
        self._passed = {each.place: each.position for each in self._places}
        self._lines = self._lines or [self._log.follow(each) for each in self._places]
        for line in self._lines:
            line.stir()

    async def batch(self, limit: int) -> Sequence[Arrived]:
        self._arrived.clear()
        self._passed = {each.place: each.position for each in self._places}
        found = self._taken(limit)
        if not found:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait_s):
                    await self._arrived.wait()
            found = self._taken(limit)
        return found

    def passed(self) -> Mapping[Partition, int]:
        """Offset up to which everything was done with when the last batch was asked for: handed out before it, or
        foreign. Where nothing was read, below zero."""
        return self._passed

    async def ends(self) -> Mapping[Partition, int]:
        await self._join()
        with _away():
            return await self._log.cluster.offsets(self.partitions, -1)

    async def close(self) -> None:
        for line, each in zip(self._lines, self._places, strict=False):
            line.remove(each)
        self._lines = []
        if self._joined:
            self._joined = False
            self._log.cluster.leave()

    async def _join(self) -> None:
        if not self._joined:
            with _away():
                await self._log.cluster.join()
            self._joined = True
            with _away():
                for topic in {topic for topic, _ in self.partitions}:
                    await self._log.cluster.partitions(topic)

    def _taken(self, limit: int) -> list[Arrived]:
        """Equal parts of what every partition has, others first each time: where much waits, as after years, none
        stands still until the one before it is read to its end."""
        found: list[Arrived] = []
        waiting = [each for each in self._places[self._first :] + self._places[: self._first] if each.has_news]
        with _away():
            for number, each in enumerate(waiting):
                if len(found) < limit:
                    part = -(-(limit - len(found)) // (len(waiting) - number))
                    found += [arrived(*each.place, record) for record in each.take(part)]
        if waiting:
            self._first = (self._places.index(waiting[0]) + 1) % len(self._places)
        for line in self._lines if found else ():
            line.taken()
        return found


@contextmanager
def _away() -> Iterator[None]:
    try:
        yield
    except OffsetOutOfRangeError:
        raise  # the log was cut, or is another one
    except KafkaError as wrong:
        raise SourceAway(told(wrong)) from wrong


def arrived(topic: str, partition: int, record: LogRecord) -> Arrived:
    """A record as the projector takes it; what is no event keeps its raw bytes and the reason."""
    try:
        event = from_record(record.key, record.value, record.headers)
    except NotAPublicEvent as wrong:
        return Arrived(topic, partition, record.offset, None, str(wrong), key=record.key, value=record.value)
    return Arrived(topic, partition, record.offset, event)
