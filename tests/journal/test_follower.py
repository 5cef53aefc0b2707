"""The follower: every valid event public, in order; snapshots and manifest behind it (journal 16, 18, 19)."""

import asyncio
from uuid import UUID

import pytest

from libs.contracts.cloudevents_kafka import from_record
from libs.journal.log import LogRewritten
from libs.journal.snapshots import latest
from tests.journal.bank import EVENTS, NAMES, decode_event
from tests.journal.house import PARTITION, STREAM, House, until
from tests.testkit.simulated import Fate, Faults


def events(house):
    return [from_record(r.key, r.value, r.headers) for r in house.broker.records(EVENTS, PARTITION)]


def balance(event):
    return decode_event(event.type, event.data).balance


def snapshots(house):
    return latest(house.broker.records(NAMES.snapshots, PARTITION), "bank-journal.1")


class Failing(Faults):
    """The nth sends of public events fail; the list says how."""

    def __init__(self, *fates: Fate) -> None:
        self.fates = list(fates)

    def publish(self, topic):
        return self.fates.pop(0) if self.fates and topic == EVENTS else Fate()


async def test_one_public_event_for_each_fact_in_order():
    house = House()
    async with house.runner(), house.follower():
        await house.ask(
            house.command("Deposit", amount=50),
            house.command("Withdraw", amount=99),
            house.command("Withdraw", amount=20),
        )
        await until(lambda: len(events(house)) == 3)

    assert [(e.version, e.type, balance(e)) for e in events(house)] == [
        (1, "croupier.bank.moved.v1", 50),
        (2, "croupier.bank.moved.v1", 40),
        (3, "croupier.bank.moved.v1", 30),
    ]
    assert events(house)[1].causation == str(UUID(bytes=house.commits()[2].command_id))


async def test_void_and_undecodable_records_publish_nothing():
    house = House()
    house.land(house.foreign(5))
    void = house.foreign(100)
    house.land(house.foreign(6), void, b"\x99")
    async with house.follower():
        await until(lambda: len(events(house)) == 2)
        await asyncio.sleep(0.05)
    assert [balance(e) for e in events(house)] == [5, 11]
    assert house.seen.count("undecodable") >= 1


@pytest.mark.parametrize("fate", [Fate(lost=True), Fate(answer_lost=True), Fate(before_s=0.4), Fate(after_s=0.4)])
async def test_a_failed_send_is_published_again_and_a_strict_consumer_sees_each_event_once(fate):  # journal 19, 20
    house = House()
    async with house.runner(), house.follower(faults=Failing(Fate(), fate), patience_s=0.1):
        for _ in range(12):
            await house.ask(house.command("Deposit", amount=1))
        await until(lambda: max((e.version for e in events(house)), default=0) == 12)
        await asyncio.sleep(0.1)

    accepted = []
    for event in events(house):
        if event.version == len(accepted) + 1:
            accepted.append(balance(event))
    assert accepted == list(range(1, 13))


async def test_the_manifest_comes_after_its_snapshots_and_a_follower_resumes_from_it():
    house = House()
    async with house.runner():
        async with house.follower():
            await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
            await until(lambda: snapshots(house)[0] is not None and snapshots(house)[0].low == 10)
        manifest, held = snapshots(house)
        assert (manifest.last, held[STREAM].version, held[STREAM].upto) == ({STREAM: 9}, 10, 10)
        published = len(events(house))
        await house.ask(house.command("Deposit", amount=1))
        async with house.follower():
            await until(lambda: len(events(house)) > published)
            await asyncio.sleep(0.05)

    assert [e.version for e in events(house)][published:] == [11]  # nothing below the manifest again


async def test_only_streams_that_changed_are_written_again():
    house = House()
    other = next(s for n in range(2, 99) if house_partition(s := f"account-{n}") == PARTITION)
    async with house.runner(), house.follower():
        await house.ask(house.command("Deposit", other, amount=1))
        await until(lambda: other in snapshots(house)[1])
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
        await until(lambda: (m := snapshots(house)[0]) is not None and m.low == 11)

    keys = [record.key for record in house.broker.records(NAMES.snapshots, PARTITION)]
    assert keys.count(b"stream/" + other.encode()) == 1
    assert snapshots(house)[0].last.keys() == {STREAM, other}


def house_partition(stream):
    from libs.contracts.topics import partition_of

    return partition_of(stream, NAMES.partitions)


async def test_a_follower_refuses_a_journal_that_was_rewritten():  # journal 21
    house = House()
    async with house.runner(), house.follower():
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
        await until(lambda: (m := snapshots(house)[0]) is not None and m.low == 10)
    house.broker.truncate(NAMES.journal, PARTITION, 8)
    house.land(*(house.foreign(n) for n in range(5)))

    async def start():
        async with house.follower():
            await asyncio.sleep(0.2)

    with pytest.raises(LogRewritten):
        await start()
    assert house.seen.count("chain_failure") == 1
