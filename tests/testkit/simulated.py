"""The log in memory: on a virtual or a real clock, with the faults of a real one at the caller's choice."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from libs.contracts.topics import keeps_the_last
from libs.journal.foreign import Judge, Tell
from libs.journal.log import (
    AppendUnknown,
    Fetched,
    Headers,
    LogRecord,
    LogUnavailable,
    OffsetOutOfRange,
    OutRecord,
)
from libs.journal.marks import Marking
from libs.journal.positions import Decided, Found, Moved, Otherwise, Position, begin, behind, beside, found
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import partition_of

Raw = tuple[bytes | None, bytes | None, Headers]
"""Key, value, headers."""


class Fate(msgspec.Struct, frozen=True):
    """What becomes of one request. The default is a broker without faults."""

    lost: bool = False
    """The request never lands, and so does nothing that the same producer sent behind it."""
    before_s: float = 0.0
    """Time on the way in; longer than the client's patience makes it a late landing."""
    after_s: float = 0.0
    answer_lost: bool = False
    place_unknown: bool = False
    """Accepted, but the answer carries no offset (DUPLICATE_SEQUENCE)."""
    lands_twice: bool = False
    """No producer id keeps it from that. Nothing may depend on one."""
    again_s: float = 0.0
    """How much later the second time is: behind what the same producer, or another one, wrote meanwhile."""


class Faults:
    """No faults. The simulation overrides what it wants to go wrong."""

    def append(self, topic: str, partition: int) -> Fate:
        return Fate()

    def publish(self, topic: str) -> Fate:
        return Fate()

    def read(self, topic: str, partition: int) -> Fate:
        return Fate()


class Gate:
    """Stands before and after every call of one process: open, held (a zombie sleeps), or shut for ever (a crash)."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self.dead = False

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def kill(self) -> None:
        self.dead = True
        self._open.clear()

    async def passed(self) -> None:
        while not self._open.is_set():
            await self._open.wait()


@dataclass(slots=True)
class _Partition:
    slots: list[LogRecord | None] = field(default_factory=list)
    """Index = offset; None is a hole (a marker, or compacted away)."""
    readers: list["asyncio.Future[None]"] = field(default_factory=list)
    forged: set[int] = field(default_factory=set)
    """Offsets of records that nobody of the house wrote. Only the marks tell a reader."""
    forged_keys: set[bytes | None] = field(default_factory=set)
    """Keys under which any such record ever lay: compaction may have taken true ones away."""
    beginning: int = 0

    @property
    def length(self) -> int:
        """Offset behind the last record, whosever it is."""
        return len(self.slots)


class SimulatedBroker:
    """Partitions and group offsets. Topics come into being by use; `partitions` is the count of every topic."""

    def __init__(self, partitions: int = 4, now_ms: Callable[[], int] | None = None) -> None:
        self.partitions = partitions
        self.now_ms = now_ms or (lambda: time.time_ns() // 1_000_000)
        self.offsets: dict[tuple[str, str, int], int] = {}
        self.beside: dict[tuple[str, str, int], str] = {}
        """What is written beside each offset."""
        self.taken: set[tuple[str, str, int]] = set()
        """Partitions that somebody else has in the group: their owners' commits are refused."""
        self._held: dict[tuple[str, int], _Partition] = {}
        self.identities: dict[str, bytes] = {}
        """Of topics that were made anew; of others their names."""

    def partition(self, topic: str, partition: int) -> _Partition:
        held = self._held.get((topic, partition))
        if held is None:
            held = self._held[topic, partition] = _Partition()
        return held

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        """Appends (key, value, headers) now; base offset."""
        held = self.partition(topic, partition)
        base = len(held.slots)
        now = self.now_ms()
        for index, (key, value, headers) in enumerate(records):
            held.slots.append(LogRecord(base + index, key, value, headers, now))
        readers, held.readers = held.readers, []
        for reader in readers:
            if not reader.done():
                reader.set_result(None)
        return base

    def forge(self, topic: str, partition: int, records: Sequence[Raw]) -> None:
        """Whoever reaches the broker appends; it is no record to those who look at what the house did."""
        base = SimulatedBroker.land(self, topic, partition, records)
        self.partition(topic, partition).forged.update(range(base, base + len(records)))
        self.partition(topic, partition).forged_keys.update(key for key, *_ in records)

    def sign(self, key: tuple[str, str, int]) -> int | None:
        """The sign of life beside a group's offset, whosever it is."""
        text = self.beside.get(key, "").split(" ")
        return int(text[1]) if len(text) > 1 and text[1] != "-" else None

    def end(self, topic: str, partition: int) -> int:
        """Offset behind the last record of the house."""
        held = self.partition(topic, partition)
        for record in reversed(held.slots):
            if record is not None and record.offset not in held.forged:
                return record.offset + 1
        return 0

    @property
    def topics(self) -> list[str]:
        """Names of the topics that have come into being."""
        return sorted({topic for topic, _ in self._held})

    def records(self, topic: str, partition: int) -> list[LogRecord]:
        """Those of the house."""
        held = self.partition(topic, partition)
        return [record for record in held.slots if record is not None and record.offset not in held.forged]

    def add_hole(self, topic: str, partition: int) -> None:
        """An offset without a record, as transaction markers leave them."""
        self.partition(topic, partition).slots.append(None)

    def compact(self, topic: str, partition: int) -> None:
        """Keeps the last record of every key."""
        slots = self.partition(topic, partition).slots
        seen: set[bytes | None] = set()
        for index in range(len(slots) - 1, -1, -1):
            record = slots[index]
            if record is None:
                continue
            if record.key in seen:
                slots[index] = None
            seen.add(record.key)

    def truncate(self, topic: str, partition: int, end: int) -> None:
        """What must never happen: loses the tail (journal 21)."""
        del self.partition(topic, partition).slots[end:]

    def delete_below(self, topic: str, partition: int, beginning: int) -> None:
        """What must not happen either: loses the front."""
        held = self.partition(topic, partition)
        held.beginning = beginning
        held.slots[:beginning] = [None] * beginning


