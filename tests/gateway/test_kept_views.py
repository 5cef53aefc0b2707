"""A gateway starts from kept views, on the real broker: the same as from the log, whatever befell the views."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import VIEWS, topic
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogRecord, OutRecord
from libs.journal.mark_keys import marks_in
from libs.stack import Stack
from libs.views.table import TableView, fold_table
from services.gateway.app.floor import Floor
from services.gateway.kafka import keeps_views
from services.gateway.kafka.hears import hear_events
from services.gateway.kafka.keeps_views import KeepsViews, Kept, Manifest
from services.gateway.kafka.reads_topic import TopicReader
from services.gateway.views import tables
from services.gateway.ws.fan_out import FanOut
from tests.gateway.hands import everybody, opened, started, to_the_end
from tests.journal.test_log_contract import whole as whole_of
from tests.testkit.marks import TABLE as TABLE_MARKS
from tests.testkit.marks import UNMARKED, mark_file
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
TABLES = [f"table-{number}" for number in range(12)]
EVENTS = topic("table", "events")
FOR_EVER = float("inf")


@dataclass
class House:
    """A table service that only publishes, and gateways that hear it."""

    prefix: str
    gateways: KafkaLog
    tables: KafkaLog
    publisher: KafkaPublisher
    versions: dict[str, int]
    now: int = 0
    """Gateways' clock (ms)."""

    async def play(self, table: str, *facts: TableEvent) -> None:
        records = []
        for fact in facts:
            version = self.versions[table] = self.versions.get(table, 0) + 1
            told = replace(fact, table=table)
            event = PublicEvent(stream=table, version=version, type=wire_name(type(told)), time=version,
                                causation=f"c{version}", data=encode_fact(told)[1])  # fmt: skip
            records.append(OutRecord(self.prefix + EVENTS.name, *to_record(event)))
        await (await self.publisher.send(records))

    async def start(self) -> "Started":
        """A gateway, once it has heard all."""
        floor, heard = Floor(FanOut()), [0]
        views = KeepsViews(self.gateways, range(PARTITIONS), self.prefix, "table", floor.tables, lambda: self.now)
        reader = TopicReader(self.gateways, EVENTS, PARTITIONS, self.prefix, "beginning")

        def counted(partition: int, records: Sequence[LogRecord]) -> None:
            heard[0] += len(records)
            views.heard(partition, records)

        await reader.start(await views.restore())
        hearing = asyncio.create_task(hear_events(reader, floor, counted))
        try:
            async with asyncio.timeout(30):
                await reader.catch_up()
        finally:
            hearing.cancel()
            await asyncio.wait([hearing])
            await reader.stop()
        return Started(floor, heard[0], views)

    async def keep(self, started: "Started") -> None:
        publisher = await self.gateways.publisher(self.prefix + VIEWS.name)
        for number in range(EVENTS.partitions(PARTITIONS)):
            await started.views.write(publisher, number, FOR_EVER)
        await publisher.abandon()


@dataclass
class Started:
    floor: Floor
    heard: int
    views: KeepsViews


@pytest_asyncio.fixture
async def house(stack: Stack, topics: str, tmp_path: Path) -> AsyncIterator[House]:
    gateways = KafkaLog(stack.broker("gateway"), marks_in(mark_file(tmp_path, "gateway")))
    tables = KafkaLog(stack.broker("table"), TABLE_MARKS)
    house = House(topics, gateways, tables, await tables.publisher(), {})
    for table in TABLES:
        await house.play(table, opened(), *everybody(), *to_the_end(41))
    yield house
    await house.publisher.abandon()


async def from_the_log(house: House) -> Started:
    """As a gateway starts that nobody kept anything for."""
    never = KeepsViews.restore
    KeepsViews.restore = nothing  # type: ignore[method-assign]
    try:
        return await house.start()
    finally:
        KeepsViews.restore = never  # type: ignore[method-assign]


async def nothing(self: KeepsViews) -> dict[int, int]:
    return {}


async def test_a_start_reads_what_is_new_and_knows_the_same(house: House) -> None:
    first = await house.start()
    assert first.heard == sum(house.versions.values()), "nothing is kept so far"
    await house.keep(first)
    for table in TABLES[:2]:
        await house.play(table, *to_the_end(42), started(43))
    new = 2 * (len(to_the_end(42)) + 1)
    second, whole = await house.start(), await from_the_log(house)
    assert (second.heard, whole.heard) == (new, sum(house.versions.values()))
    assert second.floor.tables == whole.floor.tables
    for table in TABLES:
        for player in ("alice", "bob", "carol", "mallory"):
            assert second.floor.view(table, player) == whole.floor.view(table, player)
            assert second.floor.last_played(table, player) == whole.floor.last_played(table, player)
    await house.keep(second)
    assert (await house.start()).heard == 0


