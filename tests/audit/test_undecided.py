"""Commands of persons that were passed over are told; what was answered, set aside, or waits with the house is not."""

from typing import Any, cast
from uuid import UUID

import pytest
from msgspec.structs import replace
from uuid6 import uuid7

from libs.contracts.messages import Reply
from libs.journal.commit import Commit
from libs.journal.marks import HEADER
from services.audit import undecided
from services.audit.undecided import LATER_MS, SETTLES_S, Open, Undecided
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

COMMANDS, PARKED, REPLIES = "croupier.table.commands.v1", "croupier.table.parked.v1", "croupier.replies.v1"
START = 1_000_000
COMMIT = Commit(
    "table-1", 0, bytes(32), bytes(16), "table-commands.1/0", 0, 0, "accepted", None, None, "", (), "w1", 1
)  # fmt: skip


def said(command_id: UUID, verdict: Any) -> Reply:
    return Reply(command_id=command_id, stream="table-1", verdict=verdict, version=0)


class World:
    def __init__(self, since: int = 0) -> None:
        self.now = 0.0
        self.broker = SimulatedBroker(2, lambda: START + int(self.now * 1000))
        replies = [(REPLIES, 0), (REPLIES, 1)]
        log = SimulatedLog(self.broker)
        seconds, clock = (lambda: self.now), (lambda: START / 1000 + self.now)
        self.undecided = Undecided(log, "table", replies, PARKED, COMMANDS, since, seconds, clock)

    def asked(self, offset: int, partition: int = 0) -> UUID:
        command_id = uuid7()
        at = START + int(self.now * 1000)
        self.undecided.asked(Open(partition, offset, command_id.bytes, "table-1", at))
        return command_id

    def decided(self, offset: int, command_id: UUID | None = None, partition: int = 0, late_ms: int = 0) -> None:
        """A command that was asked now, or a while ago."""
        at = START + int(self.now * 1000) - late_ms
        commit = replace(COMMIT, command_offset=offset, command_time=at, command_id=(command_id or uuid7()).bytes)
        self.undecided.committed(partition, commit)

    def answer(self, command_id: UUID, verdict: Any, partition: int = 0, writer: str = "table") -> None:
        mark = (HEADER, bytes(32) + b"01" + writer.encode())  # readers give out what bears a true one
        self.broker.land(REPLIES, partition, [(b"table-1", said(command_id, verdict).encoded(), (mark,))])

    async def found(self) -> list[int | None]:
        return [each.offset for each in await self.undecided.lost(self.undecided.ripe())]

    def held(self) -> tuple[int, int]:
        """How many of the first partition's commands wait, and how many answers are remembered."""
        inside = cast(Any, self.undecided)
        assert sum(map(len, inside._waits.values())) == sum(map(len, inside._open.values()))
        assert set(inside._passed) <= set().union(*inside._waits.values())
        return len(inside._open[0]), len(inside._answered)

    def passes(self) -> None:
        """Another one is asked a good while later, and decided; and a while is over."""
        self.now += LATER_MS / 1000
        self.decided(1_000)
        self.now += SETTLES_S


async def test_what_was_passed_over_is_told_once() -> None:
    world = World()
    world.asked(7)
    world.passes()
    (finding,) = await world.undecided.lost(world.undecided.ripe())
    assert (finding.kind.value, finding.severity, finding.stream) == ("command_not_decided", "critical", "table-1")
    assert (finding.topic, finding.partition, finding.offset) == (COMMANDS, 0, 7)
    world.passes()
    assert await world.found() == []


async def test_while_the_house_stands_or_catches_up_nothing_is_told() -> None:
    world = World()
    world.asked(7)
    world.now += 3_600
    assert await world.found() == []
    world.decided(8, late_ms=3_600_000 - LATER_MS + 1)
    world.now += SETTLES_S
    assert await world.found() == [], "what was asked at about the same time was decided before it"
    world.decided(9)
    assert await world.found() == [], "it may come in a moment"
    world.now += SETTLES_S
    assert await world.found() == [7]


async def test_commits_may_be_read_before_commands() -> None:
    world = World()
    world.now += LATER_MS / 1000
    decided = uuid7()
    world.decided(9, decided)
    world.now = 0.0
    world.asked(7)
    world.undecided.asked(Open(0, 8, decided.bytes, "table-1", START))
    world.now += SETTLES_S
    assert await world.found() == [7]


