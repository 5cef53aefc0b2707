"""The nine holes of the naive form, each walked into on purpose (journal, section 3)."""

import asyncio
from dataclasses import replace

from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord
from libs.journal.manifests import head_record
from libs.journal.restore import restore
from libs.journal.snapshots import snapshot_of, snapshot_record
from tests.journal.bank import EVENTS, NAMES
from tests.journal.house import PARTITION, QUICK, STREAM, House, manifest_over, until
from tests.journal.test_runner import Once, said
from tests.testkit.simulated import Fate, Faults, SimulatedLog


async def test_h1_contiguity_does_not_imply_validity():
    """A foreign commit lands before the first batch; the second is contiguous to the first, and just as void."""
    house = House()
    async with house.runner(faults=Once(Fate(before_s=0.05, after_s=0.05), Fate(after_s=0.05))):
        first = house.command("Withdraw", amount=5)
        house.send(first)
        await asyncio.sleep(0.02)
        house.land(house.foreign(100))
        second = house.command("Withdraw", amount=60)
        replies = await house.ask(second)
        await house.replied(2)

    assert house.judgements() == ["valid", "void_prev", "void_prev", "valid", "valid"]
    assert said(replies) == [("accepted", 5, None)]
    assert [r.verdict for r in house.replies()] == ["accepted", "accepted"]
    assert house.fold().states[STREAM].balance == 35


async def test_h2_a_rejection_stands_when_the_command_comes_again():
    house = House()
    withdraw = house.command("Withdraw", amount=5)
    async with house.runner("w1"):
        assert said(await house.ask(withdraw)) == [("rejected", 0, "not_enough")]
    house.broker.offsets.clear()  # crashed before the offset was committed
    house.land(house.foreign(100))
    async with house.runner("w2"):
        house.send(withdraw)
        replies = await house.replied(3)

    assert said(replies) == [("rejected", 0, "not_enough")] * 3
    assert house.fold().states[STREAM].balance == 100


async def test_h3_no_number_of_commands_pushes_an_id_out_of_the_ring():
    house = House()
    first = house.command("Deposit", amount=1)
    async with house.runner():
        await house.ask(first)
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(300)))
        house.send(first)
        replies = await house.replied(302)

    assert said(replies)[-1] == ("accepted", 1, None)
    assert house.fold().states[STREAM].balance == 301


async def test_h4_a_new_incarnation_of_the_topics_swallows_nothing():
    """Offsets start again at 0; the source's name has another incarnation, so no high water speaks about them."""
    house = House()
    async with house.runner():
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(5)))
    again = House(incarnation=2)
    async with again.runner():
        assert said(await again.ask(again.command("Deposit", amount=1))) == [("accepted", 1, None)]

    assert again.commits()[0].source != house.commits()[0].source
    assert again.commits()[0].prev != house.commits()[0].prev


async def test_h4_another_source_has_a_high_water_of_its_own():
    house = House()
    house.land(house.foreign(1, source="tournament-commands.1/0", command_offset=10_000))
    async with house.runner():
        assert said(await house.ask(house.command("Deposit", amount=1))) == [("accepted", 2, None)]


async def test_h5_a_zombie_snapshot_behind_the_manifest_is_noticed_even_after_a_mere_rejection():
    """The fresh snapshot is compacted away by an older one of the same version: freshness goes by `last`."""
    house = House()
    house.land(house.foreign(5))
    old = house.fold()
    house.land(house.foreign(verdict="rejected", reason="no"))
    new = house.fold()
    house.land(house.foreign(7))
    for record in (
        snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(new, STREAM)),
        head_record(NAMES.snapshots, PARTITION, manifest_over(new)),
        snapshot_record(NAMES.snapshots, PARTITION, snapshot_of(old, STREAM)),
    ):
        house.broker.land(record.topic, PARTITION, [(record.key, record.value, ())])
    house.broker.compact(NAMES.snapshots, PARTITION)

    restored = await restored_and_folded(house)

    assert old.heads[STREAM].version == new.heads[STREAM].version
    assert restored.states[STREAM].balance == 12
    assert restored.heads[STREAM].version == 2


async def test_h5_a_stream_of_the_manifest_without_snapshot_means_starting_at_zero():
    house = House()
    house.land(house.foreign(5))
    record = head_record(NAMES.snapshots, PARTITION, manifest_over(house.fold()))
    house.broker.land(record.topic, PARTITION, [(record.key, record.value, ())])
    house.land(house.foreign(7))

    assert (await restored_and_folded(house)).states[STREAM].balance == 12


class NothingPublic(Faults):
    """Public events are never acknowledged; everything else is."""

    def publish(self, topic):
        return Fate(lost=topic == EVENTS)


async def test_h6_no_snapshot_runs_ahead_of_the_public_events():
    house = House()
    async with house.runner(faults=NothingPublic(), pace=replace(QUICK, patience_s=0.1)):
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(20)))
        await asyncio.sleep(0.4)
    assert house.broker.records(NAMES.snapshots, PARTITION) == []
    async with house.runner():
        await until(lambda: len(house.broker.records(EVENTS, PARTITION)) == 20)
        await until(lambda: house.broker.records(NAMES.snapshots, PARTITION))


async def test_h7_void_commands_are_decided_again_in_command_order():
    house = House()
    async with house.runner(faults=Once(Fate(before_s=0.05), Fate(before_s=0.02), Fate(before_s=0.02))):
        early = [house.command("Deposit", amount=n) for n in (1, 2)]
        house.send(early[0])
        await asyncio.sleep(0.01)
        house.send(early[1])
        house.land(house.foreign(100))
        await asyncio.sleep(0.01)
        late = house.command("Deposit", amount=3)
        house.send(late)
        await house.replied(3)

    own = [c for c, j in zip(house.commits(), house.judgements(), strict=True) if j == "valid" and c.writer == "w1"]
    assert [c.command_id for c in own] == [c.id.bytes for c in (*early, late)]
    assert [r.verdict for r in house.replies()] == ["accepted"] * 3


async def test_h8_a_repetition_is_not_answered_from_a_commit_that_turns_out_void():
    house = House()
    async with house.runner(faults=Once(Fate(before_s=0.05, after_s=0.05))):
        withdraw = house.command("Withdraw", amount=5)
        house.send(withdraw, withdraw)
        await asyncio.sleep(0.02)
        assert house.replies() == []
        house.land(house.foreign(100))
        replies = await house.replied(2)

    assert said(replies) == [("accepted", 3, None)] * 2  # on optimistic state it was a rejection


async def test_h9_snapshots_hold_confirmed_commits_only():
    """The runner's commits are under way for long; what the follower writes never contains them."""
    house = House()
    house.land(house.foreign(5))
    async with house.runner(faults=Once(Fate(before_s=0.15)), snapshot_s=0.01):
        house.send(house.command("Deposit", amount=1000))
        await until(lambda: house.broker.records(NAMES.snapshots, PARTITION))
        assert len(house.raw()) == 1
        restored = await restored_and_folded(house)
        assert restored.states[STREAM].balance == 5
        await house.replied(1)


async def restored_and_folded(house: House) -> PartitionFold:
    log = SimulatedLog(house.broker)
    fold, *_ = await restore(log, house.machine, NAMES, PARTITION)
    for offset, raw in enumerate(house.raw()):
        if offset >= fold.position.next:
            fold.fold(LogRecord(offset, None, raw))
    fold.head(STREAM)
    return fold
