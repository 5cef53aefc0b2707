"""Commands committed and answered, against a raw aiokafka loop that consumes the same and produces the same bytes.

Ours: four `PartitionRunner`s of the wallet, as a service has them, on the real broker. Raw: four consumers, four
idempotent producers with `acks=all`; for each page one batch to the journal, one to the replies, one offset commit.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from libs.broker import Broker
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_source import KafkaSource
from libs.journal.names import Names, names_of
from libs.journal.observer import Observer
from libs.journal.runner import Pace, PartitionRunner
from libs.stack import provision, remove
from services.wallet.machine import wallet_machine
from tests.bench.core.accounts import Load
from tests.testkit.marks import GATEWAY, INSPECTOR, WALLET, written_by
from tests.testkit.partitions import PARTITIONS

_PAGE = 500
Bytes = list[list[tuple[bytes, bytes, bytes]]]
"""By partition, for each command in order: stream, journal record, reply."""


@asynccontextmanager
async def topics(broker: Broker) -> AsyncIterator[Names]:
    prefix = f"b{uuid4().hex[:8]}."
    await provision(broker, PARTITIONS, prefix)
    try:
        yield names_of("wallet", PARTITIONS, prefix)
    finally:
        await remove(broker, prefix)


async def send_all(broker: Broker, topic: str, by_partition: list[list[tuple[bytes, bytes]]]) -> None:
    async with AIOKafkaProducer(**broker.options(), acks="all", linger_ms=5) as producer:
        sent = [
            await producer.send(**written_by(GATEWAY, topic, partition, key, value))
            for partition, records in enumerate(by_partition)
            for key, value in records
        ]
        await asyncio.gather(*sent)


class Answered(Observer):
    """Counts replies."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.count = 0
        self.all = asyncio.Event()

    def command_answered(self, verdict: str, reason: str | None) -> None:
        assert verdict == "accepted", reason
        self.count += 1
        if self.count >= self.wanted:
            self.all.set()


@asynccontextmanager
async def runners(broker: Broker, names: Names, answered: Answered) -> AsyncIterator[list[PartitionRunner]]:
    """Ready, on every partition; replies of what was there before are not waited for."""
    machine, log = wallet_machine(), KafkaLog(broker, WALLET, client_id="bench")
    # Neither public events nor snapshots: raw has none.
    silent = Pace(offsets_every_s=0.25, snapshot_commits=10**9, snapshot_s=3600)
    group = KafkaGroup(broker, f"{names.commands}-bench", names.commands)
    await group.start()
    attending = asyncio.create_task(group.attend())
    while len(group.assigned) < PARTITIONS:
        await asyncio.sleep(0.01)
    sources = [KafkaSource(log, group, partition) for partition in range(PARTITIONS)]
    made = [
        PartitionRunner(
            machine, log, source, names, partition, lambda commit, steps: (),
            writer="bench", observer=answered, pace=silent,
        )
        for partition, source in enumerate(sources)
    ]  # fmt: skip
    running = [asyncio.create_task(each.run()) for each in made]
    try:
        for each in made:
            await each.ready.wait()
        yield made
    finally:
        for task in (*running, attending):
            task.cancel()
        await asyncio.gather(*running, attending, return_exceptions=True)
        for source in sources:
            await source.close()
        await group.stop()


async def our_rate(broker: Broker, load: Load) -> float:
    """Deposits committed and answered a second; the commands lie there already, the accounts are open."""
    async with topics(broker) as names:
        await send_all(broker, names.commands, load.opening)
        opened = Answered(sum(map(len, load.opening)))
        async with runners(broker, names, opened):
            await opened.all.wait()
            await asyncio.sleep(0.6)  # so that offsets are committed and nobody reads the openings again
        await send_all(broker, names.commands, load.deposits)
        answered = Answered(load.count)
        async with runners(broker, names, answered) as made:
            began = time.perf_counter()
            await answered.all.wait()
            for each in made:
                await each._out.flushed()
            return load.count / (time.perf_counter() - began)


