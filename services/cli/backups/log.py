"""Copies topics to a folder and back: every record with key, value, headers, offset and the broker's time."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import UnknownTopicOrPartitionError, for_code
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.structs import OffsetAndMetadata
from msgspec.structs import replace

from libs.broker import Broker
from libs.contracts.groups import GROUPS
from libs.contracts.topics import HOUSES, PLATFORM, TOPICS, Kind, Topic, batch_bytes
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_produce import NO_PRODUCER, size_of
from libs.journal.kafka_wire import Place, produce
from libs.journal.log import Headers, LogRecord, Reader
from libs.journal.marks import MayNotWrite
from libs.projecting import Partition
from libs.stack import Progress, StackError
from services.audit.verifying.kept import Kept
from services.cli.backups.files import Part, Position, Writer, alone, records_in

STAGES: tuple[tuple[Kind, ...], ...] = (
    ("snapshots", "sessions"),
    ("events", "private", "parked"),
    ("journal",),
    ("commands",),
)
"""In this order, after the groups' offsets, while play goes on. Every record of a stage is from before the stage that
follows was read to its end: so no snapshot and no event is ahead of the journal, no commit is of a command that the
backup lacks, whose offset another one would get (journal 14), and no group is ahead of what it has caused."""
_BATCH_BYTES = 900_000
_ROOM = 2_000
"""Of a batch's own fields, below a topic's limit."""
_PAGE = 1_000
_PATIENCE_S = 10.0
_ANSWERS_S = 60.0


class Everything:
    """Takes in every record, whosever it is: a foreign one holds its offset in the copy as in the log."""

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        raise MayNotWrite(place[0])

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        return None

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return None


def compacted(topic: Topic) -> bool:
    """Their offsets mean nothing to anybody, and the last record of a key is all that counts."""
    return topic.config["cleanup.policy"] == "compact"


def stages() -> Iterator[list[Topic]]:
    for kinds in STAGES:
        yield [each for each in TOPICS if each.kind in kinds]


def places(prefix: str, of_house: int) -> dict[Place, Topic]:
    """Every partition of a backup of a house of so many."""
    return {(prefix + t.name, n): t for topics in stages() for t in topics for n in range(t.partitions(of_house))}


class Copying:
    """One run. `log` passes foreign records by, `everything` does not."""

    def __init__(
        self, folder: Path, log: KafkaLog, everything: KafkaLog, prefix: str, of_house: int, at: int, tell: Progress
    ) -> None:
        self._folder = folder
        self._log, self._everything = log, everything
        self._prefix = prefix
        self._of_house = of_house
        self._at = at
        self._tell = tell
        self.copied = 0

    async def stage(self, topics: Sequence[Topic], before: dict[Place, Part]) -> list[Part]:
        parts = []
        for topic in topics:
            for partition in range(topic.partitions(self._of_house)):
                place = (self._prefix + topic.name, partition)
                reader = await (self._log if compacted(topic) else self._everything).reader(*place)
                try:
                    if compacted(topic):
                        parts.append(await self._whole(reader, place))
                    else:
                        parts.append(await self._on(reader, place, topic, before.get(place)))
                finally:
                    await reader.close()
        return parts

    async def _on(self, reader: Reader, place: Place, topic: Topic, before: Part | None) -> Part:
        """What has come since the copy before."""
        beginning, end = await reader.beginning(), await reader.end()
        if topic.is_never_cut and beginning:
            raise StackError(f"{place[0]}/{place[1]} has lost its front: it begins at offset {beginning}")
        part = before
        if part is None or _is_mostly_old(part, beginning):
            part = self._fresh(place, beginning)
        elif part.end > end or not await _is_same(reader, part, beginning):
            raise StackError(f"{place[0]}/{place[1]} is not the log that was copied here: begin in another folder")
        writer, position = Writer(self._folder, part), part.end
        try:
            while position < end:
                fetched = await reader.read(position, _PAGE, 100)
                position = fetched.position
                self._add(place, writer, [each for each in fetched.records if each.offset < end], part.end, end)
        except BaseException:
            writer.drop()
            raise
        return writer.end(end)

    async def _whole(self, reader: Reader, place: Place) -> Part:
        """A compacted partition anew each time: what has been taken back since is not there any more.

        It is read until a moment comes at which there is nothing more. The newest record of each key at that moment
        has lain there since before its offset was read, and so was read: compaction takes no newest record.
        """
        part = self._fresh(place, await reader.beginning())
        writer, position = Writer(self._folder, part), part.first
        try:
            while position < (end := await reader.end()):
                while position < end:
                    fetched = await reader.read(position, _PAGE, 100)
                    position = fetched.position
                    self._add(place, writer, fetched.records, part.first, end)
        except BaseException:
            writer.drop()
            raise
        return writer.end(position)

    def _fresh(self, place: Place, first: int) -> Part:
        return Part(*place, f"{place[0]}-{place[1]}.{self._at}.records", first, first)

    def _add(self, place: Place, writer: Writer, records: Sequence[LogRecord], first: int, end: int) -> None:
        writer.add(records)
        self.copied += len(records)
        if records:
            self._tell(f"{place[0]}/{place[1]}", records[-1].offset + 1 - first, end - first)


def _is_mostly_old(part: Part, beginning: int) -> bool:
    """Retention has taken more than half of the copy, or what came behind it: it is made anew."""
    return beginning > part.end or 2 * (beginning - part.first) > part.end - part.first


async def _is_same(reader: Reader, part: Part, beginning: int) -> bool:
    """Whether the last record that was copied is there still; one that retention has taken is believed."""
    if part.last is None or part.last[0] < beginning:
        return True
    offset, digest = part.last
    give_up = asyncio.get_running_loop().time() + _ANSWERS_S
    while not (fetched := await reader.read(offset, 1, 1_000)).records and fetched.position <= offset:
        if asyncio.get_running_loop().time() > give_up:  # something lies there: the log's end is behind it
            raise StackError(f"{part.topic}/{part.partition}: the broker does not say what lies at {offset}")
    return bool(fetched.records) and fetched.records[0].offset == offset and alone(fetched.records[0]) == digest


async def positions(broker: Broker, prefix: str) -> list[Position]:
    """Of every group of the house and of platforms."""
    ours = {prefix + each.name for each in GROUPS}
    admin = AIOKafkaAdminClient(**broker.options())
    found = []
    try:
        await admin.start()
        for name, *_ in sorted(await admin.list_consumer_groups()):
            if name in ours or name.startswith(f"{prefix}{PLATFORM}-"):
                offsets = await admin.list_consumer_group_offsets(name)
                found += [
                    Position(name, at.topic, at.partition, kept.offset, kept.metadata or "")
                    for at, kept in offsets.items()
                ]
    finally:
        await admin.close()
    return sorted(found, key=lambda each: (each.group, each.topic, each.partition))


async def check_empty(broker: Broker, cluster: Cluster, of_house: int, prefix: str) -> None:
    """`of_house`: its partitions. Raises StackError where a topic is missing, or holds or has ever held anything (but
    what says which house it is), or a group has come anywhere."""
    every = {prefix + topic.name: topic for topic in TOPICS if topic is not HOUSES}
    for name, topic in every.items():
        try:
            there = await cluster.partitions(name)
        except UnknownTopicOrPartitionError:
            there = 0
        if there != (wanted := topic.partitions(of_house)):
            raise StackError(f"{name} has {there} partitions, not {wanted}: `croupier topics --create`")
    ends = await cluster.offsets(
        [(name, n) for name, topic in every.items() for n in range(topic.partitions(of_house))], -1
    )
    for (name, partition), end in sorted(ends.items()):
        if end:
            raise StackError(f"the cluster is not empty: {name}/{partition} ends at offset {end}")
    for each in await positions(broker, prefix):
        raise StackError(f"the cluster is not empty: the group {each.group} has read {each.topic}/{each.partition}")


def is_too_large(topic: Topic, record: LogRecord) -> bool:
    """A snapshot in one record, of a house from before they went in parts: no broker takes it any more. A start
    folds the journal in its place."""
    return compacted(topic) and size_of(record.key, record.value, record.headers) > batch_bytes(topic.name)


class Restoring:
    """Writes parts into empty partitions, each record to its own offset."""

    def __init__(self, folder: Path, cluster: Cluster, tell: Progress) -> None:
        self._folder = folder
        self._cluster = cluster
        self._tell = tell
        self.written = 0

    async def write(self, part: Part, topic: Topic) -> None:
        """An offset at which nothing can be had (below the first, or a batch that nobody could read) gets a record
        without a mark: it counts for nothing, as what was there (journal 22). What `is_too_large` is left out."""
        room = min(_BATCH_BYTES, int(topic.config.get("max.message.bytes", _BATCH_BYTES)) - _ROOM)
        batch, size, offset, done = list[LogRecord](), 0, 0, 0
        for record in self._dense(part, compacted(topic)):
            more = size_of(record.key, record.value, record.headers)
            if is_too_large(topic, record):
                continue
            if batch and size + more > room:
                offset, done = await self._produce(part, batch, offset), done + len(batch)
                self._tell(f"{part.topic}/{part.partition}", done, max(done, part.records))
                batch, size = [], 0
            batch.append(record)
            size += more
        if batch:
            await self._produce(part, batch, offset)
        self.written += part.records

    def _dense(self, part: Part, is_compacted: bool) -> Iterable[LogRecord]:
        expected = 0
        for record in records_in(self._folder, part):
            while not is_compacted and expected < record.offset:
                yield LogRecord(expected, b"", None, (), record.timestamp)
                expected += 1
            yield record
            expected += 1
        while not is_compacted and expected < part.end:
            yield LogRecord(expected, b"", None, (), 0)
            expected += 1

    async def _produce(self, part: Part, batch: Sequence[LogRecord], offset: int) -> int:
        """Once and no more: a repetition could land twice, and all behind it would be at other offsets."""
        builder = DefaultRecordBatchBuilder(2, 0, 0, *NO_PRODUCER, -1, 2**31 - 1)
        for at, each in enumerate(batch):
            if builder.append(at, each.timestamp, each.key, each.value, list(each.headers)) is None:
                raise StackError(f"{part.topic}/{part.partition}: a record does not go into a batch")
        request = produce({part.topic: [(part.partition, bytes(builder.build()))]}, self._cluster.timeout_ms)
        answer = (await self._cluster.call(await self._leader(part.place), "produce", request))[part.place]
        if answer.error or answer.offset != offset:
            why = for_code(answer.error).__name__ if answer.error else f"it got offset {answer.offset}"
            raise StackError(f"{part.topic}/{part.partition}@{offset} was not restored: {why}")
        return offset + len(batch)

    async def _leader(self, place: Place) -> int:
        give_up = asyncio.get_running_loop().time() + _PATIENCE_S
        while (node := self._cluster.leader(place)) is None:
            if asyncio.get_running_loop().time() > give_up:
                raise StackError(f"{place[0]}/{place[1]} has no leader")
            await asyncio.sleep(0.05)
        return node


async def cut(broker: Broker, firsts: dict[Partition, int]) -> None:
    """Takes away what only holds places below the first record of a partition."""
    admin = AIOKafkaAdminClient(**broker.options())
    try:
        await admin.start()
        if firsts:
            await admin.delete_records({TopicPartition(*at): RecordsToDelete(first) for at, first in firsts.items()})
    finally:
        await admin.close()


async def put_positions(broker: Broker, found: Sequence[Position]) -> None:
    for group in sorted({each.group for each in found}):
        theirs = {
            TopicPartition(each.topic, each.partition): OffsetAndMetadata(each.offset, each.beside)
            for each in found
            if each.group == group
        }
        consumer = AIOKafkaConsumer(**broker.options(), group_id=group, enable_auto_commit=False)
        try:
            await consumer.start()
            consumer.assign(list(theirs))
            await consumer.commit(theirs)
        finally:
            await consumer.stop()


async def differs(folder: Path, everything: KafkaLog, part: Part, topic: Topic) -> str:
    """Where the restored partition is not what the backup holds; empty: it is the same, record by record."""
    reader = await everything.reader(*part.place)
    try:
        end = await reader.end()
        if compacted(topic):
            return await _last_ones_differ(folder, reader, part, topic, end)
        if end != part.end:
            return f"{part.topic}/{part.partition} ends at {end}, the backup at {part.end}"
        position, wanted = await reader.beginning(), records_in(folder, part)
        expected = next((each for each in wanted if each.offset >= position), None)
        while position < end:
            fetched = await reader.read(position, _PAGE, 100)
            position = fetched.position
            for each in fetched.records:
                if expected is not None and each.offset == expected.offset:
                    if alone(each) != alone(expected):
                        return f"{part.topic}/{part.partition}@{each.offset} is not the record of the backup"
                    expected = next(wanted, None)
        return "" if expected is None else f"{part.topic}/{part.partition}@{expected.offset} is missing"
    finally:
        await reader.close()


async def _last_ones_differ(folder: Path, reader: Reader, part: Part, topic: Topic, end: int) -> str:
    found, wanted, position = Kept[bytes, str](str), Kept[bytes, str](str), 0
    try:
        while position < end:
            fetched = await reader.read(position, _PAGE, 100)
            position = fetched.position
            found.update(_by_key(fetched.records))
        wanted.update(_by_key(each for each in records_in(folder, part) if not is_too_large(topic, each)))
        # What was taken back may be gone by compaction, and then nothing is the same.
        wrong = next((key for key, is_last in wanted.items() if found.get(key, _NOTHING) != is_last), None)
        return "" if wrong is None else f"{part.topic}/{part.partition}: the last record of {wrong!r} is another"
    finally:
        found.close()
        wanted.close()


_NOTHING = ""


def _by_key(records: Iterable[LogRecord]) -> Iterator[tuple[bytes, str]]:
    """Key, and digest of its record; `_NOTHING` where it takes the key back."""
    for each in records:
        yield each.key or b"", _NOTHING if each.value is None else alone(replace(each, offset=0))
