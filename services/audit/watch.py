"""Raises the alarms every few seconds and keeps what they say as incidents."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from aiokafka import AIOKafkaConsumer, TopicPartition

from libs.journal.consumers import stop_consumer
from libs.projecting import Partition, Pool
from services.audit import alarms
from services.audit.incidents import record
from services.audit.projections.live_checks import check_open_sittings
from services.audit.verifying.findings import Finding


class Ends:
    """End offsets of some topic partitions, asked of the broker."""

    def __init__(self, bootstrap: str, partitions: Sequence[Partition]) -> None:
        self._bootstrap = bootstrap
        self._partitions = [TopicPartition(*each) for each in partitions]
        self._consumer: AIOKafkaConsumer | None = None

    async def now(self) -> Mapping[Partition, int]:
        if self._consumer is None:
            consumer = AIOKafkaConsumer(bootstrap_servers=self._bootstrap, group_id=None, enable_auto_commit=False)
            await consumer.start()
            self._consumer = consumer
        ends = await self._consumer.end_offsets(self._partitions)
        return {(place.topic, place.partition): offset for place, offset in ends.items()}

    async def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await stop_consumer(consumer)


class Watch:
    """`schemas` are those whose projections are watched; `ledger` names the one with the books."""

    def __init__(
        self,
        pool: Pool,
        ends: Ends,
        schemas: Sequence[str],
        ledger: str,
        on_finding: Callable[[Finding], None] = lambda finding: None,
    ) -> None:
        self._pool = pool
        self._ends = ends
        self._schemas = list(schemas)
        self._ledger = ledger
        self._on_finding = on_finding

    async def run(self, every_s: float) -> None:
        while True:
            await self.look()
            await asyncio.sleep(every_s)

    async def look(self) -> list[Finding]:
        """What is wrong now, new or not."""
        async with self._pool.acquire() as connection, connection.transaction(readonly=True):
            found = await alarms.books(connection, self._ledger)
            read: dict[tuple[str, str, int], int] = {}
            for schema in self._schemas:
                read |= await alarms.positions(connection, schema)
                found += await alarms.gaps(connection, schema)
                found += await alarms.parked(connection, schema)
            found += await check_open_sittings(connection)
        ends = await self._ends.now()
        found += alarms.ahead_of_log(read, ends)
        found += alarms.parked_topics({place: end for place, end in ends.items() if place[0].endswith(".parked.v1")})
        async with self._pool.acquire() as connection, connection.transaction():
            new = await record(connection, found, int(time.time() * 1000))
        for finding in new:
            self._on_finding(finding)
        return found
