"""Configurations inside and outside the rulebooks of pt-217-2007: 2, 6, 7.a, 20, 21, 47, 82 to 87, S.1 to S.11."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.messages import Principal
from libs.contracts.table_commands import OpenTable
from libs.rulebooks.library import RULEBOOKS
from services.table.configure import configure
from services.table.domain.games.poker.configuration import PokerConfiguration
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, SINTETICO, casino, h6, rule
from tests.table.play import TableUnderTest, configuration
from tests.testkit.cases import Case


def refusals(rulebook: str = CASINO_HOLDEM, **changes: Any) -> list[tuple[str, str | None]]:
    """Field and rule of each refusal; empty when accepted."""
    answer = configure(RULEBOOKS[rulebook], configuration(rulebook, **changes))
    return [(refusal.field, refusal.rule) for refusal in answer] if isinstance(answer, list) else []


def accepted(rulebook: str = CASINO_HOLDEM, **changes: Any) -> PokerConfiguration:
    answer = configure(RULEBOOKS[rulebook], configuration(rulebook, **changes))
    assert isinstance(answer, PokerConfiguration), answer
    return answer


@pytest.mark.parametrize("rulebook", [CASINO_HOLDEM, CASINO_OMAHA])
@pytest.mark.parametrize(
    ("field", "value", "ref"),
    [
        pytest.param("rake_bp", 501, "7.a", marks=rule("7.a")),
        pytest.param("structure", ..., "21", marks=rule("21.a", "21.b", "21.c")),
        pytest.param("structure", "limit_raise_count", "21", marks=rule("21.a")),
        pytest.param("raise_cap", 4, "87", marks=rule("47")),
        pytest.param("raise_cap", 2, "87", marks=rule("47")),
        pytest.param("pot_multiplier", 0, "86", marks=rule("86")),
        pytest.param("pot_multiplier", 4, "86", marks=rule("86")),
        pytest.param("big_blind", 201, "82", marks=rule("82")),
        pytest.param("small_blind", 50, "82", marks=rule("82")),
        pytest.param("seats", 9, "6", marks=rule("6")),
        pytest.param("seats", 12, "6", marks=rule("6")),
        pytest.param("open_seats", 11, "6", marks=rule("6")),
        pytest.param("minimum_raise", "last_full_raise", "86", marks=rule("86")),
        pytest.param("positions", "button", "29", marks=rule("29")),
        pytest.param("showing", "last_aggressor", "62", marks=rule("62")),
        pytest.param("ante", 10, "81", marks=rule("81")),
        pytest.param("straddle", 400, "81", marks=rule("81")),
        pytest.param("timer_action", "none", "71.a", marks=rule("71.a")),
        ("min_players", 2, "24"),
        ("burn_before_board", False, "41"),
    ],
)
def test_outside_the_bounds_is_refused_with_the_rule(rulebook: str, field: str, value: Any, ref: str) -> None:
    of_field = "small_blind" if field == "big_blind" else field
    assert (of_field, f"pt-217-2007#{ref}") in refusals(rulebook, **{field: value})


@rule("20/1")
def test_the_minimum_is_20_to_40_percent_of_the_maximum(case: Case) -> None:
    for minimum in case.ints("taken"):
        assert refusals(table_max=case["maximum"], big_blind=minimum) == []
    for minimum in case.ints("refused"):
        assert ("table_max", "pt-217-2007#20") in refusals(table_max=case["maximum"], big_blind=minimum)
        even = minimum + (1 if minimum > 300 else -1)
        assert refusals(table_max=case["maximum"], big_blind=even) == [("table_max", "pt-217-2007#20")]


@rule("20", "19")
def test_without_a_nominal_maximum_there_is_nothing_to_compare() -> None:
    assert accepted(big_blind=400).betting.table_max is None
    assert h6().state.rules.betting.big_blind == 200


@rule("47", "87", "82", "83")
def test_what_the_regulation_fixes_is_there_without_asking() -> None:
    rules = accepted()
    assert (rules.betting.raise_cap, rules.betting.small_blind, rules.betting.big_blind, rules.dealing.min_unit) == (
        3,
        100,
        200,
        200,
    )
    assert accepted(raise_cap=3).betting.raise_cap == 3
    assert accepted(CASINO_OMAHA).betting.pot_multiplier == 2
    assert rules.regulation == "pt-217-2007"


@rule("6/1", "10")
def test_the_eleventh_seat_is_closed(case: Case) -> None:
    table = casino(seats=case["seats"])
    assert table.take(case["closed"], 20_000) == "seat_closed"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#6"
    table.seat(*range(1, case.int("open") + 1))
    assert table.take(None, 20_000, "late") == "table_full"
    table.deal()
    assert len(table.hand.order) == case["open"]


@rule("2.c/1", "S.1")
def test_poquer_sintetico_can_not_be_opened(case: Case) -> None:
    table = TableUnderTest()
    before = table.state
    command = OpenTable(name="x", rulebook=SINTETICO, configuration=configuration(SINTETICO))
    table.state = type(before)(table="t2")
    assert table.send(Principal("staff", "s"), command) == "variant_not_available"
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#2.c"
    assert table.last == []


@rule("S.1/1")
def test_enabled_without_the_official_text_it_is_for_play_money_only(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RULEBOOKS, SINTETICO, replace(RULEBOOKS[SINTETICO], enabled=True))
    assert refusals(SINTETICO, ante=50, kind="real") == [("kind", "pt-217-2007#S.1")]
    assert refusals(SINTETICO, ante=50, kind="demo") == []
    official = replace(RULEBOOKS[SINTETICO], enabled=True, field_practice=())
    assert isinstance(configure(official, configuration(SINTETICO, ante=50, kind="real")), PokerConfiguration)


@rule("6/2")
def test_the_seats_of_poquer_sintetico_are_all_open(case: Case) -> None:
    profile = {"ante": 50, "kind": "demo"}
    rules = accepted(SINTETICO, **profile, seats=case["has"])
    assert (rules.seats, rules.played_seats) == (case["has"], case["has"])
    assert refusals(SINTETICO, **profile, seats=case["seats"]) == [("seats", "pt-217-2007#S.2")]


@rule("S.2/1")
def test_poquer_sintetico_has_eleven_seats(case: Case) -> None:
    assert refusals(SINTETICO, ante=50, kind="demo", seats=case["seats"]) == [("seats", "pt-217-2007#S.2")]
    assert accepted(SINTETICO, ante=50, kind="demo").played_seats == case["seats"] + 1


@rule("S.11/1", "47")
def test_poquer_sintetico_is_without_limit_and_without_a_cap_of_raises(case: Case) -> None:
    assert accepted(SINTETICO, ante=50, kind="demo", structure=...).betting.structure == "no_limit"
    for structure in ("limit_half_pot", "pot_limit"):
        rules = accepted(SINTETICO, ante=50, kind="demo", structure=structure)
        assert (rules.betting.structure, rules.betting.raise_cap) == (structure, None)
    assert ("raise_cap", "pt-217-2007#S.11") in refusals(SINTETICO, ante=50, kind="demo", raise_cap=3)


@rule("S.14/1")
def test_the_base_of_the_session_charge_is_chosen(case: Case) -> None:
    charge = {"ante": 50, "kind": "demo", "rake_mode": "session", "rake_bp": 1000}
    assert refusals(SINTETICO, **charge) == [("session_fee_base", "pt-217-2007#S.14")]
    assert refusals(SINTETICO, **charge, session_fee_base="buy_in") == []
    assert refusals(SINTETICO, **charge, session_fee_base="table_max", table_max=1000) == []


@rule("S.6")
def test_poquer_sintetico_has_an_ante() -> None:
    assert ("ante", "pt-217-2007#S.6") in refusals(SINTETICO, kind="demo")
