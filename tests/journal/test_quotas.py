"""Who may fill what a stream remembers, and who still gets in when somebody has (journal 13)."""

import asyncio

import msgspec
import pytest

from libs.contracts.messages import Principal
from libs.journal.quotas import has_room_for_anybody, mark_of, why_no_room
from libs.journal.snapshots import head_of, snapshot_of
from tests.journal.house import NAMES, STREAM, House
from tests.testkit.simulated import SimulatedBroker

CAP = 100
TIMER, ANA = Principal("timer", "table"), Principal("staff", "ana")


def player(number: int) -> Principal:
    return Principal("player", f"p{number}")


def guest(number: int) -> Principal:
    return Principal("player", f"guest-{number}")


async def flood(house: House, *floods: tuple[Principal, int]) -> dict[str, int]:
    """So many commands of each; how many were decided, by name."""
    commands = [house.command("Look", by=by) for by, times in floods for _ in range(times)]
    replies = await house.ask(*commands)
    return {
        str(by): sum(
            reply.verdict == "accepted"
            for command, reply in zip(commands, replies, strict=True)
            if command.principal == by
        )
        for by, _ in floods
    }


async def verdict(house: House, by: Principal) -> tuple[str, str | None]:
    [reply] = await house.ask(house.command("Look", by=by))
    return reply.verdict, reply.reason


async def test_one_alone_gets_half_of_what_is_shared():
    house = House(ring_cap=CAP)
    async with house.runner():
        assert await flood(house, (player(1), 200)) == {"player:p1": 20}
        assert await verdict(house, player(1)) == ("busy", "over_quota")
        for by in (player(2), ANA, TIMER, guest(1)):
            assert await verdict(house, by) == ("accepted", None), by


async def test_one_policy_of_the_house_tells_most_of_what_is_remembered(caplog):
    """Seen: a tournament stood still for good after 16,000 hands, when its own news had taken half of its ring."""
    house = House(ring_cap=CAP)
    news = Principal("policy", "tournament.hears")
    async with house.runner():
        assert await flood(house, (news, 200)) == {str(news): 85}
        assert any("of the house itself" in record.message for record in caplog.records)
        assert await verdict(house, TIMER) == ("accepted", None), "the clocks go on"


@pytest.mark.parametrize("flooding", [1, 3, 9])
async def test_whoever_floods_one_after_the_other_eleven_seats_get_their_least(flooding):
    house = House(ring_cap=CAP)
    least = CAP * 2 // 100
    async with house.runner():
        took = await flood(house, *((player(n), 100) for n in range(flooding)))
        rest = await flood(house, *((player(n), least) for n in range(flooding, 11)))
        assert all(got >= least for got in (*took.values(), *rest.values()))
        # Two in seats who sent what they liked kept every newcomer out of a table, the waiting list too.
        assert sum(took.values()) + sum(rest.values()) <= 60
        assert await verdict(house, guest(1)) == ("accepted", None)


async def test_any_number_of_guests_leaves_room_to_who_has_a_part_in_it_and_they_to_staff_and_the_house():
    house = House(ring_cap=CAP)
    async with house.runner():
        took = await flood(house, *((guest(n), 2) for n in range(CAP)))
        assert sum(took.values()) == 62
        assert await verdict(house, guest(CAP)) == ("busy", "too_many_commands")
        took = await flood(house, *((player(n), 2) for n in range(CAP)))
        assert sum(took.values()) == 22  # to 84 of 100
        took = await flood(house, *((Principal("staff", f"s{n}"), 2) for n in range(CAP)))
        assert sum(took.values()) == 8
        assert await verdict(house, ANA) == ("busy", "too_many_commands")
        assert await verdict(house, TIMER) == ("accepted", None)


