"""What is over for long leaves the kept views, on a simulated log: wherever a gateway ends, whoever writes beside it,
whatever has been compacted, the next one starts from the views and knows every table that it has to know."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import VIEWS, topic
from libs.journal.log import LogRecord
from services.gateway.app.floor import Floor
from services.gateway.kafka import keeps_views
from services.gateway.kafka.hears import hear_records
from services.gateway.kafka.keeps_views import LATER_MS, KeepsViews
from services.gateway.views.tables import FORGOTTEN_MS, Tables
from services.gateway.ws.fan_out import FanOut
from tests.gateway.hands import closed, everybody, opened, to_the_end
from tests.testkit.simulated import SimulatedBroker, SimulatedLog, SimulatedPublisher

EVENTS = topic("table", "events").name
VIEWED = VIEWS.name
HOUR = 3_600_000
FOR_EVER = float("inf")
SEEN_BY = 0
"""A seed in which each of the two is seen."""


@pytest.fixture(autouse=True)
def manifests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often one may be written goes by the event loop's clock, which is not the house's here: on a quick machine
    two writes lie within the time of one manifest."""
    monkeypatch.setattr(keeps_views, "MANIFEST_BYTES_S", 10**12)


class Log(SimulatedLog):
    async def publisher(self, *topics: str) -> SimulatedPublisher:
        return await super().publisher()


