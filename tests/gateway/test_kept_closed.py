"""What a closed table leaves among the kept views, on the real broker: all while somebody may recall its last hand,
and 2 kB from then on."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.conduct_events import MessageSent
from libs.contracts.topics import VIEWS
from libs.journal.log import LogUnavailable, OutRecord
from services.gateway.kafka import keeps_views
from services.gateway.kafka.keeps_views import Kept, Manifest
from services.gateway.views.kept_table import front_in
from services.gateway.views.tables import GONE_MS
from tests.gateway.hands import T, closed
from tests.gateway.test_kept_views import FOR_EVER, TABLES, House, Started, from_the_log, house
from tests.journal.test_log_contract import whole as whole_of
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
__all__ = ["house"]
CLOSED = TABLES[:10]
MAX_BYTES = 2_500
LATE = MessageSent(**T, message="m-1", player="alice", sealed="c2VhbGVk", at=1)


async def lying(house: House) -> dict[str, Kept]:
    """The newest kept view of each table, and how long its record is."""
    found = {}
    for number in range(PARTITIONS):
        for record in await whole_of(house.gateways, house.prefix + VIEWS.name, number):
            if (record.key or b"").startswith(b"table/") and record.key != b"table/":
                kept = msgspec.msgpack.decode(record.value or b"", type=Kept)
                found[kept.stream] = kept
    return found


async def manifests(house: House, number: int) -> list[Manifest]:
    records = await whole_of(house.gateways, house.prefix + VIEWS.name, number)
    return [msgspec.msgpack.decode(each.value or b"", type=Manifest) for each in records if each.key == b"table/"]


async def closed_and_kept(house: House) -> Started:
    for table in CLOSED:
        await house.play(table, *closed(at=1_000))
    started = await house.start()
    await house.keep(started)
    return started


def recalls(started: Started) -> set[str]:
    """Tables whose last hand bob recalls."""
    return {table for table in CLOSED if started.floor.last_played(table, "bob") is not None}


async def slim_in(house: House) -> set[str]:
    kept = await lying(house)
    slim = {table for table in CLOSED if front_in(kept[table].state).slim}
    assert all(len(msgspec.msgpack.encode(kept[table])) <= MAX_BYTES for table in slim)
    return slim


@pytest.mark.rule("pt-811-2015", "65")
async def test_its_last_hand_is_recalled_for_twenty_minutes_also_after_a_restart(house: House) -> None:
    first = await closed_and_kept(house)
    house.now = 999 + GONE_MS
    await house.keep(first)
    second = await house.start()
    assert (second.heard, recalls(second), await slim_in(house)) == (0, set(CLOSED), set())

    house.now = 1_000 + GONE_MS
    before = {number: await manifests(house, number) for number in range(PARTITIONS)}
    await house.keep(second)  # and what an earlier one has kept is slim, too
    assert {number: await manifests(house, number) for number in range(PARTITIONS)} == before
    assert await slim_in(house) == set(CLOSED)
    third, whole = await house.start(), await from_the_log(house)
    assert (third.heard, recalls(second), recalls(third), recalls(whole)) == (0, set(), set(), set(CLOSED))
    for table in CLOSED:
        assert third.floor.tables.kept(table) == second.floor.tables.kept(table)
        assert whole.floor.tables.kept(table, house.now) == third.floor.tables.kept(table), "as from the log"
    assert third.floor.tables.quiet(1 << 60) == []
    assert sorted(third.floor.tables.held) == sorted(TABLES[10:])


async def test_one_that_was_closed_long_ago_is_slim_from_its_first_record_on(house: House) -> None:
    """As many as there ever were, where a new build reads the log."""
    house.now = 1_000 + GONE_MS
    await closed_and_kept(house)
    sizes = dict[bytes, list[int]]()
    for number in range(PARTITIONS):
        for record in await whole_of(house.gateways, house.prefix + VIEWS.name, number):
            sizes.setdefault(record.key or b"", []).append(len(record.value or b""))
    for table in CLOSED:
        [size] = sizes[f"table/{table}".encode()]
        assert size <= MAX_BYTES


async def test_two_gateways_write_the_same_and_an_older_one_that_lands_later_is_slimmed_again(house: House) -> None:
    first = await closed_and_kept(house)
    second, table = await house.start(), TABLES[0]
    fat = (await lying(house))[table]
    house.now = 1_000 + GONE_MS
    await house.keep(first)
    slim = await lying(house)
    publisher = await house.gateways.publisher(house.prefix + VIEWS.name)
    late = OutRecord(house.prefix + VIEWS.name, f"table/{table}".encode(), msgspec.msgpack.encode(fat), (),
                     partition_of(table))  # fmt: skip
    await (await publisher.send([late]))
    await publisher.abandon()
    third = await house.start()
    assert (third.heard, recalls(third)) == (0, {table})
    await house.keep(third)
    assert (await slim_in(house), recalls(third)) == (set(CLOSED), set())
    await house.keep(second)
    assert await lying(house) == slim
    assert (await house.start()).floor.tables == second.floor.tables


class Away:
    """Stands for a broker that takes nothing."""

    async def send(self, records: Any) -> Any:
        raise LogUnavailable("away")


async def test_what_the_broker_did_not_take_is_written_again(house: House) -> None:
    first = await closed_and_kept(house)
    house.now = 1_000 + GONE_MS
    away: Any = Away()
    for number in range(PARTITIONS):
        if any(partition_of(table) == number for table in CLOSED):
            with pytest.raises(LogUnavailable):
                await first.views.write(away, number, FOR_EVER)
    assert await slim_in(house) == set()
    await house.keep(first)
    assert await slim_in(house) == set(CLOSED)


async def test_an_event_that_comes_late_is_kept_like_any_other(house: House) -> None:
    first = await closed_and_kept(house)
    house.now = 1_000 + GONE_MS
    await house.keep(first)
    table = TABLES[0]
    await house.play(table, replace(LATE, at=house.now))
    second = await house.start()
    assert (second.heard, second.floor.tables.version(table)) == (1, house.versions[table])
    await house.keep(second)
    assert await slim_in(house) == set(CLOSED) - {table}
    third = await house.start()
    assert (third.heard, len(third.floor.tables.messages(table))) == (0, 1)
    house.now += GONE_MS
    await house.keep(third)
    assert (await slim_in(house), third.floor.tables.messages(table)) == (set(CLOSED), [])


async def test_one_that_waits_for_an_event_is_not_slimmed(house: House) -> None:
    first = await closed_and_kept(house)
    house.now = 1_000 + GONE_MS
    first.floor.tables.gaps.add(TABLES[0])
    await house.keep(first)
    assert await slim_in(house) == set(CLOSED[1:])


async def test_parts_of_a_large_one_go(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeps_views, "PART_BYTES", MAX_BYTES)
    first = await closed_and_kept(house)
    assert await lying(house) == {}, "all of them in parts"
    house.now = 1_000 + GONE_MS
    await house.keep(first)
    left = dict[bytes, bytes | None]()
    for number in range(PARTITIONS):
        for record in await whole_of(house.gateways, house.prefix + VIEWS.name, number):
            left[record.key or b""] = record.value
    for table in CLOSED:
        assert left[f"table/{table}".encode()]
        assert not any(value for key, value in left.items() if key.startswith(f"part/table/{table}/".encode()))
    assert (await house.start()).heard == 0
