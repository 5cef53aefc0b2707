"""`croupier export` reads what lies around a hand, not all that its partition holds."""

from typing import Any

import pytest

from libs.contracts.topics import topic
from services.audit.exporting.phh import phh_of
from services.cli.export import hand_of, on_record
from tests.audit.played import PlayedHouse
from tests.audit.test_rebuild import project_live
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedLog, SimulatedReader

pytestmark = pytest.mark.stack
HANDS = 30
APART_MS = 1_800_000


class Counting(SimulatedLog):
    """How many records were read, twenty at a time."""

    read = 0

    async def reader(self, topic: str, partition: int) -> Any:
        reader = await super().reader(topic, partition)

        async def read(offset: int, max_records: int, wait_ms: int) -> Any:
            fetched = await SimulatedReader.read(reader, offset, min(max_records, 20), wait_ms)
            self.read += len(fetched.records)
            return fetched

        reader.read = read  # type: ignore[method-assign]
        return reader


def house_of() -> PlayedHouse:
    """Two tables, one after the other, in one partition."""
    house = PlayedHouse(seed=3)
    for table in ("table-1", next(f"t-{n}" for n in range(99) if partition_of(f"t-{n}") == partition_of("table-1"))):
        house.table = table
        house.open(players=4)
        for _ in range(HANDS):
            house.now += APART_MS
            house.play(1)
    return house


async def test_a_hand_is_found_by_its_time(database: str) -> None:
    house = house_of()
    await project_live(house, database)
    there = len(house.broker.records(topic("table", "events").name, partition_of("table-1")))
    for table in ("table-1", house.table):
        for number in (1, 3, HANDS):
            known = await on_record(database, table, number)
            assert known is not None
            assert (known.table, known.number) == (table, number)
            whole, near = Counting(house.broker), Counting(house.broker)
            wanted = phh_of(await hand_of(whole, table, number, PARTITIONS))
            assert phh_of(await hand_of(near, table, number, PARTITIONS, known=known)) == wanted
            if table == house.table and number < HANDS:
                assert near.read < there / 4 < whole.read / 2
    assert await on_record(database, house.table, HANDS + 1) is None


async def test_where_no_auditor_has_been_nothing_is_known(database: str) -> None:
    assert await on_record(database, "table-1", 1) is None
