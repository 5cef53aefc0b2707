"""Public topics read straight: assign and seek, no group, no offset but the one in the database (journal 20)."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.journal.consumers import stop_consumer
from libs.projecting.source import Arrived, Partition, SourceAway

_FRESH_MS = 2_000
"""How old what a fetch told of a partition's end may be: several fetches of a reader that is not held up."""


class KafkaSource:
    """All partitions of some public topics. A position that the log does not have (any more) is raised, loudly."""

    def __init__(self, bootstrap: str, partitions: Sequence[Partition], *, wait_ms: int = 500) -> None:
        self._bootstrap = bootstrap
        self._partitions = list(partitions)
        self._wait_ms = wait_ms
        self._consumer: AIOKafkaConsumer | None = None

    @property
    def partitions(self) -> Sequence[Partition]:
        return self._partitions

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        consumer = await self._started()
        for topic, partition in self._partitions:
            consumer.seek(TopicPartition(topic, partition), positions[topic, partition])

    async def batch(self, limit: int) -> Sequence[Arrived]:
        consumer = await self._started()
        with _away():
            found = await consumer.getmany(timeout_ms=self._wait_ms, max_records=limit)
        return [arrived(record) for records in found.values() for record in records]

    async def ends(self) -> Mapping[Partition, int]:
        """As the last fetch told; the broker is asked only about what nobody has fetched lately."""
        consumer = await self._started()
        fresh = time.time() * 1000 - _FRESH_MS
        ends: dict[TopicPartition, int] = {}
        asked: list[TopicPartition] = []
        for place in (TopicPartition(*each) for each in self._partitions):
            end = consumer.highwater(place)
            if end is None or (consumer.last_poll_timestamp(place) or 0) < fresh:
                asked.append(place)
            else:
                ends[place] = end
        if asked:
            with _away():
                ends |= await consumer.end_offsets(asked)
        return {(place.topic, place.partition): end for place, end in ends.items()}

    async def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await stop_consumer(consumer)

    async def _started(self) -> AIOKafkaConsumer:
        if self._consumer is None:
            consumer = AIOKafkaConsumer(
                bootstrap_servers=self._bootstrap,
                group_id=None,
                enable_auto_commit=False,
                auto_offset_reset="none",  # never guess where to go on (journal 12, 20)
                max_partition_fetch_bytes=4 * 1024 * 1024,
                # Books are written four times a second or by the page, whichever comes first.
                fetch_min_bytes=64 * 1024,
                fetch_max_wait_ms=250,
            )
            try:
                with _away():
                    await consumer.start()
            except SourceAway:
                await stop_consumer(consumer)
                raise
            consumer.assign([TopicPartition(*p) for p in self._partitions])
            self._consumer = consumer
        return self._consumer


@contextmanager
def _away() -> Iterator[None]:
    try:
        yield
    except OffsetOutOfRangeError:
        raise  # the log was cut, or is another one
    except KafkaError as wrong:
        raise SourceAway(type(wrong).__name__) from wrong


def arrived(record: "ConsumerRecord[bytes, bytes]") -> Arrived:
    """A record as the projector takes it; what is no event keeps its raw bytes and the reason."""
    try:
        event = from_record(record.key, record.value, record.headers)
    except NotAPublicEvent as wrong:
        return Arrived(
            record.topic, record.partition, record.offset, None, str(wrong), key=record.key, value=record.value
        )
    return Arrived(record.topic, record.partition, record.offset, event)
