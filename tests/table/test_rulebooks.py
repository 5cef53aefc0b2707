"""Configurations inside and outside the two Omaha rulebooks, by the accept cases of service `config`."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from libs.contracts.configurations import Configuration, flat
from libs.rulebooks import library
from libs.rulebooks.library import RULEBOOKS
from libs.rulebooks.rulebook import canonical_digest
from services.table.configure import configure
from services.table.domain.games.poker.configuration import PokerConfiguration
from tests.table.play import MACAU, PORTUGAL, configuration
from tests.testkit.cases import Case


def rules_broken(rulebook: str, **changes: Any) -> list[tuple[str, str | None]]:
    """Field and rule of each refusal; empty when accepted."""
    answer = configure(RULEBOOKS[rulebook], configuration(rulebook, **changes))
    return [] if isinstance(answer, Configuration) else [(refusal.field, refusal.rule) for refusal in answer]


def accepted(rulebook: str, **changes: Any) -> PokerConfiguration:
    answer = configure(RULEBOOKS[rulebook], configuration(rulebook, **changes))
    assert isinstance(answer, PokerConfiguration), answer
    return answer


def portugal(ref: str, *refs: str) -> Any:
    return pytest.mark.rule("pt-811-2015", ref, *refs)


def macau(ref: str, *refs: str) -> Any:
    return pytest.mark.rule("mo-97-2010", ref, *refs)


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        pytest.param("rake_bp", 600, "17.a", marks=portugal("enact.2")),
        pytest.param("rake_bp", 99, "17.a", marks=portugal("17.a")),
        pytest.param("rake_bp", 501, "17.a", marks=portugal("17.a")),
        pytest.param("rake_bp", 0, "17.a", marks=portugal("17.a")),
        pytest.param("approval", ..., "enact.3", marks=portugal("enact.3")),
        pytest.param("seats", 1, "5", marks=portugal("5", "4.a")),
        pytest.param("seats", 11, "5", marks=portugal("5", "4.a")),
        pytest.param("approved_on", "soon", "enact.3", marks=portugal("enact.3")),
        pytest.param("big_blind", ..., "14", marks=portugal("14/1")),
        pytest.param("top_up_to", ..., "14", marks=portugal("14/1")),
        pytest.param("rake_mode", ..., "16", marks=portugal("16/1")),
        pytest.param("rake_mode", "both", "16", marks=portugal("17")),
        pytest.param("no_flop_no_rake", False, "18", marks=portugal("18")),
        pytest.param("flop_round_without_bet_no_rake", False, "18", marks=portugal("18")),
        pytest.param("rake_per_payment_when_all_in", False, "19", marks=portugal("19")),
        pytest.param("ante", 10, "21", marks=portugal("21")),
        pytest.param("newcomer_post", True, "21", marks=portugal("21")),
        pytest.param("structure", ..., "24", marks=portugal("24")),
        pytest.param("structure", ["pot_limit", "no_limit"], "24", marks=portugal("24")),
        pytest.param("structure", "spread_limit", "24", marks=portugal("24")),
        pytest.param("decision_ms", ..., "43", marks=portugal("43/1")),
        pytest.param("absent_hands", 6, "70.b", marks=portugal("70.b")),
        pytest.param("currency", "USD", "13", marks=portugal("13")),
        pytest.param("min_unit", 2, "62", marks=portugal("13")),
        ("raise_cap", 3, "38"),
        ("rake_cap_big_blinds", 5, "17.a"),
        ("burn_before_board", True, "25"),
        ("big_blind", "100", "14"),
        ("big_blind", True, "14"),
        ("big_blind", 10**16, "14"),
        ("buy_in_max", 9, "8"),
        ("dice", 2, "6"),
    ],
)
def test_portugal_refuses_by_field_and_rule(field: str, value: Any, rule: str) -> None:
    changes = {field: value} | ({"buy_in_min": 10_000} if field == "buy_in_max" else {})
    assert (field, f"pt-811-2015#{rule}") in rules_broken(PORTUGAL, **changes)


@pytest.mark.parametrize(
    "rulebook", sorted(each for each, rules in RULEBOOKS.items() if "absent_hands" in rules.fields)
)
def test_absence_has_a_bound_in_every_rulebook(rulebook: str) -> None:
    """Else a table deals for ever to players who have gone, and fills the log."""
    assert RULEBOOKS[rulebook].fields["absent_hands"].max is not None


@portugal("14/1")
def test_a_missing_buy_in_is_named() -> None:
    assert ("buy_in_min", "pt-811-2015#14") in rules_broken(PORTUGAL, buy_in=...)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("rake_bp", 100, marks=portugal("17.a")),
        pytest.param("rake_bp", 500, marks=portugal("17.a")),
        pytest.param("seats", 2, marks=portugal("5")),
        pytest.param("seats", 10, marks=portugal("5")),
        pytest.param("structure", "limit_half_pot", marks=portugal("24")),
        pytest.param("structure", "limit_raise_count", marks=portugal("24")),
        pytest.param("structure", "no_limit", marks=portugal("24")),
        pytest.param("absent_hands", 3, marks=portugal("70.b")),
    ],
)
def test_portugal_accepts_within_its_bounds(field: str, value: Any) -> None:
    assert flat(accepted(PORTUGAL, **{field: value}))[field] == value


@portugal("22/2")
def test_portugal_bounds_the_small_blind(case: Case) -> None:
    for small in case.ints("refused"):
        broken = rules_broken(PORTUGAL, big_blind=case["minimum"], small_blind=small)
        assert broken == [("small_blind", "pt-811-2015#22")], small
    for small in case.ints("accepted"):
        assert accepted(PORTUGAL, big_blind=case["minimum"], small_blind=small).betting.small_blind == small


@portugal("6/1")
def test_a_table_has_one_of_two_modes_and_a_session_says_its_hours() -> None:
    opens, closes = {"opens_at": 72_000_000}, {"closes_at": 79_200_000}
    for mode in (..., "weekly", "tournament"):
        assert rules_broken(PORTUGAL, mode=mode) == [("mode", "pt-811-2015#6")]
    for hours, missing in (({}, ["opens_at", "closes_at"]), (opens, ["closes_at"]), (closes, ["opens_at"])):
        assert rules_broken(PORTUGAL, mode="session", **hours) == [(field, "pt-811-2015#6") for field in missing]
    assert rules_broken(PORTUGAL, mode="session", **opens, **closes) == []
    assert rules_broken(PORTUGAL, mode="continuous") == []


@portugal("17.b")
@pytest.mark.parametrize(("rate", "broken"), [(499, True), (500, False), (2000, False), (2001, True)])
def test_portugal_bounds_the_buy_in_commission(rate: int, broken: bool) -> None:
    refused = rules_broken(PORTUGAL, rake_mode="buy_in", rake_bp=rate)
    assert refused == ([("rake_bp", "pt-811-2015#17.b")] if broken else [])


@portugal("17")
def test_the_two_commission_modes_exclude_each_other() -> None:
    assert rules_broken(PORTUGAL, rake_mode=["pot", "buy_in"]) == [("rake_mode", "pt-811-2015#16")]


@portugal("enact.2")
def test_everything_else_is_left_at_its_default() -> None:
    rules = accepted(PORTUGAL, rake_bp=450, small_blind=50)
    assert (rules.timing.break_ms, rules.timing.waiting_ms, rules.timing.absent_hands, rules.timing.reentry_ms) == (
        600_000,
        30_000,
        5,
        3_600_000,
    )
    assert (rules.entry.buy_in_min, rules.entry.buy_in_max, rules.entry.top_up_to) == (10_000, 10_000, 10_000)
    assert (rules.betting.raise_cap, rules.betting.heads_up_blinds, rules.timing.time_bank_ms) == (
        None,
        "button_small",
        0,
    )
    assert (rules.dealing.first_button, rules.dealing.deal_from, rules.dealing.burn_before_board) == (
        "drawn",
        "small_blind",
        False,
    )
    assert accepted(PORTUGAL, structure="limit_raise_count").betting.raise_cap == 3


@portugal("15", "17.b")
def test_nobody_may_enter_with_less_than_a_big_blind() -> None:
    asked = {"rake_mode": "buy_in", "rake_bp": 1000, "buy_in_min": 110, "buy_in_max": 1000, "top_up_to": 1000}
    assert rules_broken(PORTUGAL, **asked) == [("buy_in_min", "pt-811-2015#15")]
    assert rules_broken(PORTUGAL, **(asked | {"buy_in_min": 112})) == []


@portugal("enact.3")
def test_play_money_needs_no_approval() -> None:
    assert accepted(PORTUGAL, kind="demo", approval=...).approval == ""


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("version", ..., "order.2"),
        pytest.param("small_blind", 0, "5.1", marks=macau("5.1")),
        pytest.param("small_blind", 1001, "5.1", marks=macau("5.1")),
        ("rake_cap_big_blinds", 6, "16"),
        ("raise_cap", 4, "12.2"),
        ("structure", "limit_half_pot", "11"),
        ("burn_before_board", False, "7.1"),
        ("currency", "mop", "4.1"),
        ("currency", "ZZZ", "4.1"),
        ("currency", "XTS", "4.1"),
    ],
)
def test_macau_refuses_by_field_and_rule(field: str, value: Any, rule: str) -> None:
    assert (field, f"mo-97-2010#{rule}") in rules_broken(MACAU, **{field: value})


@macau("5.1")
@pytest.mark.parametrize("small", [400, 1000])
def test_macau_wants_a_reason_for_an_unusual_small_blind(small: int) -> None:
    assert rules_broken(MACAU, small_blind=small) == [("small_blind_reason", "mo-97-2010#5.1")]
    assert accepted(MACAU, small_blind=small, small_blind_reason="beginners").betting.small_blind == small


@macau("2.1/1")
def test_ten_seats_where_nobody_says(case: Case) -> None:
    assert "seats" not in configuration(MACAU)
    assert accepted(MACAU).seats == case["seats"]


@macau("2.2/1")
def test_as_many_seats_as_the_deck_serves(case: Case) -> None:
    for seats in case.ints("accepted"):
        assert accepted(MACAU, seats=seats).seats == seats
    assert rules_broken(MACAU, seats=case["refused"]) == [("seats", "mo-97-2010#2.2")]


@macau("5.1", "16")
def test_macau_defaults() -> None:
    rules = accepted(MACAU)
    assert (rules.betting.small_blind, rules.betting.raise_cap, rules.rake.cap_big_blinds) == (500, 3, 5)
    assert (rules.rake.no_flop_no_rake, rules.rake.flop_round_without_bet_no_rake) == (True, False)
    assert (rules.dealing.first_button, rules.dealing.deal_from, rules.dealing.burn_before_board) == (
        "lowest_seat",
        "left_of_button",
        True,
    )
    assert rules.dealing.odd_unit == "whole_remainder_to_lowest_seat"


def test_rulebooks_have_a_digest_of_their_data() -> None:
    for rulebook in RULEBOOKS.values():
        data = msgspec.to_builtins(rulebook)
        assert len(rulebook.digest) == 64
        assert canonical_digest(data) != canonical_digest({**data, "title": "another"})
    assert RULEBOOKS[MACAU].digest != RULEBOOKS[PORTUGAL].digest


@macau("order.2/1")
def test_rules_without_source_or_version_are_refused(case: Case, tmp_path: Path) -> None:
    assert rules_broken(MACAU, version=...) == [("version", "mo-97-2010#order.2")]
    data = yaml.safe_load((Path(library.__file__).parent / f"{MACAU}.yaml").read_text(encoding="utf-8"))
    for name in ("id", "source"):
        nameless = tmp_path / f"without-{name}.yaml"
        nameless.write_text(yaml.safe_dump({key: said for key, said in data.items() if key != name}), encoding="utf-8")
        with pytest.raises(msgspec.ValidationError, match=name):
            library.read_rulebook(nameless)
    number, year = case.ints("order")
    assert f"{number}/{year}" in RULEBOOKS[MACAU].source
    assert accepted(MACAU).regulation == RULEBOOKS[MACAU].regulation
