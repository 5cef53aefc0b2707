"""A stream whose valid commit makes no state stands alone: its partition starts, and goes on (journal 25)."""

from dataclasses import replace

from libs.journal.fold import PartitionFold
from libs.journal.restore import restore
from tests.journal.bank import MOVED, NAMES, Account, Bank, Moved
from tests.journal.house import PARTITION, STREAM, House, latest, until
from tests.journal.test_restore import OTHER
from tests.testkit.simulated import SimulatedLog


class Mended(Bank):
    """A later build, which can fold what the one before could not."""

    def evolve(self, state, event):
        return Account(event.balance, state.moves + 1) if isinstance(event, Moved) else state


def folded(house, decider):
    machine = replace(house.machine, decider=decider)
    fold = PartitionFold(PARTITION, NAMES.partitions, machine.journal_name, machine)
    problems = [fold.fold(record).problem for record in house.broker.records(NAMES.journal, PARTITION)]
    return fold, problems


def false_commit(house):
    """That the rule lets count: decided on a state that there never was, under the service's own key."""
    return house.foreign(5, events=(house.machine.encode_event(Moved(5, 999)),))


def low(house):
    manifest, _ = latest(house.broker.records(NAMES.snapshots, PARTITION), house.machine)
    return manifest.low if manifest else 0


async def test_a_partition_starts_beside_it_and_the_auditor_is_told(caplog):
    house = House()
    house.land(house.foreign(7), house.foreign(7, stream=OTHER))
    house.land(false_commit(house))
    async with house.runner() as runner:
        good, stands = await house.ask(
            house.command("Deposit", stream=OTHER, amount=1), house.command("Deposit", amount=1)
        )
        assert (good.verdict, stands.verdict, stands.reason) == ("accepted", "busy", "internal_error")
        assert house.seen.calls.count(("happened", ("streams_aside", PARTITION))) == 1
        await until(lambda: house.broker.records(NAMES.parked, 0))
        assert runner._fold.heads[STREAM].version == 2, "its head goes on by the rule"
    (told,) = house.broker.records(NAMES.parked, 0)
    said = {name: value.decode() for name, value in told.headers}
    assert (told.key, said["parked-reason"]) == (STREAM.encode(), "stream_set_aside")
    assert (said["parked-topic"], said["parked-offset"]) == (NAMES.journal, "2")
    assert said["parked-detail"] == f"AssertionError from {MOVED}, version 2"
    assert "on another state than decide" not in caplog.text, "what is raised may hold a state"


async def test_it_stays_aside_over_snapshots_and_starts_and_nothing_is_read_again_for_it():
    house = House()
    house.land(house.foreign(7))
    house.land(false_commit(house))
    async with house.runner():
        await house.ask(*(house.command("Deposit", stream=OTHER, amount=1) for _ in range(6)))
        await until(lambda: low(house) == 8)
    found = (await restore(SimulatedLog(house.broker), house.machine, NAMES, PARTITION)).fold
    assert (found.position.next, found.head(STREAM).version, found.aside.keys()) == (8, 2, {STREAM})
    async with house.runner("w2"):
        (stands,) = await house.ask(house.command("Deposit", amount=1))
        assert (stands.verdict, stands.reason) == ("busy", "internal_error")


async def test_its_events_stay_public():
    house = House()
    house.land(false_commit(house))
    async with house.runner():
        await until(lambda: len(house.broker.records(NAMES.events, PARTITION)) == 1)


def test_a_commit_behind_it_moves_the_head_and_is_told_no_second_time():
    house = House()
    house.land(false_commit(house))
    house.land(house.foreign(5))
    fold, problems = folded(house, Bank())
    assert [bool(each) for each in problems] == [True, False]
    assert (fold.aside.keys(), fold.heads[STREAM].version) == ({STREAM}, 2)


def test_a_build_that_can_fold_it_goes_on_with_it():
    house = House()
    house.land(false_commit(house))
    fold, _ = folded(house, Mended())
    assert (fold.aside, fold.states[STREAM].balance) == ({}, 999)


async def test_another_format_of_states_lets_it_be_folded_anew():
    house = House()
    house.land(false_commit(house))
    async with house.runner():
        await house.ask(*(house.command("Deposit", stream=OTHER, amount=1) for _ in range(6)))
        await until(lambda: low(house) == 7)
    asked: list[bytes] = []

    def reads(state):
        asked.append(state)
        return False

    later = replace(house.machine, decider=Mended(), reads=reads)
    fold = (await restore(SimulatedLog(house.broker), later, NAMES, PARTITION)).fold
    assert (fold.position.next, fold.aside) == (0, {})
    assert b"" not in asked, "each of them says of which format it is"
