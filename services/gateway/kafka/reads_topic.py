"""All partitions of one topic, read without a group: every gateway sees everything and remembers no position."""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from libs.contracts.topics import Topic
from libs.journal.consumers import stop_consumer

BATCH = 2_000
_PAGES = 16
"""Pages read ahead over all partitions; then reading waits."""
_QUIET_S = 0.2


class TopicReader:
    """Reads from the `beginning` or from the `end` as it was at `start`; `caught_up` once it is past that end.

    One consumer for each partition: a consumer has a single fetch under way per broker, and one that waits for quiet
    partitions would hold up the news of a busy one.
    """

    def __init__(self, bootstrap: str, topic: Topic, prefix: str, start_at: Literal["beginning", "end"]) -> None:
        self.topic = prefix + topic.name
        self._caught_up = asyncio.Event()
        self._partitions = [TopicPartition(self.topic, number) for number in range(topic.partitions)]
        self._start_at = start_at
        self._behind: dict[TopicPartition, int] = {}
        """End as it was at `start`, for the partitions that have not been read so far."""
        self._pages: asyncio.Queue[list[ConsumerRecord]] = asyncio.Queue(_PAGES)
        self._reading: list[asyncio.Task[None]] = []
        self._consumers = {
            partition: AIOKafkaConsumer(
                bootstrap_servers=bootstrap,
                group_id=None,
                enable_auto_commit=False,
                # A reply from before us is for nobody; a public event from before us is what views are made of.
                auto_offset_reset="earliest" if start_at == "beginning" else "latest",
                fetch_max_wait_ms=250,
            )
            for partition in self._partitions
        }

    async def start(self) -> None:
        await asyncio.gather(*(consumer.start() for consumer in self._consumers.values()))
        for partition, consumer in self._consumers.items():
            await self._place(partition, consumer)
        self._see_whether_caught_up()
        self._reading = [asyncio.create_task(self._read(consumer)) for consumer in self._consumers.values()]

    async def stop(self) -> None:
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        await asyncio.gather(*(stop_consumer(consumer) for consumer in self._consumers.values()))

    async def batches(self) -> AsyncIterator[list[ConsumerRecord]]:
        """Records as they come, in order within a partition; an empty batch now and then when nothing does."""
        while True:
            for task in self._reading:
                if task.done():
                    task.result()
            page = await self._next_page()
            yield page
            if page and self._behind:
                self._note_read(page[-1])

    @property
    def caught_up(self) -> bool:
        return self._caught_up.is_set()

    async def catch_up(self) -> None:
        """Returns once everything that was there at `start` has been read."""
        await self._caught_up.wait()

    async def _place(self, partition: TopicPartition, consumer: AIOKafkaConsumer) -> None:
        consumer.assign([partition])
        first = (await consumer.beginning_offsets([partition]))[partition]
        end = (await consumer.end_offsets([partition]))[partition]
        consumer.seek(partition, first if self._start_at == "beginning" else end)
        if self._start_at == "beginning" and first < end:
            self._behind[partition] = end

    async def _read(self, consumer: AIOKafkaConsumer) -> None:
        while True:
            for records in (await consumer.getmany(timeout_ms=1_000, max_records=BATCH)).values():
                await self._pages.put(records)

    async def _next_page(self) -> list[ConsumerRecord]:
        try:
            async with asyncio.timeout(_QUIET_S):
                return await self._pages.get()
        except TimeoutError:
            return []

    def _note_read(self, last: ConsumerRecord) -> None:
        partition = TopicPartition(last.topic, last.partition)
        if last.offset + 1 >= self._behind.get(partition, 0):
            self._behind.pop(partition, None)
            self._see_whether_caught_up()

    def _see_whether_caught_up(self) -> None:
        if not self._behind:
            self._caught_up.set()
