"""How long a partition takes to be ready again, by the length of its log: ten times the commits of one evening.

A real table's journal on the real broker, with the snapshots that its follower wrote; the runner restores from them.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from libs.broker import Broker
from libs.contracts.topics import TABLE_PRIVATE, topic
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_source import KafkaSource
from libs.journal.log import LogRecord, OutRecord
from libs.journal.names import Names, names_of
from libs.journal.observer import Observer
from libs.journal.pace import Pace
from libs.journal.runner import PartitionRunner
from libs.sealing.secret import DataKey
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from tests.audit.played import GATEWAY_KEY, KEYRING, PlayedHouse
from tests.bench.core.broker import topics
from tests.testkit.marks import TABLE
from tests.testkit.partitions import PARTITIONS, partition_of

_DEEP = 50_000_000
"""Minor units: enough for every player to last through ten evenings."""
_HAND_MS = 30_000
"""Hands at the pace of people: the ids remembered are those of ten minutes, not of the whole log (journal 13)."""


class Restart:
    """One table after so many commits; `seconds` from making a runner to its being ready."""

    def __init__(self, broker: Broker, commits: int) -> None:
        self.broker = broker
        self.house = PlayedHouse()
        self.house.open(6, _DEEP, buy_in_max=_DEEP, top_up_to=_DEEP)
        while len(self.journal) < commits:
            self.house.play(1)
            self.house.now += _HAND_MS
        self.records = self.journal[:commits]

    @property
    def journal(self) -> list[LogRecord]:
        return self.house.broker.records(topic("table", "journal").name, partition_of(self.house.table))

    async def seconds(self) -> float:
        async with topics(self.broker) as wallet:
            prefix = wallet.commands.removesuffix(topic("wallet", "commands").name)
            names = names_of("table", PARTITIONS, prefix)
            partition, log = partition_of(self.house.table), KafkaLog(self.broker, TABLE, client_id="restart")
            await self._copy(log, names, partition)
            await self._snapshots(log, names, partition, prefix)
            return await self._ready(log, names, partition, prefix)

    async def _copy(self, log: KafkaLog, names: Names, partition: int) -> None:
        publisher = await log.publisher()
        for at in range(0, len(self.records), 500):
            page = self.records[at : at + 500]
            await (await publisher.send([OutRecord(names.journal, r.key or b"", r.value, (), partition) for r in page]))
        await publisher.abandon()

    async def _snapshots(self, log: KafkaLog, names: Names, partition: int, prefix: str) -> None:
        """Written once, when the whole journal has been folded."""
        written, all_of_it = Written(), Pace(snapshot_commits=len(self.records), snapshot_s=3600)
        async with self._runner(log, names, partition, prefix, observer=written, pace=all_of_it):
            await written.all.wait()

    async def _ready(self, log: KafkaLog, names: Names, partition: int, prefix: str) -> float:
        began = time.perf_counter()
        async with self._runner(log, names, partition, prefix) as runner:
            await runner.ready.wait()
            took = time.perf_counter() - began
            assert runner.position.next == len(self.records)
        return took

    @asynccontextmanager
    async def _runner(
        self, log: KafkaLog, names: Names, partition: int, prefix: str, **options: Any
    ) -> AsyncIterator[Any]:
        group = KafkaGroup(self.broker, f"{names.commands}-restart", names.commands)
        await group.start()
        source = KafkaSource(log, group, partition)
        events, private = prefix + topic("table", "events").name, prefix + TABLE_PRIVATE.name
        publish = table_publisher(events, private, DataKey(GATEWAY_KEY))
        runner: Any = PartitionRunner(
            table_machine(KEYRING), log, source, names, partition, publish, writer="bench", **options
        )
        running = asyncio.create_task(runner.run())
        try:
            yield runner
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await source.close()
            await group.stop()


class Written(Observer):
    """Tells when snapshots were written."""

    def __init__(self) -> None:
        self.all = asyncio.Event()

    def happened(self, what: str, partition: int, times: int = 1) -> None:
        if what == "snapshots_written":
            self.all.set()
