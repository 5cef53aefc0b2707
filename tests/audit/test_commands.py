"""`croupier verify` holds each commit against its command, as the auditor does, as far as the broker still has it."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from uuid6 import uuid7

from libs.contracts.house import HouseCreated
from libs.contracts.topics import DAY_MS, topic
from libs.journal.commit import Commit, decode, digest, encode
from services.audit.verifying import commands
from services.audit.verifying.commands import Commands
from services.cli.journals import books
from services.cli.verify import Report, verify_log
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS, partition_of

JOURNAL, COMMANDS = topic("table", "journal").name, topic("table", "commands").name


async def verified(house: PlayedHouse, later_ms: int = 0, **created: Any) -> tuple[Report, dict[str, Commands]]:
    of_house = books(KEYRING, PARTITIONS)
    held = {
        each.service: Commands(
            *(house.log, UNMARKED, each.service, "", HouseCreated("h", 1, PARTITIONS, 0, **created)),
            page=5,
            clock=lambda: (house.now + later_ms) / 1000,
        )
        for each in of_house
    }
    return await verify_log(house.log, of_house, commands=held), held


def forge(house: PlayedHouse, change: Callable[[Commit], Commit]) -> None:
    """With the service's login and marks: chained as it must be, and never asked."""
    raw = house.broker.records(JOURNAL, partition_of(house.table))[-1].value or b""
    last = decode(raw)
    made = replace(
        last, base=last.version, prev=digest(raw), command_id=uuid7().bytes, verdict="rejected", reason="forged",
        events=(), sealed=b"",
    )  # fmt: skip
    house.land("table", house.table, encode(change(made)))


async def test_a_house_as_it_was_played_holds_whatever_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "REMEMBERED", 5)
    report, held = await verified(played(hands=2))
    assert report.findings == []
    assert {len(each._asked) for each in held.values()} == {0, 5}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda commit: commit, "another command stands where the commit says it was read"),
        (
            lambda commit: replace(commit, command_offset=10**9),
            "no command that this house was asked stands where the commit says it was read",
        ),
        (lambda commit: replace(commit, source="elsewhere"), "the commit names no commands of its service"),
    ],
)
async def test_a_commit_that_nobody_asked_for_is_found(change: Callable[[Commit], Commit], said: str) -> None:
    house = played(hands=1)
    forge(house, change)
    report, _ = await verified(house)
    place = (JOURNAL, partition_of(house.table), len(house.broker.records(JOURNAL, partition_of(house.table))) - 1)
    assert [
        (each["kind"], each["stream"], each["detail"], (each["topic"], each["partition"], each["offset"]))
        for each in report.findings
    ] == [("commit_without_command", house.table, said, place)]


async def test_what_was_carried_here_was_held_against_its_command_elsewhere() -> None:
    house = played(hands=1)
    forge(house, lambda commit: commit)
    report, _ = await verified(house, carried={"table": [10**6] * PARTITIONS})
    assert report.findings == []


async def test_of_commands_that_retention_took_nothing_is_said_where_the_commit_is_old() -> None:
    """Who forges a commit may name a command of long ago: a young commit names none that is gone."""
    house, at = played(hands=2), partition_of("table-1")
    half = len(house.broker.records(COMMANDS, at)) // 2
    house.broker.delete_below(COMMANDS, at, half)
    old, _ = await verified(house, later_ms=8 * DAY_MS)
    assert old.findings == []
    young, _ = await verified(house)
    assert {(each["kind"], each["detail"]) for each in young.findings} == {
        ("commit_without_command", "the command that the commit names was gone before it was decided")
    }
    assert len(young.findings) == half
