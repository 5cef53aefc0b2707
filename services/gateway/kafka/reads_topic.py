"""All partitions of one topic, read without a group: every gateway sees everything and remembers no position."""

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from libs.contracts.topics import Topic

BATCH = 2_000


class TopicReader:
    """Reads from the `beginning` or from the `end` as it was at `start`; `caught_up` once it is past that end."""

    def __init__(self, bootstrap: str, topic: Topic, prefix: str, start_at: Literal["beginning", "end"]) -> None:
        self.topic = prefix + topic.name
        self._caught_up = asyncio.Event()
        self._partitions = [TopicPartition(self.topic, number) for number in range(topic.partitions)]
        self._start_at = start_at
        self._ends: dict[TopicPartition, int] = {}
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=bootstrap,
            group_id=None,
            enable_auto_commit=False,
            # A reply from before us is for nobody; a public event from before us is what views are made of.
            auto_offset_reset="earliest" if start_at == "beginning" else "latest",
            fetch_max_wait_ms=100,
        )

    async def start(self) -> None:
        await self._consumer.start()
        self._consumer.assign(self._partitions)
        self._ends = await self._consumer.end_offsets(self._partitions)
        if self._start_at == "end":
            for partition, end in self._ends.items():
                self._consumer.seek(partition, end)
            self._caught_up.set()
        else:
            await self._consumer.seek_to_beginning(*self._partitions)

    async def stop(self) -> None:
        await self._consumer.stop()

    async def batches(self) -> AsyncIterator[list[ConsumerRecord]]:
        """Records as they come, in order within a partition; an empty batch now and then when nothing does."""
        while True:
            found = await self._consumer.getmany(timeout_ms=200, max_records=BATCH)
            yield [record for records in found.values() for record in records]
            if not self.caught_up and await self._reached_ends():
                self._caught_up.set()

    @property
    def caught_up(self) -> bool:
        return self._caught_up.is_set()

    async def catch_up(self) -> None:
        """Returns once everything that was there at `start` has been read."""
        await self._caught_up.wait()

    async def _reached_ends(self) -> bool:
        for partition, end in self._ends.items():
            if await self._consumer.position(partition) < end:
                return False
        return True
