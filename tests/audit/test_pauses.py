"""Who pauses a table for the third time within a day is told of."""

from typing import Any

import msgspec
import pytest

from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import TablePaused
from libs.money.cash import BOUNDS
from services.audit.projections.live_checks import _check, _keys
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pauses import Pauses

DAY = 86_400_000


def told(*pauses: tuple[int, str], table: str = "t1") -> list[Finding]:
    """Of pauses by moment and person; each is kept as the auditor's rows keep it."""
    state: Any = Pauses()
    found: list[Finding] = []
    for version, (at, by) in enumerate(pauses, 1):
        fact = TablePaused(at=at, table=table, by=by, reason="a reader")
        name, data = encode_fact(fact)
        event = PublicEvent(stream=table, version=version, type=name, time=at, causation="c", data=data)
        states = {key: state for key in _keys((event, fact)) if key[0] == "pauses"}
        found += [each for each in _check(states, (event, fact), BOUNDS) if each.kind == Kind.PAUSED]
        state = msgspec.json.decode(msgspec.json.encode(state), type=Pauses)
    return found


def test_the_third_pause_of_a_table_by_one_person_within_a_day_is_told_with_the_name() -> None:
    """Found by an attacker: a pause in each hand, and nobody was told."""
    (found,) = told((0, "floor-1"), (1, "floor-2"), (2, "Floor-1"), (3, "floor-2"), (DAY - 1, "floor-1"))
    assert (found.stream, found.version, found.severity) == ("t1", 5, "minor")
    assert found.detail == "paused by floor-1 3 times within 24 hours, the last time for 'a reader'"


@pytest.mark.parametrize(
    "pauses",
    [
        [(0, "floor-1"), (1, "floor-1"), (DAY, "floor-1")],
        [(0, "floor-1"), (1, "floor-1"), (2, "floor-2")],
        [(0, "house"), (1, "house"), (2, "house")],
    ],
)
def test_two_a_day_or_by_several_are_not(pauses: list[tuple[int, str]]) -> None:
    assert told(*pauses) == []


def test_whoever_goes_on_is_told_of_again_at_every_third() -> None:
    assert [each.version for each in told(*[(at, "floor-1") for at in range(10)])] == [3, 6, 9]


def test_who_is_a_day_past_is_not_kept() -> None:
    state = Pauses({"a": [0]})
    fact = TablePaused(at=DAY, table="t1", by="floor-1", reason="?")
    name, data = encode_fact(fact)
    event = PublicEvent(stream="t1", version=1, type=name, time=DAY, causation="c", data=data)
    assert _check({("pauses", "t1"): state}, (event, fact), BOUNDS) == []
    assert [*map(len, state.at.values())] == [1]
    assert "a" not in state.at