class House:
    """A table service that only publishes; one partition."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000
        self.broker = SimulatedBroker(1, lambda: self.now)
        self.versions = dict[str, int]()

    def play(self, table: str, facts: Sequence[TableEvent]) -> None:
        for fact in facts:
            version = self.versions[table] = self.versions.get(table, 0) + 1
            told = replace(fact, table=table, at=self.now)
            event = PublicEvent(stream=table, version=version, type=wire_name(type(told)), time=self.now,
                                causation=f"c{version}", data=encode_fact(told)[1])  # fmt: skip
            self.broker.land(EVENTS, 0, [to_record(event)])

    def events(self) -> list[LogRecord]:
        return self.broker.records(EVENTS, 0)


class Gateway:
    def __init__(self, house: House, broker: SimulatedBroker | None = None, ahead_ms: int = 0) -> None:
        """`ahead_ms`: how far its clock is."""
        self.house = house
        self.floor = Floor(FanOut())
        log: Any = Log(broker or house.broker)
        self.log = log
        self.kept = KeepsViews(log, [0], "", "table", self.floor.tables, lambda: house.now + ahead_ms)
        self.at = 0
        self.heard_at = 0

    async def start(self) -> int:
        """Where it goes on from; then it has heard all."""
        self.at = first = (await self.kept.restore())[0]
        self.hear(len(self.house.events()))
        return first

    def hear(self, upto: int) -> None:
        records, self.heard_at = self.house.events()[self.at : upto], self.house.now
        if records:
            hear_records(records, self.floor)
            self.kept.heard(0, records)
            self.at += len(records)

    async def write(self) -> None:
        publisher = await self.log.publisher()
        await self.kept.write(publisher, 0, FOR_EVER)

    def knows(self) -> dict[str, tuple[int, bool]]:
        """Version of each table that it has to know, and whether that is listed."""
        tables: Tables = self.floor.tables
        over = set(tables.over(self.house.now))
        known = {table: tables.version(table) for table in self.house.versions if table not in over}
        return {table: (version, table in tables.listed) for table, version in known.items() if version}


async def lived(house: House, seed: int, behind_ms: int) -> list[tuple[int, int]]:
    """Some weeks in which tables open and close, of three gateways whose clocks differ, one of them behind by so much
    at the most; for each record of the views the time at which it lay there, and how many events there were."""
    chance, marks, over = random.Random(seed), list[tuple[int, int]](), list[int]()
    gateways = [await begun(house, place) for place in range(3)]
    for number in range(50):
        table = f"t-{number % 28:02}"
        if table not in house.versions:
            house.play(table, [opened(), *everybody(), *to_the_end(41)])
        elif house.versions[table] == PLAYED and not chance.randrange(3):
            house.play(table, to_the_end(42))
        ready = [each for each, version in house.versions.items() if version in (PLAYED, AGAIN)]
        for each in chance.sample(ready, min(len(ready), chance.randrange(3))):
            house.play(each, closed())
            over.append(house.now + FORGOTTEN_MS)
        if not chance.randrange(12):  # nobody hears of that for long
            house.now += FORGOTTEN_MS + chance.choice((1, HOUR // 2, 2 * HOUR))
            gateways = [await begun(house, place) for place in range(3)]
        for place in chance.sample(range(3), 3):
            gateway = gateways[place]
            if not chance.randrange(8):
                gateway = gateways[place] = await begun(house, place)
            elif place or house.now - gateway.heard_at >= behind_ms or not chance.randrange(4):
                gateway.hear(len(house.events()))
            for _ in range(chance.randrange(3)):
                await gateway.write()
            marks += [(house.now, len(house.events()))] * (house.broker.end(VIEWED, 0) - len(marks))
            house.now += chance.choice((1, 60_000, HOUR // 4, HOUR))
        if (later := [each for each in over if each > house.now]) and chance.randrange(2):
            house.now = max(house.now, chance.choice(later[:3]) + chance.randrange(-HOUR // 2, HOUR // 2))
    return marks


async def begun(house: House, place: int) -> Gateway:
    gateway = Gateway(house, ahead_ms=(place - 1) * LATER_MS // 3)
    await gateway.start()
    return gateway


PLAYED = len([opened(), *everybody(), *to_the_end(41)])
AGAIN = PLAYED + len(to_the_end(42))


def compacted(records: Sequence[LogRecord], below: int, tombstones: bool) -> list[LogRecord | None]:
    """As the broker may have done it below that offset."""
    last = {each.key: each.offset for each in records}
    stays = {at for at in last.values() if tombstones or records[at].value is not None}
    return [each if each.offset >= below or each.offset in stays else None for each in records]


async def starts(house: House, lying: Sequence[LogRecord | None]) -> tuple[int, Gateway]:
    """As many views as that, in a house whose log is what it is now."""
    broker = SimulatedBroker(1, lambda: house.now)
    broker.partition(VIEWED, 0).slots.extend(lying)
    broker.land(EVENTS, 0, [(each.key, each.value, each.headers) for each in house.events()])
    gateway = Gateway(house, broker)
    return await gateway.start(), gateway


async def told_wrongly(seed: int, behind_ms: int = LATER_MS // 2) -> list[str]:
    """Every start that reads the log, or knows something else than who has read it."""
    house, wrong = House(), list[str]()
    marks = await lived(house, seed, behind_ms)
    views, events = house.broker.records(VIEWED, 0), house.events()
    assert any(each.value is None for each in views), "none was ever taken away"
    said, chance = False, random.Random(seed)
    for count, (at, heard) in enumerate(marks, 1):
        said = said or views[count - 1].key == b"table/"
        if not said or chance.randrange(4):
            continue
        then = House()
        then.now, then.versions = at, house.versions
        then.broker.land(EVENTS, 0, [(each.key, each.value, each.headers) for each in events[:heard]])
        whole = Gateway(then)
        whole.hear(heard)
        for below, tombstones in ((0, True), (count // 2, True), (count, True), (count, False)):
            first, gateway = await starts(then, compacted(views[:count], below, tombstones))
            if (first == 0 and behind_ms <= LATER_MS) or gateway.knows() != whole.knows():
                wrong.append(f"seed {seed}, record {count}, compacted below {below}: from {first}")
    return wrong


@pytest.mark.parametrize("seed", range(3))
async def test_wherever_it_ends_the_next_one_knows_what_it_has_to(seed: int) -> None:
    assert await told_wrongly(seed) == []


async def test_who_writes_while_days_behind_costs_reading_and_nothing_else() -> None:
    assert await told_wrongly(SEEN_BY, 2 * FORGOTTEN_MS) == []


async def test_it_would_be_seen_if_views_went_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeps_views, "LATER_MS", 0)
    assert await told_wrongly(SEEN_BY)


async def test_it_would_be_seen_if_a_view_were_dropped_before_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_once(self: Any, stream: str, now: int) -> None:
        self.changed.pop(stream, None)
        if self.versions.pop(stream, None) is not None:
            self.unnamed[stream] = now
            self.unsaid = True

    monkeypatch.setattr(keeps_views._Partition, "drop", at_once)
    assert await told_wrongly(SEEN_BY, 2 * FORGOTTEN_MS)


async def test_it_goes_from_manifest_topic_and_memory() -> None:
    house = House()
    gateway = Gateway(house)
    await gateway.start()
    for number in range(20):
        house.play(f"t-{number}", [opened(), *everybody(), *to_the_end(41)])
        if number:
            house.play(f"t-{number}", closed())
    gateway.hear(len(house.events()))
    await gateway.write()
    assert len(gateway.knows()) == 20
    house.now += FORGOTTEN_MS - 1
    await gateway.write()
    assert (len(gateway.kept._partitions[0].versions), len(gateway.knows())) == (20, 20)
    house.now += 1
    await gateway.write()
    house.now += LATER_MS - 1
    await gateway.write()
    await gateway.write()
    assert list(gateway.kept._partitions[0].versions) == ["t-0"]
    assert gateway.floor.tables.version("t-7"), "its view lies there"
    house.now += 1
    await gateway.write()
    lying = {each.key: each.value for each in house.broker.records(VIEWED, 0)}
    assert {key for key, value in lying.items() if value is not None} == {b"table/", b"table/t-0"}
    assert (gateway.floor.tables.version("t-7"), gateway.floor.view("t-7", "alice")) == (0, None)
    assert gateway.knows() == {"t-0": (house.versions["t-0"], True)}
    assert gateway.floor.told() is None
    before = len(house.broker.records(VIEWED, 0))
    await gateway.write()
    assert len(house.broker.records(VIEWED, 0)) == before, "a house at rest writes nothing"