async def test_what_one_record_does_not_hold_is_kept_in_parts(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeps_views, "PART_BYTES", 200)
    first = await house.start()
    await house.keep(first)
    again = await house.start()
    assert (again.heard, again.floor.tables) == (0, first.floor.tables)
    await house.play(TABLES[0], *to_the_end(42))
    second = await house.start()
    await house.keep(second)
    of, name = partition_of(TABLES[0]), f"part/table/{TABLES[0]}/".encode()
    lying = dict[bytes, bool]()
    for record in await whole_of(house.gateways, house.prefix + VIEWS.name, of):
        lying[record.key or b""] = record.value is not None
    sets = {key.rpartition(b"/")[0] for key, there in lying.items() if there and key.startswith(name)}
    assert len(sets) == 1, "the older ones are taken away"
    third, from_all = await house.start(), await from_the_log(house)
    assert (third.heard, third.floor.tables) == (0, from_all.floor.tables)


async def test_a_table_whose_event_breaks_stands_alone_until_it_is_mended(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others' views go on, in the same partition too. Views that are kept meanwhile do not forget the event."""
    await house.keep(await house.start())
    broken, sound = TABLES[0], fold_table
    beside = [table for table in TABLES[1:] if partition_of(table) == partition_of(broken)]
    assert beside

    def breaks(view: TableView, event: Fact | None, version: int) -> TableView:
        if view.table == broken:
            raise ZeroDivisionError
        return sound(view, event, version)

    for table in (broken, *beside):
        await house.play(table, started(42))
    monkeypatch.setattr(tables, "fold_table", breaks)
    first = await house.start()
    assert first.floor.told() == "1 tables wait for an event that is missing"
    behind = {table: house.versions[table] - first.floor.tables.version(table) for table in TABLES}
    assert behind == {table: int(table == broken) for table in TABLES}
    await house.keep(first)
    assert (await house.start()).floor.told() is not None

    monkeypatch.setattr(tables, "fold_table", sound)
    mended, whole = await house.start(), await from_the_log(house)
    assert mended.floor.told() is None
    assert mended.floor.tables == whole.floor.tables


async def test_a_view_that_can_not_be_written_keeps_no_other_from_it(house: House) -> None:
    """One record with a number beyond all formats ended every gateway, as often as it was started."""
    whole = encode_fact(replace(opened(), table="odd", at=1))[1]
    event = PublicEvent(stream="odd", version=1, type=wire_name(type(opened())), time=1, causation="c1",
                        data=whole.replace(b'"break_ms":', b'"break_ms":%d' % 2**64))  # fmt: skip
    assert event.data != whole
    await (await house.publisher.send([OutRecord(house.prefix + EVENTS.name, *to_record(event))]))
    first = await house.start()
    assert first.floor.tables.version("odd") == 1
    await house.keep(first)
    await house.keep(first)
    again, from_all = await house.start(), await from_the_log(house)
    assert again.heard < from_all.heard
    assert again.floor.tables == from_all.floor.tables


async def test_what_waits_to_be_kept_is_read_again(house: House) -> None:
    """The manifest stands at the first event that is in no view, however many came behind it."""
    started_ = await house.start()
    waits = TABLES[3]
    for of in started_.views._partitions.values():
        of.changed = {stream: (at, 9e9 if stream == waits else heard) for stream, (at, heard) in of.changed.items()}
    publisher = await house.gateways.publisher(house.prefix + VIEWS.name)
    for number in range(EVENTS.partitions(PARTITIONS)):
        await started_.views.write(publisher, number, 8e9)
    await publisher.abandon()
    again, whole = await house.start(), await from_the_log(house)
    assert again.floor.tables == whole.floor.tables
    assert house.versions[waits] <= again.heard < whole.heard


async def test_a_manifest_over_very_many_is_written_seldom_and_ends_no_gateway(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names each stream that is kept. At 357,000 of a partition all gateways ended, again and again."""
    started_ = await house.start()
    await house.keep(started_)
    written = {number: of.said_at for number, of in started_.views._partitions.items()}
    monkeypatch.setattr(keeps_views, "MANIFEST_BYTES_S", 1)
    for number, of in started_.views._partitions.items():
        of.changed = {table: (0, 0.0) for table in TABLES if partition_of(table, PARTITIONS) == number}
    await house.keep(started_)
    assert {number: of.said_at for number, of in started_.views._partitions.items()} == written, "not so soon"
    monkeypatch.setattr(keeps_views, "MANIFEST_BYTES_S", 10**9)
    monkeypatch.setattr(keeps_views, "MAX_SNAPSHOT_BYTES", 10)
    await house.keep(started_)
    assert all(of.unsaid for of in started_.views._partitions.values() if of.versions), "one after the other is tried"
    monkeypatch.undo()
    await house.keep(started_)
    again, whole = await house.start(), await from_the_log(house)
    assert again.floor.tables == whole.floor.tables
    assert again.heard == 0


Wreck = Callable[[Kept], bytes | None]


@pytest.mark.parametrize(("wreck", "by_the_log"), [
    (lambda kept: msgspec.msgpack.encode(kept)[:-9], True),
    (lambda kept: None, True),
    (lambda kept: msgspec.msgpack.encode(replace(kept, upto=kept.upto + 100_000)), True),
    (lambda kept: msgspec.msgpack.encode(replace(kept, version=kept.version + 1)), True),
    (lambda kept: msgspec.msgpack.encode(replace(kept, build=b"another")), False),
], ids=["torn", "missing", "of events that are not there", "of another version", "of another build"])  # fmt: skip
async def test_a_wrecked_view_changes_nothing(house: House, wreck: Wreck, by_the_log: bool) -> None:
    first = await house.start()
    await house.keep(first)
    table, of = TABLES[0], partition_of(TABLES[0])
    version, state = first.floor.tables.kept(table)
    kept = Kept(keeps_views.FOLDS, table, first.views._partitions[of].next, version, state)
    publisher = await house.gateways.publisher(house.prefix + VIEWS.name)
    record = OutRecord(house.prefix + VIEWS.name, f"table/{table}".encode(), wreck(kept), (), of)
    await (await publisher.send([record]))
    again = await house.start()
    assert again.floor.tables == first.floor.tables
    assert (again.heard > 0) == by_the_log
    await house.keep(again)
    await publisher.abandon()


async def test_a_view_that_another_one_has_forged_is_not_there(house: House) -> None:
    first = await house.start()
    await house.keep(first)
    table, of = TABLES[0], partition_of(TABLES[0])
    version, state = first.floor.tables.kept(TABLES[1])
    forged = Kept(keeps_views.FOLDS, table, 10**6, version, state)
    log = KafkaLog(house.gateways.broker, UNMARKED)  # whoever has a login and not the gateway's key
    publisher = await log.publisher(house.prefix + VIEWS.name)
    key = f"table/{table}".encode()
    await (await publisher.send([OutRecord(house.prefix + VIEWS.name, key, msgspec.msgpack.encode(forged), (), of)]))
    await publisher.abandon()
    again = await house.start()
    assert (again.heard, again.floor.tables) == (0, first.floor.tables)


async def test_an_older_view_behind_a_newer_one_costs_reading_and_nothing_else(house: House) -> None:
    """Two gateways, one of them behind: compaction leaves the older one."""
    first = await house.start()
    table, of = TABLES[0], partition_of(TABLES[0])
    old = Kept(keeps_views.FOLDS, table, first.views._partitions[of].next, *first.floor.tables.kept(table))
    await house.play(table, *to_the_end(42))
    second = await house.start()
    second.views._partitions[of].changed.pop(table)
    await house.keep(second)
    publisher = await house.gateways.publisher(house.prefix + VIEWS.name)
    low, last = second.views._partitions[of].next, second.views._partitions[of]
    manifest = Manifest(keeps_views.FOLDS, low, {**last.versions, table: house.versions[table]}, last.last, last.digest)
    await (await publisher.send([
        OutRecord(house.prefix + VIEWS.name, key, msgspec.msgpack.encode(each), (), of)
        for key, each in ((f"table/{table}".encode(), old), (b"table/", manifest))
    ]))  # fmt: skip
    await publisher.abandon()
    again = await house.start()
    assert again.floor.tables == second.floor.tables
    assert again.heard == len(to_the_end(42))


async def test_views_of_another_log_are_left_aside(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await house.start()
    await house.keep(first)
    monkeypatch.setattr(keeps_views, "_digest", lambda record: b"another record")
    again = await house.start()
    assert (again.heard, again.floor.tables) == (first.heard, first.floor.tables)
