"""The log on Apache Kafka, through aiokafka."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError
from aiokafka.producer.message_accumulator import BatchBuilder

from libs.contracts.topics import MAX_SNAPSHOT_BYTES, partition_of
from libs.journal.consumers import stop_consumer
from libs.journal.log import (
    AppendUnknown,
    Fetched,
    LogRecord,
    LogUnavailable,
    OffsetOutOfRange,
    OutRecord,
)

_log = logging.getLogger(__name__)

_BATCH_BYTES = 1_040_000
"""Just below the broker's default limit for one batch."""
_CLOSE_S = 5.0


class KafkaLog:
    """Connections to one cluster; keeps the `Log` protocol. `security`: keywords for every aiokafka client."""

    def __init__(
        self,
        bootstrap: str,
        *,
        client_id: str = "croupier",
        fetch_wait_ms: int = 500,
        fetch_bytes: int = 1,
        request_timeout_ms: int = 10_000,
        security: Mapping[str, Any] | None = None,
    ) -> None:
        """`fetch_wait_ms`: how long the broker holds a fetch that finds fewer than `fetch_bytes`."""
        self._common: dict[str, Any] = {
            "bootstrap_servers": bootstrap,
            "client_id": client_id,
            "request_timeout_ms": request_timeout_ms,
            "retry_backoff_ms": 50,
            **(security or {}),
        }
        self._fetch_wait_ms = fetch_wait_ms
        self._fetch_bytes = fetch_bytes

    async def appender(self, topic: str, partition: int) -> "KafkaAppender":
        return KafkaAppender(await self._producer(), topic, partition)

    async def publisher(self) -> "KafkaPublisher":
        return KafkaPublisher(await self._producer())

    async def reader(self, topic: str, partition: int) -> "KafkaReader":
        consumer = AIOKafkaConsumer(
            group_id=None,
            enable_auto_commit=False,
            auto_offset_reset="none",
            isolation_level="read_uncommitted",
            fetch_min_bytes=self._fetch_bytes,
            fetch_max_wait_ms=self._fetch_wait_ms,
            **self._common,
        )
        place = TopicPartition(topic, partition)
        try:
            await consumer.start()
            consumer.assign([place])
            consumer.pause(place)
        except KafkaError as wrong:
            await _stop(consumer)
            raise LogUnavailable(f"no reader: {type(wrong).__name__}") from wrong
        except asyncio.CancelledError:
            await _stop(consumer)
            raise
        return KafkaReader(consumer, place)

    async def _producer(self) -> AIOKafkaProducer:
        producer = AIOKafkaProducer(
            enable_idempotence=True,
            acks="all",
            linger_ms=0,
            max_batch_size=_BATCH_BYTES,
            max_request_size=2 * MAX_SNAPSHOT_BYTES,
            **self._common,
        )
        try:
            await producer.start()
        except KafkaError as wrong:
            await _let_go(producer)
            raise LogUnavailable(f"no producer: {type(wrong).__name__}") from wrong
        except asyncio.CancelledError:
            await _let_go(producer)
            raise
        return producer


class KafkaAppender:
    """One idempotent producer for one partition, `send_batch` with an explicit partition (journal, configuration)."""

    def __init__(self, producer: AIOKafkaProducer, topic: str, partition: int) -> None:
        self._producer = producer
        self._topic = topic
        self._partition = partition
        self._turn = asyncio.Lock()
        self._dead = False
        self._closing: asyncio.Task[None] | None = None

    async def append(self, records: Sequence[tuple[bytes, bytes]]) -> int | None:
        batch = self._producer.create_batch()
        for key, value in records:
            if batch.append(timestamp=None, key=key, value=value) is None:
                raise ValueError("a batch beyond the broker's limit")
        try:
            async with self._turn:  # calls keep their order, whatever the producer's queue does
                if self._dead:
                    raise AppendUnknown("this producer is dead")
                sent = await self._producer.send_batch(batch, self._topic, partition=self._partition)
            landed = await sent
        except KafkaError as wrong:
            self._dead = True
            raise AppendUnknown(type(wrong).__name__) from wrong
        except asyncio.CancelledError:
            self._dead = True
            raise
        return landed.offset if landed.offset >= 0 else None  # journal 7: below zero = place unknown

    async def abandon(self) -> None:
        self._dead = True
        if self._closing is None:
            self._closing = asyncio.create_task(_let_go(self._producer))