async def bytes_of(broker: Broker, load: Load) -> Bytes:
    """What ours writes for this load, read back from the topics."""
    async with topics(broker) as names:
        await send_all(broker, names.commands, [a + b for a, b in zip(load.opening, load.deposits, strict=True)])
        answered = Answered(load.count + sum(map(len, load.opening)))
        async with runners(broker, names, answered) as made:
            await answered.all.wait()
            for each in made:
                await each._out.flushed()
        journal = [(await _all(broker, names.journal, p))[len(load.opening[p]) :] for p in range(PARTITIONS)]
        replies = [value for p in range(PARTITIONS) for _, value in await _all(broker, names.replies, p)]
    # A reply is as long as another: which belongs to which command does not matter to a raw loop.
    some = iter(replies)
    return [[(key, value, next(some)) for key, value in partition] for partition in journal]


async def _all(broker: Broker, topic: str, partition: int) -> list[tuple[bytes, bytes]]:
    reader = await KafkaLog(broker, INSPECTOR).reader(topic, partition)
    try:
        found: list[tuple[bytes, bytes]] = []
        position, end = 0, await reader.end()
        while position < end:
            fetched = await reader.read(position, 1000, 200)
            found += [(each.key or b"", each.value or b"") for each in fetched.records]
            position = fetched.position
        return found
    finally:
        await reader.close()


@dataclass
class RawLoop:
    """One partition: a page in, a batch to the journal, a batch to the replies, the offset committed."""

    broker: Broker
    names: Names
    partition: int
    written: list[tuple[bytes, bytes, bytes]]
    done: int = 0

    async def start(self) -> None:
        common = {**self.broker.options(), "client_id": f"raw-{self.partition}"}
        group = f"{self.names.commands}-raw-{self.partition}"
        self.consumer = AIOKafkaConsumer(group_id=group, enable_auto_commit=False, fetch_max_wait_ms=200, **common)
        self.producer = AIOKafkaProducer(acks="all", enable_idempotence=True, max_batch_size=1_040_000, **common)
        await self.consumer.start()
        await self.producer.start()
        self.place = TopicPartition(self.names.commands, self.partition)
        self.consumer.assign([self.place])
        self.consumer.seek(self.place, 0)

    async def run(self, until: int) -> None:
        while self.done < until:
            found = await self.consumer.getmany(self.place, timeout_ms=500, max_records=_PAGE)
            records = found.get(self.place, ())
            if not records:
                continue
            page = [self.written[(self.done + index) % len(self.written)] for index in range(len(records))]
            await self._batch(self.names.journal, [(key, value) for key, value, _ in page])
            await self._batch(self.names.replies, [(key, reply) for key, _, reply in page])
            self.done += len(records)
            await self.consumer.commit({self.place: records[-1].offset + 1})

    async def _batch(self, topic: str, records: list[tuple[bytes, bytes]]) -> None:
        batch = self.producer.create_batch()
        for key, value in records:
            assert batch.append(timestamp=None, key=key, value=value) is not None
        await (await self.producer.send_batch(batch, topic, partition=self.partition))

    async def stop(self) -> None:
        await self.consumer.stop()
        await self.producer.stop()


@asynccontextmanager
async def raw_loops(broker: Broker, names: Names, written: Bytes) -> AsyncIterator[list[RawLoop]]:
    loops = [RawLoop(broker, names, partition, written[partition]) for partition in range(PARTITIONS)]
    for each in loops:
        await each.start()
    try:
        yield loops
    finally:
        for each in loops:
            await each.stop()


async def raw_rate(broker: Broker, load: Load, written: Bytes) -> float:
    async with topics(broker) as names:
        await send_all(broker, names.commands, load.deposits)
        async with raw_loops(broker, names, written) as loops:
            began = time.perf_counter()
            await asyncio.gather(*(each.run(len(load.deposits[each.partition])) for each in loops))
            return load.count / (time.perf_counter() - began)
