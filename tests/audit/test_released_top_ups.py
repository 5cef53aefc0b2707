"""A top-up that comes home after its sitting: the table has given it up, never played it, and it comes."""

from itertools import permutations
from typing import Any

import msgspec
import pytest

from libs.contracts import table_events as t
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.sittings import (
    GRACE_MS,
    NEVER,
    Reserve,
    Sitting,
    check_sitting,
    is_over,
    note,
    sitting_of,
)

T0 = 1_700_000_000_000
OF_TABLE: dict[str, Any] = {"table": "table-1", "at": T0, "reservation": "s1", "player": "ann", "seat": 1}
OF_WALLET: dict[str, Any] = {"account": "account-ann-EUR", "player": "ann", "currency": "EUR", "table": "table-1"}
BOUGHT: dict[str, Any] = {"amount": 100, "commission": 0, "stack": 100, "currency": "EUR", "rulebook": "r"}
SEATED = t.PlayerSeated(**OF_TABLE, **BOUGHT, kind="real")
ADDED = t.TopUpAdded(**OF_TABLE, **BOUGHT | {"amount": 50, "stack": 150}, top_up="u1")
FAILED = t.TopUpFailed(**OF_TABLE, top_up="u1", currency="EUR", reason="left")
LEFT = t.PlayerLeft(**OF_TABLE, stack=90, currency="EUR", reason="player")
RESERVED = w.FundsReserved(**OF_WALLET, reserve="s1", sitting="s1", amount=100, available=900, reserved=100)
TOP_UP = w.FundsReserved(**OF_WALLET, reserve="u1", sitting="s1", amount=50, available=850, reserved=150)
SETTLED = w.SittingSettled(**OF_WALLET, sitting="s1", brought=150, returned=90, available=940, reserved=0)
RELEASED = w.FundsReleased(
    **OF_WALLET, reserve="u1", sitting="s1", amount=50, available=990, reserved=0, reason="left"
)  # fmt: skip
PLAYED = [RESERVED, TOP_UP, SEATED]


def heard(sitting: Sitting, *facts: Fact, at: int = T0) -> Sitting:
    for fact in facts:
        assert sitting_of(fact) == "s1"
        stream = "table-1" if hasattr(fact, "seat") else "account-ann-EUR"
        name, data = encode_fact(fact)
        note(sitting, PublicEvent(stream=stream, version=1, type=name, time=at, causation="", data=data), fact)
        sitting = msgspec.json.decode(msgspec.json.encode(sitting), type=Sitting)
    return sitting


def found(sitting: Sitting, after_ms: int = GRACE_MS + 1) -> list[Finding]:
    return list(check_sitting("s1", sitting, T0 + after_ms))


def kinds(sitting: Sitting, after_ms: int = GRACE_MS + 1) -> list[Kind]:
    return [each.kind for each in found(sitting, after_ms)]


@pytest.mark.parametrize("order", list(permutations([FAILED, LEFT, SETTLED, RELEASED])))
def test_a_top_up_that_failed_comes_home_whatever_is_heard_first(order: tuple[Fact, ...]) -> None:
    sitting = heard(Sitting(), *PLAYED)
    as_told = order.index(FAILED) < order.index(LEFT)
    for place, fact in enumerate(order, 1):
        sitting = heard(sitting, fact)
        assert found(sitting, 5_000) == []
        assert is_over(sitting) is (place == len(order)) or not as_told, "it is remembered until that is home"
    assert (found(sitting), sitting.waits, is_over(sitting)) == ([], NEVER, True)


def test_what_the_table_has_played_does_not_come_home_so() -> None:
    sitting = heard(Sitting(), *PLAYED, ADDED, LEFT, SETTLED)
    assert found(sitting) == []
    (finding,) = found(heard(sitting, FAILED, RELEASED), 0)
    assert (finding.kind, finding.stream) == (Kind.RESERVE, "account-ann-EUR")
    assert "the table has played it" in finding.detail
    assert "the table has played it" in found(heard(Sitting(), RELEASED, *PLAYED, ADDED))[0].detail


def test_what_the_table_has_not_given_up_does_not_come_home() -> None:
    """The table tells before: only their clocks may differ."""
    sitting = heard(Sitting(), *PLAYED, LEFT, SETTLED, RELEASED)
    assert (kinds(sitting, 5_000), kinds(sitting, 5_001), is_over(sitting)) == ([], [Kind.RESERVE], False)


def test_what_was_given_up_and_settled_has_to_come_home() -> None:
    sitting = heard(Sitting(), *PLAYED, FAILED, LEFT, SETTLED)
    assert (kinds(sitting, GRACE_MS), kinds(sitting), is_over(sitting)) == ([], [Kind.RESERVE_OPEN], False)


def test_of_a_sitting_that_is_over_nothing_comes_home() -> None:
    """It is not remembered then, and the table may say what it likes."""
    sitting = heard(Sitting(), FAILED, RELEASED)
    assert (kinds(sitting, 0), is_over(sitting)) == ([Kind.RESERVE], True)


def test_what_an_older_build_has_kept_loads_and_accuses_nobody() -> None:
    old = msgspec.json.decode(msgspec.json.encode(heard(Sitting(), *PLAYED, FAILED, LEFT, SETTLED)))
    del old["released"]
    for reserve in old["reserves"].values():
        del reserve["settled"]
    sitting = msgspec.convert(old, Sitting)
    assert sitting.reserves["u1"] == Reserve("table-1", 50, T0, ended=True)
    assert (found(sitting), is_over(sitting)) == ([], True)
    assert found(heard(sitting, RELEASED)) == []