class KafkaPublisher:
    """One idempotent producer for any topic."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer
        self._turn = asyncio.Lock()
        self._dead = False
        self._closing: asyncio.Task[None] | None = None

    async def send(self, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        sent: list[asyncio.Future[Any]] = []
        try:
            async with self._turn:
                if self._dead:
                    raise LogUnavailable("this producer is dead")
                counts = {topic: len(await self._producer.partitions_for(topic)) for topic in _topics(records)}
                for place, batch in self._batches(records, counts):
                    sent.append(await self._producer.send_batch(batch, place.topic, partition=place.partition))
        except (KafkaError, AssertionError) as wrong:  # aiokafka asserts that the partition exists
            self._dead = True
            raise LogUnavailable(f"not sent: {type(wrong).__name__}") from wrong
        acknowledged = asyncio.create_task(self._acknowledged(sent))
        acknowledged.add_done_callback(_look)
        return acknowledged

    async def abandon(self) -> None:
        self._dead = True
        if self._closing is None:
            self._closing = asyncio.create_task(_let_go(self._producer))

    def _batches(
        self, records: Sequence[OutRecord], counts: Mapping[str, int]
    ) -> list[tuple[TopicPartition, BatchBuilder]]:
        """The records in their order, gathered by partition: handing over one by one costs five times as much."""
        batches: list[tuple[TopicPartition, BatchBuilder]] = []
        filling: dict[TopicPartition, BatchBuilder] = {}
        for record in records:
            place = TopicPartition(record.topic, _partition_of(record, counts[record.topic]))
            if place in filling and _put(filling[place], record):
                continue
            batch = filling[place] = self._producer.create_batch()
            batches.append((place, batch))
            if not _put(batch, record):
                raise ValueError("a batch that takes nothing")
        return batches

    async def _acknowledged(self, sent: "list[asyncio.Future[Any]]") -> None:
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                self._dead = True
                raise LogUnavailable(f"not acknowledged: {type(outcome).__name__}")


class KafkaReader:
    """A plain consumer of one partition, from the leader, offsets given by the caller."""

    def __init__(self, consumer: AIOKafkaConsumer, place: TopicPartition) -> None:
        self._consumer = consumer
        self._place = place
        self._at = -1
        self._resting = True

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        try:
            if offset != self._at:
                self._consumer.seek(self._place, offset)
                self._at = offset
            if self._resting:
                self._consumer.resume(self._place)
                self._resting = False
            found = await self._consumer.getmany(self._place, timeout_ms=wait_ms, max_records=max_records)
            self._at = await self._consumer.position(self._place)
        except OffsetOutOfRangeError:
            self._at = -1
            raise OffsetOutOfRange(f"offset {offset}") from None
        except KafkaError as wrong:
            self._at = -1
            raise LogUnavailable(f"not read: {type(wrong).__name__}") from wrong
        records = [
            LogRecord(each.offset, each.key, each.value, tuple(each.headers), each.timestamp)
            for each in found.get(self._place, ())
        ]
        return Fetched(records, self._at)

    async def end(self) -> int:
        try:
            ends = await self._consumer.end_offsets([self._place])
        except KafkaError as wrong:
            raise LogUnavailable(f"no end offset: {type(wrong).__name__}") from wrong
        return int(ends[self._place])

    async def beginning(self) -> int:
        """Offset of the earliest record that the broker still holds."""
        try:
            starts = await self._consumer.beginning_offsets([self._place])
        except KafkaError as wrong:
            raise LogUnavailable(f"no beginning offset: {type(wrong).__name__}") from wrong
        return int(starts[self._place])

    def known_end(self) -> int:
        return int(self._consumer.highwater(self._place) or 0)

    def rest(self) -> None:
        if not self._resting:
            self._consumer.pause(self._place)
            self._resting = True

    async def close(self) -> None:
        await _stop(self._consumer)


async def _stop(consumer: AIOKafkaConsumer) -> None:
    with contextlib.suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(_CLOSE_S):
            await stop_consumer(consumer)


async def _let_go(producer: AIOKafkaProducer) -> None:
    """Ends a producer without flushing: `stop` would wait for batches that may never be taken.

    Reaches into aiokafka 0.14 (pinned): cutting the connections first ends the requests under way, so that the sender,
    which waits for them when cancelled, can end. The contract suite checks that no task stays behind.
    """
    producer._closed = True
    sender = producer._sender
    if sender is not None and sender.sender_task is not None:
        sender.sender_task.cancel()
    with contextlib.suppress(KafkaError, TimeoutError, asyncio.CancelledError):
        async with asyncio.timeout(_CLOSE_S):
            await producer.client.close()
            if sender is not None and sender.sender_task is not None:
                await asyncio.wait([sender.sender_task])
    accumulator = producer._message_accumulator
    for queued in accumulator._batches.values():
        # A batch that waits for another try is no longer pending, but its callback takes it from there.
        accumulator._pending_batches.update(batch for batch in queued if batch.retry_count)
    left = {*accumulator._pending_batches, *chain.from_iterable(accumulator._batches.values())}
    accumulator.fail_all(AppendAbandoned())
    for batch in left:
        for told in (batch.future, batch._drain_waiter):
            _look(told)


class AppendAbandoned(KafkaError):  # type: ignore[misc]
    """The producer was let go before the broker answered."""


def _topics(records: Sequence[OutRecord]) -> list[str]:
    return list(dict.fromkeys(record.topic for record in records))


def _partition_of(record: OutRecord, partitions: int) -> int:
    return record.partition if record.partition is not None else partition_of(record.key.decode(), partitions)


def _put(batch: BatchBuilder, record: OutRecord) -> bool:
    """False where the batch is full; the first record always has room."""
    taken = batch.append(timestamp=None, key=record.key, value=record.value, headers=list(record.headers))
    return taken is not None


def _look(told: "asyncio.Future[Any]") -> None:
    if told.done() and not told.cancelled():
        told.exception()  # whoever waited knows; whoever is gone need not be warned