class SimulatedLog:
    """One process's view of the broker; keeps the `Log` protocol."""

    def __init__(
        self,
        broker: SimulatedBroker,
        faults: Faults | None = None,
        gate: Gate | None = None,
        marks: Marking = UNMARKED,
        on_foreign: Tell = lambda foreign: None,
    ) -> None:
        self.marks = marks
        self.on_foreign = on_foreign
        self.broker = broker
        self.faults = faults or Faults()
        self.gate = gate or Gate()
        self._late: set[asyncio.Task[None]] = set()

    def again(self, after_s: float, topic: str, batches: dict[int, list[Raw]]) -> None:
        """Lands once more what has landed."""

        async def land() -> None:
            await _way(after_s)
            for partition, batch in batches.items():
                self.broker.land(topic, partition, batch)

        self._late.add(task := asyncio.create_task(land()))
        task.add_done_callback(self._late.discard)

    async def appender(self, topic: str, partition: int) -> "SimulatedAppender":
        await self.gate.passed()
        return SimulatedAppender(self, topic, partition)

    async def publisher(self) -> "SimulatedPublisher":
        await self.gate.passed()
        return SimulatedPublisher(self)

    async def identity(self, topic: str) -> bytes:
        await self.gate.passed()
        return self.broker.identities.get(topic, topic.encode())

    async def reader(self, topic: str, partition: int) -> "SimulatedReader":
        await self.gate.passed()
        return SimulatedReader(self, topic, partition)


