"""A partition that starts holds its journal against what it has published: one that says less is another one."""

import pytest

from libs.journal.commit import decode
from libs.journal.log import LogRewritten
from libs.journal.published import published
from libs.journal.publishing import public_records
from tests.journal.bank import EVENTS, NAMES
from tests.journal.house import PARTITION, STREAM, House, until
from tests.testkit.simulated import Fate, Faults, SimulatedLog

TOPICS = (NAMES.journal, NAMES.snapshots)


async def played(deposits=3):
    """A house whose partition has decided, published and stopped."""
    house = House()
    async with house.runner(snapshot_s=60.0):
        await house.ask(*(house.command("Deposit", amount=5) for _ in range(deposits)))
        await until(lambda: len(house.broker.records(EVENTS, PARTITION)) == deposits)
    return house


async def starts(house):
    async with house.runner("w2"):
        return (await house.ask(house.command("Deposit", amount=1)))[0]


async def test_a_new_partition_starts():
    assert (await starts(House())).version == 1


async def test_what_was_published_and_still_stands_starts():
    assert (await starts(await played())).version == 4


async def test_an_empty_journal_whose_events_were_published_is_refused():
    house = await played()
    for name in TOPICS:
        house.broker.truncate(name, PARTITION, 0)
    with pytest.raises(LogRewritten, match=f"{STREAM} version 3 .* version 0 "):
        await starts(house)


async def test_a_journal_that_was_made_anew_from_its_first_records_is_refused():
    """Whoever can read the journal can put true records back, as many as it likes."""
    house = await played()
    house.broker.truncate(NAMES.snapshots, PARTITION, 0)
    house.broker.truncate(NAMES.journal, PARTITION, 2)
    with pytest.raises(LogRewritten, match=f"{STREAM} version 3 .* version 2 "):
        await starts(house)


async def test_foreign_records_behind_the_events_hide_nothing():
    house = await played()
    for name in TOPICS:
        house.broker.truncate(name, PARTITION, 0)
    house.broker.forge(EVENTS, PARTITION, [(b"x", b"y", ())] * 2_500)
    with pytest.raises(LogRewritten):
        await starts(house)


async def test_foreign_records_alone_stop_nobody():
    house = House()
    house.broker.forge(EVENTS, PARTITION, [(b"x", b"y", ())] * 2_500)
    assert (await starts(house)).version == 1


async def test_an_empty_journal_whose_events_were_deleted_from_their_front_is_refused():
    house = await played()
    for name in TOPICS:
        house.broker.truncate(name, PARTITION, 0)
    house.broker.delete_below(EVENTS, PARTITION, 3)
    with pytest.raises(LogRewritten, match="deleted"):
        await starts(house)


async def test_events_that_lost_their_front_stop_nobody_while_the_newest_are_there():
    house = await played()
    house.broker.delete_below(EVENTS, PARTITION, 2)
    assert (await starts(house)).version == 4


async def test_of_what_is_published_again_the_highest_counts():
    """A new owner publishes again from its manifest on, and may end in the middle of it."""
    house = await played()
    again = [(r.key, r.value, r.headers) for r in house.broker.records(EVENTS, PARTITION)[:1]]
    house.broker.land(EVENTS, PARTITION, again)
    assert await published(SimulatedLog(house.broker), EVENTS, PARTITION) == {STREAM: (3, EVENTS, PARTITION, 2)}


class Lives(Faults):
    """Another owner commits and publishes at the very moment in which the events are first asked for."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.raw: bytes | None = house.foreign(5)

    def read(self, topic, partition):
        if topic == EVENTS and self.raw is not None:
            raw, self.raw = self.raw, None
            self.house.land(raw)
            for each in public_records(EVENTS, decode(raw)):
                self.house.broker.land(EVENTS, PARTITION, [(each.key, each.value, each.headers)])
        return Fate()


async def test_what_another_owner_publishes_meanwhile_is_not_held_against_it():
    """So the events are looked at before the journal's end is."""
    house = await played()
    async with house.runner("w2", faults=Lives(house)) as runner:
        assert runner.position.next == 4
