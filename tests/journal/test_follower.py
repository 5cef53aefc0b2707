"""The follower: every valid event public, in order; snapshots and manifest behind it (journal 16, 18, 19)."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from uuid import UUID

import pytest

from libs.contracts.cloudevents_kafka import from_record
from libs.journal.log import LogRewritten
from tests.journal.bank import EVENTS, NAMES, Moved, decode_event
from tests.journal.house import PARTITION, QUICK, STREAM, House, latest, until
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import Fate, Faults, SimulatedSource


def events(house):
    return [from_record(r.key, r.value, r.headers) for r in house.broker.records(EVENTS, PARTITION)]


def balance(event):
    moved = decode_event(event.type, event.data)
    assert isinstance(moved, Moved)
    return moved.balance


def snapshots(house):
    return latest(house.broker.records(NAMES.snapshots, PARTITION))


class Failing(Faults):
    """The nth sends of public events fail; the list says how."""

    def __init__(self, *fates: Fate) -> None:
        self.fates = list(fates)

    def publish(self, topic):
        return self.fates.pop(0) if self.fates and topic == EVENTS else Fate()


async def test_one_public_event_for_each_fact_in_order():
    house = House()
    async with house.runner():
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
    async with house.runner():
        await until(lambda: len(events(house)) == 2)
        await asyncio.sleep(0.05)
    assert [balance(e) for e in events(house)] == [5, 11]
    assert house.seen.count("journal_undecodable") >= 1


@pytest.mark.parametrize("fate", [Fate(lost=True), Fate(answer_lost=True), Fate(before_s=0.4), Fate(after_s=0.4)])
async def test_a_failed_send_is_published_again_and_a_strict_consumer_sees_each_event_once(fate):  # journal 19, 20
    house = House()
    async with house.runner(faults=Failing(Fate(), fate), pace=replace(QUICK, patience_s=0.1)):
        for _ in range(12):
            await house.ask(house.command("Deposit", amount=1))
        await until(lambda: max((e.version for e in events(house)), default=0) == 12)
        await asyncio.sleep(0.1)

    accepted: list[int] = []
    for event in events(house):
        if event.version == len(accepted) + 1:
            accepted.append(balance(event))
    assert accepted == list(range(1, 13))


async def test_the_manifest_comes_after_its_snapshots_and_a_follower_resumes_from_it():
    house = House()
    async with house.runner():
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
        await until(lambda: snapshots(house)[0] is not None and snapshots(house)[0].low == 10)
    manifest, held = snapshots(house)
    assert (manifest.last, held[STREAM].version, held[STREAM].upto) == ({STREAM: 9}, 10, 10)
    published = len(events(house))
    house.land(house.foreign(1))
    async with house.runner():
        await until(lambda: len(events(house)) > published)
        await asyncio.sleep(0.05)

    assert [e.version for e in events(house)][published:] == [11]  # nothing below the manifest again


OTHERS = [s for n in range(2, 99) if partition_of(s := f"account-{n}", NAMES.partitions) == PARTITION]


async def test_only_streams_that_changed_are_written_again():
    house = House()
    other = OTHERS[0]
    async with house.runner():
        await house.ask(house.command("Deposit", other, amount=1))
        await until(lambda: other in snapshots(house)[1])
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
        await until(lambda: (m := snapshots(house)[0]) is not None and m.low == 11)

    keys = [record.key for record in house.broker.records(NAMES.snapshots, PARTITION)]
    assert keys.count(b"stream/" + other.encode()) == 1
    assert snapshots(house)[0].last.keys() == {STREAM, other}


async def test_a_follower_refuses_a_journal_that_was_rewritten():  # journal 21
    house = House()
    async with house.runner():
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(10)))
        await until(lambda: (m := snapshots(house)[0]) is not None and m.low == 10)
    house.broker.truncate(NAMES.journal, PARTITION, 8)
    house.land(*(house.foreign(n) for n in range(5)))

    async def start():
        async with house.runner():
            await asyncio.sleep(0.2)

    with pytest.raises(LogRewritten):
        await start()
    assert house.seen.count("chain_failures") == 1


class Counting(Faults):
    """Counts what is asked of the journal."""

    def __init__(self, *appends: Fate) -> None:
        self.appends = list(appends)
        self.reads = 0

    def append(self, topic, partition):
        return self.appends.pop(0) if self.appends else Fate()

    def read(self, topic, partition):
        self.reads += topic == NAMES.journal
        return Fate()


async def test_what_is_confirmed_is_published_and_kept_without_reading_it_back():
    house, faults = House(), Counting()
    async with house.runner(faults=faults, snapshot_s=60, snapshot_commits=21):
        before = faults.reads
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(20)))
        await until(lambda: len(events(house)) == 20)
        assert faults.reads == before
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: house.seen.count("snapshots_written") == 1)
        looked = faults.reads - before
        await asyncio.sleep(0.5)
    assert looked == faults.reads - before == 2  # end and last record, before the snapshot (journal 21); idle: nothing
    assert snapshots(house)[1][STREAM].version == 21


async def test_nothing_is_public_before_the_log_confirms_it():
    house = House()
    async with house.runner(faults=Counting(Fate(before_s=0.1, after_s=0.1))):
        house.send(house.command("Deposit", amount=1))
        await until(lambda: house.commits())  # it has landed, and nobody here knows
        assert events(house) == []
        await house.replied(1)
        await until(lambda: len(events(house)) == 1)


async def test_foreign_commits_in_between_are_published_in_the_order_of_the_log():
    house = House()
    async with house.runner():
        await house.ask(house.command("Deposit", amount=1))
        house.land(house.foreign(10))
        house.land(house.foreign(100))
        await house.ask(house.command("Deposit", amount=1000))
        await until(lambda: len(events(house)) == 4)
    assert [(e.version, balance(e)) for e in events(house)] == [(1, 1), (2, 11), (3, 111), (4, 1111)]


async def test_a_commit_of_a_dead_owner_is_published_though_nobody_asks_for_anything(monkeypatch):
    """It lands, is answered and its offset committed just as the next owner starts: that one reads it no later."""
    house, learn = House(), SimulatedSource.learn

    async def late(self):
        if not house.raw():
            house.land(house.foreign(7))
            await self.commit(1)
        await learn(self)

    monkeypatch.setattr(SimulatedSource, "learn", late)
    house.send(house.command("Deposit", amount=7))
    async with house.runner():
        await until(lambda: len(events(house)) == 1)


@pytest.mark.parametrize("fault", [OverflowError, TypeError, ValueError])
async def test_a_state_that_no_snapshot_holds_stops_nobody(fault):
    """Play and publishing go on under the last manifest; a start makes a new one if the state can be written again."""
    house, broken = House(), set()
    encode = house.machine.encode_state

    def encode_state(stream, state):
        if stream in broken:
            raise fault("too large")
        return encode(stream, state)

    house.machine = replace(house.machine, encode_state=encode_state)
    async with house.runner():
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: snapshots(house)[0] is not None)
        broken.add(STREAM)
        await house.ask(*(house.command("Deposit", stream, amount=1) for stream in (STREAM, *OTHERS[:3])))
        await until(lambda: house.seen.count("snapshots_failed") >= 1)
        assert snapshots(house)[0].low == 1
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: len(events(house)) == 6)
    broken.clear()
    async with house.runner():
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: snapshots(house)[0].low == 7)
    assert snapshots(house)[1][STREAM].version == 4


@pytest.mark.parametrize("fault", ["unencodable", "too large"])
async def test_others_get_snapshots_and_a_manifest_beside_a_stream_that_none_holds(fault):
    """Before, the same round was tried for ever: no snapshot of the partition, and one too large for the broker went
    out in one batch with the public events, which were told again and again, and nothing behind them."""
    house, broken = House(), set()
    encode = house.machine.encode_state

    def encode_state(stream, state):
        if stream in broken and fault == "unencodable":
            raise OverflowError("too large")
        return encode(stream, state) + bytes(5_000 if stream in broken else 0)

    house.machine = replace(house.machine, encode_state=encode_state)
    broken.add(STREAM)
    async with house.runner(snapshot_bytes=4_000):
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: house.seen.count("snapshots_failed") == 1)
        for n, stream in enumerate(OTHERS[:3], start=1):
            await house.ask(house.command("Deposit", stream, amount=1))
            await until(lambda stream=stream: stream in snapshots(house)[1])
            assert house.seen.count("snapshots_failed") == 1, "nobody tries it again at once"
            assert len(events(house)) == 1 + n
    assert STREAM not in snapshots(house)[1]
    assert snapshots(house)[0].low == 0, "a start reads what no snapshot covers"
    async with house.runner(snapshot_bytes=4_000):
        await house.ask(house.command("Deposit", amount=1))
        await until(lambda: balance(events(house)[-1]) == 2)


class SlowSnapshots(Faults):
    def publish(self, topic):
        return Fate(before_s=0.05 if topic == NAMES.snapshots else 0.0)


async def test_snapshots_are_taken_in_slices_and_the_manifest_is_of_their_beginning():
    """Between two slices everything else goes on, what is folded meanwhile included."""
    house, taken, going_on = House(), [], []
    encode = house.machine.encode_state

    def encode_state(stream, state):
        taken.append(stream)
        return encode(stream, state)

    async def others():
        while True:
            going_on.append(len(taken))
            await asyncio.sleep(0)

    house.machine = replace(house.machine, encode_state=encode_state)
    async with house.runner(faults=SlowSnapshots(), snapshot_s=60, snapshot_commits=19, slice_streams=4):
        await house.ask(*(house.command("Deposit", stream, amount=1) for stream in OTHERS[:19]))
        ticking = asyncio.create_task(others())
        await until(lambda: taken)
        await house.ask(*(house.command("Deposit", stream, amount=1) for stream in OTHERS[:19]))
        await until(lambda: house.seen.count("snapshots_written") == 1)
        manifest, held = snapshots(house)
        ticking.cancel()
    assert {now - before for before, now in pairwise(going_on)} <= {0, 3, 4}
    assert (manifest.low, set(manifest.last)) == (19, {*OTHERS[:19]})
    assert all(each.upto >= 19 and manifest.last[each.stream] <= each.last for each in held.values())
    assert any(each.version == 2 for each in held.values()), "nothing happened between the slices"


async def test_a_round_takes_the_streams_that_have_waited_longest_and_the_manifest_waits_with_the_others():
    """So with many streams a commit costs a part of a snapshot, and a start still misses nothing (journal 16, 17)."""
    house = House()
    async with house.runner(snapshot_s=60, snapshot_commits=6, snapshot_streams=2):
        await house.ask(*(house.command("Deposit", stream, amount=1) for stream in OTHERS[:6]))
        await until(lambda: snapshots(house)[0] is not None)
        await asyncio.sleep(0.05)
        manifest, held = snapshots(house)
        assert (manifest.low, list(held)) == (2, OTHERS[:2]), "the third one's commit is in no snapshot"
        assert manifest.last == {OTHERS[0]: 0, OTHERS[1]: 1}
        await house.ask(*(house.command("Deposit", OTHERS[0], amount=1) for _ in range(6)))
        await until(lambda: snapshots(house)[0].low == 4)
        assert set(snapshots(house)[1]) == {*OTHERS[:4]}, "who changes most does not come before the others"
    versions = {stream: head.version for stream, head in house.fold().heads.items()}
    published = len(events(house))
    async with house.runner(snapshot_s=0.05, snapshot_commits=60, snapshot_streams=2):
        await until(lambda: (m := snapshots(house)[0]) is not None and m.low == 12)  # nothing more is asked of it
    assert len(events(house)) - published == 8, "from the manifest on, nothing that a snapshot covers"
    assert {stream: each.version for stream, each in snapshots(house)[1].items()} == versions


class Deaf(Faults):
    """Public events are acknowledged only once it listens."""

    def __init__(self) -> None:
        self.listens = False

    def publish(self, topic):
        return Fate(lost=topic == EVENTS and not self.listens)


async def test_who_cannot_publish_decides_no_more_after_a_while_and_loses_nothing():
    house, faults = House(), Deaf()
    async with house.runner(faults=faults, pace=replace(QUICK, page=5, open_commands=5, patience_s=0.05), behind=40):
        house.send(*(house.command("Deposit", amount=1) for _ in range(100)))
        await until(lambda: len(house.commits()) > 20)
        await asyncio.sleep(0.2)
        assert len(house.commits()) <= 30  # a page that was under way beside the limit
        faults.listens = True
        await until(lambda: any(each.version == 100 for each in events(house)))
    # What is waited for longer than so little patience is sent again: twice is allowed, a gap or another order is not.
    assert [*dict.fromkeys(each.version for each in events(house))] == [*range(1, 101)]