class SimulatedAppender:
    """Requests land in order or not at all; what is under way lands even after the process is gone."""

    def __init__(self, log: SimulatedLog, topic: str, partition: int) -> None:
        self._log = log
        self._topic = topic
        self._partition = partition
        self._last: asyncio.Future[int | None] | None = None
        self._dead = False

    def append(self, records: Sequence[tuple[bytes, bytes]]) -> "asyncio.Future[int | None]":
        fate = self._log.faults.append(self._topic, self._partition)
        landed: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        before, self._last = self._last, landed
        told = asyncio.ensure_future(self._append(records, fate, before, landed))
        told.add_done_callback(lambda told: told.cancelled() or told.exception())
        return told

    async def _append(
        self,
        records: Sequence[tuple[bytes, bytes]],
        fate: Fate,
        before: "asyncio.Future[int | None] | None",
        landed: "asyncio.Future[int | None]",
    ) -> int | None:
        if self._dead:
            raise AppendUnknown("this producer is dead")
        await self._log.gate.passed()
        network = asyncio.create_task(self._land(list(records), fate, before, landed))
        try:
            await asyncio.shield(network)
            base = landed.result()
            if base is None or fate.answer_lost:
                self._dead = True
                raise AppendUnknown("no answer")
            await _way(fate.after_s)
            await self._log.gate.passed()
        except asyncio.CancelledError:
            self._dead = True
            raise
        return None if fate.place_unknown else base

    async def abandon(self) -> None:
        self._dead = True

    async def _land(
        self,
        records: list[tuple[bytes, bytes]],
        fate: Fate,
        before: "asyncio.Future[int | None] | None",
        landed: "asyncio.Future[int | None]",
    ) -> None:
        await _way(fate.before_s)
        if before is not None and await asyncio.shield(before) is None:
            landed.set_result(None)  # out of sequence: refused
            return
        if fate.lost:
            landed.set_result(None)
            return
        place = (self._topic, self._partition)
        batch: list[Raw] = [(key, value, self._log.marks.marked(place, key, value, ())) for key, value in records]
        landed.set_result(self._log.broker.land(self._topic, self._partition, batch))
        if fate.lands_twice:
            self._log.again(fate.again_s, self._topic, {self._partition: batch})


