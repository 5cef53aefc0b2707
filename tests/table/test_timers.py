"""Wakes are sent when due, once, with an id that every owner would give them."""

import asyncio
from contextlib import suppress

import pytest

from libs.contracts.messages import CommandMessage, time_of
from libs.contracts.table_commands import WakeTable
from libs.journal.timers import RETRY_MS, Timers


class World:
    """A clock set by hand and a list of what was sent."""

    def __init__(self) -> None:
        self.now = 1_000_000_000
        self.sent: list[CommandMessage] = []
        self.timers = Timers(self.send, lambda: self.now, WakeTable)

    def send(self, message: CommandMessage) -> None:
        self.sent.append(message)

    async def turn(self) -> None:
        """Lets the timers run until they wait."""
        task = asyncio.create_task(self.timers.run())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
def world() -> World:
    return World()


async def test_a_wake_is_sent_when_due_and_not_before(world: World) -> None:
    world.timers.plan("table-1", 7, world.now + 20_000)
    await world.turn()
    assert world.sent == []
    world.now += 20_000
    await world.turn()
    assert [(m.stream, m.type, m.body["due"]) for m in world.sent] == [("table-1", "WakeTable", 1_000_020_000)]


async def test_a_table_that_moved_on_is_not_woken_for_what_was_due(world: World) -> None:
    world.timers.plan("table-1", 7, world.now + 100)
    world.timers.plan("table-1", 9, world.now + 20_000)
    world.now += 100
    await world.turn()
    assert world.sent == []


async def test_nothing_due_any_more_sends_nothing(world: World) -> None:
    world.timers.plan("table-1", 7, world.now)
    world.timers.plan("table-1", 8, None)
    await world.turn()
    assert world.sent == []


async def test_two_owners_send_the_same_wake_under_the_same_id(world: World) -> None:
    other = World()
    other.now = world.now + 3
    for owner in (world, other):
        owner.timers.plan("table-1", 7, 1_000_000_000)
        await owner.turn()
    assert world.sent == other.sent


async def test_a_wake_that_changed_nothing_is_sent_again_later_under_another_id(world: World) -> None:
    world.timers.plan("table-1", 7, world.now)
    await world.turn()
    await world.turn()
    assert len(world.sent) == 1
    world.now += RETRY_MS
    await world.turn()
    assert len({message.id for message in world.sent}) == 2


async def test_a_state_that_is_no_more_is_not_repeated_beside_the_next(world: World) -> None:
    world.timers.plan("table-1", 7, world.now)
    await world.turn()
    world.timers.plan("table-1", 8, world.now)
    await world.turn()
    for _ in range(3):
        world.now += RETRY_MS
        await world.turn()
    assert len(world.sent) == 2 + 3


async def test_a_wake_after_a_long_outage_is_stamped_with_the_present(world: World) -> None:
    world.timers.plan("table-1", 7, world.now - 3_600_000)
    await world.turn()
    assert time_of(world.sent[0].id) == world.now


@pytest.mark.rule("pt-811-2015", "45", "72")
async def test_a_wake_that_the_house_slept_through_says_so(world: World) -> None:
    world.timers.plan("table-1", 7, world.now - 5_000)
    world.timers.plan("table-2", 3, world.now)
    await world.turn()
    assert {message.stream: message.body["outage"] for message in world.sent} == {"table-1": True, "table-2": False}


async def test_a_forgotten_table_is_left_to_its_new_owner(world: World) -> None:
    world.timers.plan("table-1", 7, world.now)
    world.timers.forget(lambda table: table == "table-1")
    await world.turn()
    assert world.sent == []


async def test_a_round_left_by_a_house_that_stood_still_is_woken_at_once(world: World) -> None:
    began = world.now
    world.now += 5_000
    world.timers.plan("table-1", 7, world.now + 20_000, moved_at=began - 1)
    await world.turn()
    assert [(m.stream, m.body["outage"]) for m in world.sent] == [("table-1", True)]
    world.timers.plan("table-1", 8, world.now + 20_000, moved_at=world.now)
    await world.turn()
    assert len(world.sent) == 1


async def test_a_round_taken_over_by_a_process_that_lives_already_is_woken_at_once_and_once(world: World) -> None:
    world.timers.plan("table-1", 7, None)
    world.timers.forget(lambda table: True)
    world.now += 60_000
    for _ in range(2):  # the second time: a refusal of somebody's has been confirmed before the wake is sent
        world.timers.plan("table-1", 9, world.now + 20_000, moved_at=world.now - 30_000)
    await world.turn()
    assert [message.body["outage"] for message in world.sent] == [True]
    world.timers.plan("table-1", 9, world.now + 20_000, moved_at=world.now - 30_000)
    await world.turn()
    assert len(world.sent) == 1, "it changed nothing"
    world.now += 20_000
    await world.turn()
    assert [message.body["outage"] for message in world.sent] == [True, False]


async def test_a_clock_that_jumped_ahead_and_back_holds_nothing_up(world: World) -> None:
    due = world.now
    world.now += 1_800_000
    world.timers.plan("table-1", 7, due)
    world.timers.plan("table-2", 4, due + 5_000)
    task = asyncio.create_task(world.timers.run())
    async with asyncio.timeout(60):
        while len(world.sent) < 2:
            await asyncio.sleep(0)
        world.now = due + 2_000
        while len(world.sent) < 3:  # looked at again without being told anything
            await asyncio.sleep(0.01)
    task.cancel()
    assert [message.stream for message in world.sent] == ["table-1", "table-2", "table-1"]
    assert time_of(world.sent[2].id) == due


async def test_under_a_clock_that_is_ahead_every_other_wake_is_stamped_with_its_due_time(world: World) -> None:
    due = world.now
    world.now += 1_800_000
    world.timers.plan("table-1", 7, due)
    for _ in range(3):
        await world.turn()
        world.now += RETRY_MS
    assert [time_of(message.id) for message in world.sent] == [due + 1_800_000, due, due + 1_802_000]


async def test_a_clock_that_is_ahead_meets_a_standstill_once(world: World) -> None:
    """What the wake changed has the log's time, which seems to lie before the start (found by the simulation)."""
    logs_time = world.now - 1_500
    world.timers.plan("table-1", 7, logs_time + 20_000, moved_at=logs_time - 5_000)
    await world.turn()
    world.timers.plan("table-1", 8, logs_time + 20_000, moved_at=logs_time)
    await world.turn()
    assert [message.body["outage"] for message in world.sent] == [True]


async def test_what_an_outage_wake_made_is_not_taken_for_left_lying_again(world: World) -> None:
    """Our clock is far ahead of the log's: whatever is due by the log's time seems long due to us."""
    world.timers.plan("table-1", 7, world.now - 20_000)
    await world.turn()
    world.timers.plan("table-1", 8, world.now - 19_998)
    await world.turn()
    world.timers.plan("table-1", 9, world.now - 15_000)
    await world.turn()
    assert [message.body["outage"] for message in world.sent] == [True, False, True]


async def test_what_is_put_by_costs_nothing_and_is_not_taken_for_found_when_it_comes_back(world: World) -> None:
    """Each table that there ever was cost 197 B."""
    for number in range(50):
        world.timers.plan(f"table-{number}", 7, None)
        world.timers.put_by(f"table-{number}")
    assert (world.timers._known, world.timers._due) == (set(), {})
    world.timers.plan("table-1", 7, None)  # taken up again, as it was
    world.timers.plan("table-1", 8, world.now + 20_000, moved_at=world.now)
    await world.turn()
    assert world.sent == []
