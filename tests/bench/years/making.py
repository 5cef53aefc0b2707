"""A house with a history, made quickly: journals, public events and snapshots in bulk, by the house's own encoders.

What it leaves is a house that was moved here a moment ago: nothing runs, every stream is in a snapshot, policies have
answered every event. Read models are made by the services themselves at their first start.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from uuid import uuid4

from aiokafka.errors import for_code
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from libs.broker.administration import administering
from libs.contracts.house import HouseCreated
from libs.contracts.topics import HOUSE, HOUSES, TOPICS, topic
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_produce import NO_PRODUCER, size_of
from libs.journal.kafka_wire import Place, produce
from libs.journal.log import Headers, OutRecord
from libs.journal.mark_keys import file_of, marks_in, marks_of, plan_in
from libs.journal.positions import Position as Reached
from libs.journal.positions import beside
from libs.journal.seal_keys import seals_of
from libs.stack import Progress, create_house, provision
from libs.stack.house import say
from services.cli.backups.files import Position
from services.cli.backups.log import put_positions
from services.cli.migrate import migrated
from services.cli.surroundings import MARKS, Surroundings, mark_root
from tests.bench.history import DAY_MS, HANDS_A_DAY, History, Timed
from tests.testkit.partitions import PARTITIONS

EVENTS_A_HAND = 51
"""Nearly."""
_BATCH_BYTES = 900_000
_TIMESTAMPS = "message.timestamp.type"
_SETTLE_S = 2.0
POLICIES = {
    ("wallet", "wallet-policies"): "table",
    ("wallet", "wallet-notes"): "wallet",
    ("wallet", "wallet-escrows"): "wallet",
    ("table", "table-draws"): "table",
    ("tournament", "tournament-news"): "table",
    ("table", "table-policies"): "wallet",
    ("tournament", "tournament-policies"): "wallet",
}
"""Groups that have answered everything, after their owners, and whose public events they read."""


class Bulk:
    """Writes what services would have written, under their logins and marks, each record at its own time."""

    def __init__(self, at: Surroundings, home: Path, services: Iterable[str]) -> None:
        keys = home / "keys"
        self._marks = {each: marks_in(file_of(keys / MARKS, each)) for each in services}
        self._seals = {each: seals_of(each, mark_root(keys), plan_in(keys / MARKS)) for each in services}
        self._sealed = {topic(each, "snapshots").name for each in services}
        self._clusters = {each: Cluster(at.stack.broker(each), f"bench-{each}", 30_000) for each in services}

    async def join(self) -> None:
        for each in self._clusters.values():
            await each.join()
            await each.partitions(HOUSES.name)

    def leave(self) -> None:
        for each in self._clusters.values():
            each.leave()

    async def send(self, service: str, records: Sequence[Timed]) -> None:
        marks, filling = self._marks[service], dict[Place, Batch]()
        for at, record in records:
            each = self._seals[service].sealed(record) if record.topic in self._sealed else record
            place = each.topic, each.partition or 0
            headers = marks.marked(place, each.key, each.value, each.headers)
            batch = filling.setdefault(place, Batch())
            if not batch.add(at, each, headers):
                await self._produce(service, place, batch)
                filling[place] = batch = Batch()
                batch.add(at, each, headers)
        for place, batch in filling.items():
            await self._produce(service, place, batch)

    async def _produce(self, service: str, place: Place, batch: "Batch") -> None:
        cluster = self._clusters[service]
        await cluster.partitions(place[0])
        while (node := cluster.leader(place)) is None:
            await asyncio.sleep(0.05)
        request = produce({place[0]: [(place[1], bytes(batch.builder.build()))]}, cluster.timeout_ms)
        answer = (await cluster.call(node, "produce", request))[place]
        assert not answer.error, f"{place}: {for_code(answer.error).__name__}"


class Batch:
    def __init__(self) -> None:
        self.builder = DefaultRecordBatchBuilder(2, 0, 0, *NO_PRODUCER, -1, 2**31 - 1)
        self._size = self._count = 0

    def add(self, at: int, record: OutRecord, headers: Headers) -> bool:
        """False where it is full."""
        size = size_of(record.key, record.value, headers)
        if self._count and self._size + size > _BATCH_BYTES:
            return False
        self.builder.append(self._count, at, record.key, record.value, list(headers))
        self._size += size
        self._count += 1
        return True


async def make(at: Surroundings, home: Path, events: int, tell: Progress) -> History:
    """A house of so many public events."""
    admin, keys = at.stack.admin, home / "keys"
    await provision(admin, PARTITIONS)
    await migrated(at.stack.database_url)
    services = ("table", "wallet")
    bulk = Bulk(at, home, services)
    await bulk.join()
    now = time.time_ns() // 1_000_000
    began = now - events // EVENTS_A_HAND * DAY_MS // HANDS_A_DAY
    history = History(bulk.send, began, at.keyring(), at.secret("gateway_key"))
    names = [each.name for each in TOPICS]
    async with administering(admin) as administrator:
        await administrator.set_topics(names, _TIMESTAMPS, "CreateTime")  # as a restore does
        await asyncio.sleep(_SETTLE_S)
        while history.events < events:
            await history.play()
            tell("history", min(history.events, events), events)
        await history.close()
        await administrator.set_topics(names, _TIMESTAMPS, "LogAppendTime")
        await asyncio.sleep(_SETTLE_S)
    bulk.leave()
    carried = {service: history.carried(service) for service in services}
    root = marks_of(HOUSE, mark_root(keys), plan_in(keys / MARKS))
    await say(admin, root, "", HouseCreated(str(uuid4()), 2, PARTITIONS, now, None, carried))
    await create_house(admin, root)
    positions = []
    for (owner, group), service in POLICIES.items():
        marks, name = marks_in(file_of(keys / MARKS, owner)), topic(service, "events").name
        for n, end in history.ends(service).items():
            positions.append(Position(group, name, n, end, beside(marks, group, name, n, Reached(end, now))))
    await put_positions(admin, positions)
    return history