class SimulatedPublisher:
    """Each topic of a send has a fate of its own; what was sent before to the same topic lands first or fails both."""

    def __init__(self, log: SimulatedLog) -> None:
        self._log = log
        self._last: dict[str, asyncio.Future[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._dead = False

    async def send(self, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        if self._dead:
            raise LogUnavailable("this producer is dead")
        await self._log.gate.passed()
        parts: dict[str, list[OutRecord]] = {}
        for record in records:
            parts.setdefault(record.topic, []).append(record)
        self._tasks = [task for task in self._tasks if not task.done()]
        landing = [self._start(topic, part) for topic, part in parts.items()]
        if len(landing) == 1:
            return landing[0]
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks.append(asyncio.create_task(_all_of(landing, done)))
        return done

    async def abandon(self) -> None:
        self._dead = True

    def _start(self, topic: str, records: list[OutRecord]) -> "asyncio.Future[None]":
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        before, self._last[topic] = self._last.get(topic), done
        self._tasks.append(asyncio.create_task(self._land(records, self._log.faults.publish(topic), before, done)))
        return done

    async def _land(
        self, records: list[OutRecord], fate: Fate, before: "asyncio.Future[None] | None", done: "asyncio.Future[None]"
    ) -> None:
        await _way(fate.before_s)
        if before is not None:
            await asyncio.wait([before])
            if before.exception() is not None:
                _fail(done)
                return
        if fate.lost:
            _fail(done)
            return
        batches: dict[int, list[Raw]] = {}
        for record in records:
            partition = record.partition
            if partition is None:
                partition = partition_of(record.key.decode(), self._log.broker.partitions)
            headers = self._log.marks.marked((record.topic, partition), record.key, record.value, record.headers)
            raw = (record.key, record.value, headers)
            self._log.broker.land(record.topic, partition, [raw])
            batches.setdefault(partition, []).append(raw)
        if fate.lands_twice and not keeps_the_last(records[0].topic):
            self._log.again(fate.again_s, records[0].topic, batches)
        await _way(fate.after_s)
        await self._log.gate.passed()
        if fate.answer_lost:
            _fail(done)
        elif not done.done():
            done.set_result(None)


async def _all_of(landing: "list[asyncio.Future[None]]", done: "asyncio.Future[None]") -> None:
    for part in landing:
        await asyncio.wait([part])
    if any(part.exception() is not None for part in landing):
        _fail(done)
    elif not done.done():
        done.set_result(None)


class SimulatedReader:
    def __init__(self, log: SimulatedLog, topic: str, partition: int) -> None:
        self._log = log
        self._topic = topic
        self._partition = partition
        self._judge = Judge(log.marks, (topic, partition), log.on_foreign)

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        held = self._log.broker.partition(self._topic, self._partition)
        await self._way()
        if not held.beginning <= offset <= len(held.slots):
            raise OffsetOutOfRange(f"{offset} of {held.beginning} to {len(held.slots)}")
        if offset == len(held.slots) and wait_ms:
            await self._wait(held, wait_ms)
            await self._log.gate.passed()
        position, found = offset, list[LogRecord]()
        while position < len(held.slots) and len(found) < max_records:
            record = held.slots[position]
            if record is not None:
                found.append(record)
            position += 1
        return Fetched(self._judge.true(found), position)

    async def end(self) -> int:
        await self._way()
        return len(self._log.broker.partition(self._topic, self._partition).slots)

    async def beginning(self) -> int:
        await self._way()
        return self._log.broker.partition(self._topic, self._partition).beginning

    async def since(self, ms: int) -> int:
        await self._way()
        slots = self._log.broker.partition(self._topic, self._partition).slots
        return next((at for at, each in enumerate(slots) if each is not None and each.timestamp >= ms), len(slots))

    def known_end(self) -> int:
        return len(self._log.broker.partition(self._topic, self._partition).slots)

    def rest(self) -> None: ...

    async def close(self) -> None: ...

    async def _way(self) -> None:
        await self._log.gate.passed()
        fate = self._log.faults.read(self._topic, self._partition)
        await _way(fate.before_s)
        await self._log.gate.passed()
        if fate.lost:
            raise LogUnavailable("not read")

    async def _wait(self, held: _Partition, wait_ms: int) -> None:
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        held.readers.append(news)
        try:
            async with asyncio.timeout(wait_ms / 1000):
                await news
        except TimeoutError:
            held.readers = [reader for reader in held.readers if reader is not news]


class PostLost(Exception):
    """The group has given the partition to somebody else: who works on it ends, and begins anew once it has it back."""


class SimulatedSource:
    """A commands partition with a group offset and without fencing: a zombie's commit counts, too (journal 12)."""

    def __init__(self, log: SimulatedLog, group: str, topic: str, partition: int) -> None:
        self._log = log
        self._key = (group, topic, partition)
        self._reader = SimulatedReader(log, topic, partition)
        self._there = Found()
        self._at: int | None = None
        self.sign: int | None = None

    async def learn(self) -> None:
        await self._log.gate.passed()
        broker = self._log.broker
        while self._key in broker.taken:
            await asyncio.sleep(0.05)
        offset, text = broker.offsets.get(self._key), broker.beside.get(self._key, "")
        self._there = found(self._log.marks, *self._key, offset, text)
        self.sign = self._there.position.sign if self._there.position is not None else None

    async def begin(self, decided: Decided) -> Moved | None:
        return await self.begin_at(behind(decided))

    async def begin_at(self, otherwise: Otherwise) -> Moved | None:
        self._at, why = await begin(self._reader, self._there, otherwise)
        return None if why is None else Moved(*self._key, self._there.offset or 0, self._at, why)

    async def read(self, max_records: int, wait_ms: int) -> Fetched:
        assert self._at is not None, "`begin` comes first"
        fetched = await self._reader.read(self._at, max_records, wait_ms)
        if self._key in self._log.broker.taken:
            raise PostLost(f"{self._key}")
        self._at = fetched.position
        return fetched

    async def commit(self, offset: int, sign: int | None = None) -> None:
        await self._log.gate.passed()
        broker = self._log.broker
        if self._key in broker.taken:
            raise LogUnavailable("another member of the group has the partition")
        broker.offsets[self._key] = offset
        broker.beside[self._key] = beside(self._log.marks, *self._key, Position(offset, broker.now_ms(), sign))


async def _way(seconds: float) -> None:
    if seconds > 0:
        await asyncio.sleep(seconds)


def _fail(done: "asyncio.Future[None]") -> None:
    if not done.done():
        done.set_exception(LogUnavailable("no acknowledgement"))
        done.exception()  # looked at: a follower that is gone leaves no warning behind