async def test_what_lies_in_another_partition_or_behind_says_nothing() -> None:
    world = World()
    world.asked(7)
    world.asked(3, partition=1)
    world.now += LATER_MS / 1000
    world.decided(5)
    world.decided(8, partition=1)
    world.now += SETTLES_S
    assert await world.found() == [3]


async def test_what_has_a_commit_an_answer_or_was_set_aside_is_not_passed_over() -> None:
    world = World()
    committed, again, heard, busy, expired, _ = (world.asked(offset) for offset in range(6))
    world.decided(0, committed)
    world.decided(50, again)  # the same id, asked twice
    world.undecided.answered(said(heard, "busy"))
    world.answer(busy, "busy", partition=1)
    world.answer(expired, "expired")
    headers = {"parked-topic": COMMANDS, "parked-partition": "0", "parked-offset": "5"}
    world.broker.land(PARKED, 0, [(b"", b"{", tuple((name, each.encode()) for name, each in headers.items()))])
    world.broker.land(PARKED, 0, [(b"", b"{", ())])
    world.asked(6)
    world.passes()
    assert await world.found() == [6]


async def test_what_another_service_answers_is_no_answer() -> None:
    world = World()
    world.answer(world.asked(7), "busy", writer="tournament")
    world.passes()
    assert await world.found() == [7]


async def test_what_was_answered_in_the_house_before_or_too_long_ago_is_none() -> None:
    world = World(since=START + 1)
    world.asked(7)
    world.now += 1
    at = START + int(world.now * 1000) - undecided.OLDEST_MS - 1
    world.undecided.asked(Open(0, 8, bytes(16), "table-1", at))
    world.passes()
    assert await world.found() == []


async def test_the_oldest_are_forgotten_and_that_is_told(monkeypatch: Any) -> None:
    monkeypatch.setattr(undecided, "_MOST", 3)
    monkeypatch.setattr(undecided, "_EARLY", 3)
    world = World()
    for offset in range(5):
        world.asked(offset)
        world.undecided.answered(said(uuid7(), "busy"))
    assert world.held() == (3, 3)
    (finding,) = world.undecided.forgotten()
    assert (finding.kind.value, finding.topic, finding.partition) == ("command_not_decided", COMMANDS, 0)
    assert "more than 3 commands of persons wait here" in finding.detail
    assert world.undecided.forgotten() == []
    world.passes()
    assert await world.found() == [2, 3, 4]


@pytest.mark.parametrize("page", [1, 2_000, -2_000])
async def test_what_is_answered_waits_no_more_however_much_it_is(page: int) -> None:
    """Three who send wrong acts as fast as they may had the auditor say that more waits than it can look at, and what
    was passed over meanwhile was forgotten. `page`: so many are read at once; below zero the answers first."""
    world = World()
    passed, asked = 4_321, [uuid7() for _ in range(10_000)]
    for first in range(0, len(asked), abs(page)):
        each = range(first, min(first + abs(page), len(asked)))
        answers = [said(asked[offset], "busy") for offset in each if offset != passed]
        for answer in answers if page < 0 else ():
            world.undecided.answered(answer)
        for offset in each:
            world.now += LATER_MS / 1_000 / len(asked)
            at = START + int(world.now * 1_000)
            world.undecided.asked(Open(0, offset, asked[offset].bytes, "table-1", at))
        for answer in answers if page > 0 else ():
            world.undecided.answered(answer)
    assert world.held()[0] == 1
    assert world.undecided.forgotten() == []
    world.now += LATER_MS / 1_000
    world.decided(20_000)
    world.now += SETTLES_S
    assert await world.found() == [passed]
    assert world.held()[0] == 0


async def test_what_is_sent_again_and_again_waits_once_answered_no_more() -> None:
    world = World()
    command_id = uuid7()
    for offset in range(4_000):
        world.undecided.asked(Open(0, offset, command_id.bytes, "table-1", START))
    world.undecided.asked(Open(0, 3_999, command_id.bytes, "table-1", START))  # read again
    assert world.held()[0] == 4_000
    world.asked(4_000)
    world.undecided.answered(said(command_id, "busy"))
    assert world.held()[0] == 1
    world.passes()
    world.decided(10_000)
    world.now += SETTLES_S
    assert await world.found() == [4_000]


async def test_a_hostile_name_is_not_shown() -> None:
    world = World()
    world.undecided.asked(Open(0, 1, bytes(16), "table\x1b[2J", START))
    world.passes()
    (finding,) = await world.undecided.lost(world.undecided.ripe())
    assert finding.stream == "?"