async def test_counts_are_those_of_the_log_whoever_decides_next():
    """Restored from snapshot and journal, and read on from another owner's commits."""
    house = House(ring_cap=CAP)
    async with house.runner(snapshot_commits=7):
        await flood(house, (player(1), 12))
    for _ in range(7):
        house.land(house.foreign(1, principal="player:p1"))
    async with house.runner("w2"):
        assert await flood(house, (player(1), 20), (player(2), 5)) == {"player:p1": 1, "player:p2": 5}


async def test_nothing_in_flight_slips_through():
    """One page of commands is decided before anything of it is acknowledged."""
    house = House(ring_cap=CAP)
    house.send(*(house.command("Look", by=player(1)) for _ in range(60)))
    async with house.runner():
        replies = await house.replied(60)
    assert sum(reply.verdict == "accepted" for reply in replies) == 20


def test_a_snapshot_keeps_whose_they_are_in_eight_bytes():
    house = House()
    house.land(house.foreign(1, principal="player:" + "x" * 128))
    fold = house.fold()
    restored = head_of(snapshot_of(fold, STREAM)).ring
    assert restored.held_by(mark_of("player:" + "x" * 128)) == 1
    assert mark_of("player:" + "x" * 128) < 2**64


def test_a_quota_is_what_is_free():
    assert [why_no_room(own, 32, "party", 100) for own in (7, 8, 10)] == [None, "over_quota", "over_quota"]
    assert [why_no_room(own, 70, "party", 100) for own in (1, 2)] == [None, "over_quota"]
    assert [why_no_room(0, remembered, "party", 100) for remembered in (83, 84)] == [None, "too_many_commands"]


@pytest.mark.parametrize("remembered", range(40))
def test_where_there_is_room_for_anybody_nobody_is_turned_away(remembered):
    if has_room_for_anybody(remembered, CAP):
        for standing in ("guest", "party", "staff", "house"):
            assert all(why_no_room(own, remembered, standing, CAP) is None for own in range(remembered + 1))


POLICY = Principal("policy", "bank.settles")


async def test_what_a_policy_asks_comes_again_until_there_is_room_and_in_its_order():
    """Seen by reading (issue 11, F8): busy was final to a policy, and a sitting was never settled."""
    clock = [1_700_000_000_000]
    house = House(SimulatedBroker(NAMES.partitions, lambda: clock[0]), ring_cap=40)
    async with house.runner():
        assert sum((await flood(house, (TIMER, 20), (Principal("timer", "t2"), 20))).values()) == 40
        clock[0] += house.machine.horizon_ms // 2
        asked = [house.command("Deposit", amount=amount, by=POLICY) for amount in (1, 2, 3)]
        house.send(*asked)
        await asyncio.sleep(2.5)
        assert len(house.commits()) == 40
        assert await verdict(house, ANA) == ("busy", "too_many_commands"), "nobody else waits behind it"
        house.send(house.command("Deposit", amount=4, by=Principal("policy", "bank.releases")))
        await asyncio.sleep(0.5)
    async with house.runner("w2"):
        await asyncio.sleep(1.5)
        clock[0] += house.machine.horizon_ms // 2 + 1
        async with asyncio.timeout(20):
            while house.fold().states[STREAM].balance != 10:
                await asyncio.sleep(0.1)
    deposits = [commit for commit in house.commits() if commit.events]
    assert [msgspec.json.decode(data)["amount"] for commit in deposits for _, data in commit.events] == [1, 2, 3, 4]
    assert [commit.command_id for commit in deposits[:3]] == [each.id.bytes for each in asked]


async def test_what_another_policy_of_the_service_asks_stands_behind_it():
    """A reserve is asked before its release, by another policy, whose own quota is free."""
    house = House(ring_cap=CAP)
    async with house.runner():
        house.send(*(house.command("Look", by=POLICY) for _ in range(86)))
        house.send(house.command("Deposit", amount=4, by=Principal("policy", "bank.releases")))
        await asyncio.sleep(1.5)
        assert (len(house.commits()), house.fold().states[STREAM].balance) == (85, 0)
