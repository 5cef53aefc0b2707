"""Positions of groups: true under the service's own mark alone, and where an owner begins else."""

import pytest
from msgspec.structs import replace

from libs.journal.mark_keys import POSITIONED, POSITIONS, Plan, keys_of, marks_of
from libs.journal.marks import Marks, MayNotWrite
from libs.journal.positions import (
    BACK_MS,
    BEYOND,
    DAYS_MS,
    NO_MARK,
    Decided,
    Found,
    Moved,
    Position,
    back,
    begin,
    behind,
    beside,
    check_key,
    found,
)
from libs.sealing.key_files import BadKey
from libs.stack.kafka import bounds
from tests.testkit.marks import GATEWAY, ROOT, TABLE, UNMARKED, WALLET
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

PLACE = ("table-decider", "croupier.table.commands.v1", 3)
POSITION = Position(40, 1_000_000, 999_000)
TEXT = beside(TABLE, *PLACE, POSITION)
MINUTE_MS = 60_000


async def reader(minutes: int = 10):
    """One record a minute."""
    now = 0
    broker = SimulatedBroker(now_ms=lambda: now)
    for minute in range(minutes):
        now = minute * MINUTE_MS
        broker.land("t", 0, [(b"k", b"v", ())])
    return await SimulatedLog(broker).reader("t", 0)


@pytest.mark.parametrize("position", [POSITION, Position(0), Position(7, 5)])
def test_what_was_written_is_found(position: Position) -> None:
    text = beside(TABLE, *PLACE, position)
    assert found(TABLE, *PLACE, position.offset, text) == Found(position, position.offset)
    assert found(UNMARKED, *PLACE, position.offset, beside(UNMARKED, *PLACE, position)).position == position


@pytest.mark.parametrize("process", POSITIONED)
def test_the_broker_takes_the_longest(process: str) -> None:
    """All are of one length but for the writer's name and version: in a house's old age, too."""
    marks = marks_of(process, ROOT, Plan(accepted=(100,), writes=100))
    text = beside(marks, *PLACE, Position(2**62, 10**13, 10**13))
    assert len(text) <= int(bounds()["offset.metadata.max.bytes"]) - 16, text


def test_no_position_is_none() -> None:
    assert found(TABLE, *PLACE, None, "") == Found()


@pytest.mark.parametrize(
    "there",
    [
        (*PLACE, 41, TEXT),
        ("table-policies", *PLACE[1:], 40, TEXT),
        (PLACE[0], "croupier.table.events.v1", 3, 40, TEXT),
        (*PLACE[:2], 2, 40, TEXT),
        (*PLACE, 40, TEXT.replace("999000", "999001")),
        (*PLACE, 40, TEXT.replace("1000000", "1000001")),
        (*PLACE, 40, TEXT.rpartition(" ")[0] + " "),
        (*PLACE, 40, TEXT[:-1]),
        (*PLACE, 40, beside(WALLET, *PLACE, POSITION)),
        *(
            (*PLACE, 40, text)
            for text in ("", "999000", "- - -", "1 -", "1 2 3 4", "٣ - x", "9" * 30 + " - x", "1 - é")
        ),
    ],
)
def test_no_other_place_offset_sign_or_writer_has_the_mark(there: tuple[str, str, int, int, str]) -> None:
    """The wallet's mark is made with a key that the table does not know."""
    knows = Marks("table", keys_of("table", ROOT, Plan()))
    assert found(knows, *PLACE, 40, TEXT).position == POSITION
    assert found(knows, *there) == Found(None, there[3])


def test_who_owns_no_group_marks_none() -> None:
    with pytest.raises(MayNotWrite):
        beside(GATEWAY, *PLACE, POSITION)


def test_a_file_of_marks_of_before_is_named_at_the_start() -> None:
    check_key(TABLE)
    before = Marks("table", [each for each in keys_of("table", ROOT, Plan()) if each.topic != POSITIONS])
    with pytest.raises(BadKey, match="croupier marks hand-out"):
        check_key(before)


@pytest.mark.parametrize(
    ("there", "decided", "began"),
    [
        (Found(Position(4), 4), Decided(8, 0), (4, None)),
        (Found(Position(10), 10), Decided(2, 0), (10, None)),
        (Found(Position(11), 11), Decided(9, 9 * MINUTE_MS), (7, BEYOND)),
        (Found(None, 10), Decided(5, 5 * MINUTE_MS), (3, NO_MARK)),
        (Found(None, 10_000), Decided(5, 5 * MINUTE_MS), (3, NO_MARK)),
        (Found(None, 0), Decided(5, 5 * MINUTE_MS), (3, NO_MARK)),
        (Found(None, 10), Decided(5, 500 * MINUTE_MS), (6, NO_MARK)),
        (Found(None, 10), Decided(50, 500 * MINUTE_MS), (10, NO_MARK)),
        (Found(None, 10), Decided(), (0, NO_MARK)),
        (Found(), Decided(), (0, None)),
        (Found(), Decided(5, 5 * MINUTE_MS), (3, None)),
    ],
)
async def test_an_owner_begins_behind_what_the_journal_has_decided(there, decided, began) -> None:
    assert BACK_MS == 2 * MINUTE_MS
    assert await begin(await reader(), there, behind(decided)) == began


async def test_policies_look_back_as_far_as_any_id_lasts() -> None:
    untrue, now = Found(None, 4_400), DAYS_MS + 30 * MINUTE_MS
    assert await begin(await reader(4_400), untrue, back(now)) == (30, NO_MARK)
    assert await begin(await reader(4_400), untrue, back(now, DAYS_MS + 10 * MINUTE_MS)) == (20, NO_MARK)
    assert await begin(await reader(), Found(Position(7), 7), back(now)) == (7, None)
    assert await begin(await reader(), Found(), back(now)) == (10, None)


def test_what_is_told_names_group_place_and_both_offsets() -> None:
    moved = Moved(*PLACE, 41, 3, NO_MARK)
    record = moved.telling.record("croupier.table.parked.v1")
    said = dict(record.headers)
    assert (said["parked-reason"], said["parked-topic"], said["parked-offset"]) == (
        b"position_moved", PLACE[1].encode(), b"41",
    )  # fmt: skip
    assert str(moved) == (
        "table-decider stood at 41 of croupier.table.commands.v1/3: it has no mark of this house; its owner began at 3"
    )
    assert replace(moved, began=4).telling.record("x").headers != record.headers
