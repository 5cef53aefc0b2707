"""A top-up's least amount, and the commission on many small ones: of what the sitting brought, not of each alone."""

import pytest
from msgspec.structs import replace

from libs.contracts.table_events import PlayerSeated, TopUpAdded
from libs.money.rates import BASIS_POINTS, part_of
from services.table.domain.table.decide import evolve
from tests.table.play import HOLDEM, PORTUGAL, TableUnderTest


def charged(table: TableUnderTest) -> int:
    told = [*table.of(PlayerSeated, everything=True), *table.of(TopUpAdded, everything=True)]
    return sum(each.commission for each in told)


@pytest.mark.rule("pt-811-2015", "17.b")
@pytest.mark.parametrize(("rate", "first", "amounts"), [
    (500, 8_019, [119] * 12),
    (750, 1_999, [101, 102, 103, 104, 119, 133]),
    (2_000, 8_000, [104] * 9),
    (1_999, 1_001, [199] * 40),
])  # fmt: skip
def test_the_commission_is_of_all_that_a_sitting_brought(rate: int, first: int, amounts: list[int]) -> None:
    """Found by an attacker: each top-up was rounded down alone, and one of 19 cents charged nothing."""
    table = TableUnderTest(rake_mode="buy_in", rake_bp=rate, buy_in_min=1_000, buy_in_max=10_000)
    table.seat(1, amount=first)
    brought = first
    assert charged(table) == part_of(brought, rate)
    for number, amount in enumerate(amounts):
        assert table.top_up(1, amount, f"u{number}") is None, table.refused
        assert table.confirm_top_up(f"u{number}") is None
        brought += amount
        assert charged(table) == part_of(brought, rate)
        assert table.stacks[1] == brought - charged(table)
        (added,) = table.of(TopUpAdded)
        assert added.uncharged == brought * rate % BASIS_POINTS == table.state.seats[1].uncharged


@pytest.mark.rule("pt-811-2015", "17")
def test_what_was_brought_before_the_table_charged_for_it_is_not_charged_later() -> None:
    table = TableUnderTest(buy_in_min=1_000, buy_in_max=10_000, version=1).seat(1, amount=1_999)
    assert table.change(2, rake_mode="buy_in", rake_bp=750, buy_in_min=1_000, buy_in_max=10_000) is None, table.refused
    table.later(60_000)
    assert table.state.rules.rake.mode == "buy_in"
    assert table.top_up(1, 133) is None
    assert table.confirm_top_up() is None
    assert charged(table) == part_of(133, 750)


@pytest.mark.rule("pt-811-2015", "2.q")
@pytest.mark.parametrize("rulebook", [PORTUGAL, HOLDEM])
def test_less_than_a_big_blind_is_refused_unless_it_is_all_that_is_left(rulebook: str) -> None:
    """Found by an attacker: 26 top-ups of 19 cents, some ten records each, for ever."""
    table = TableUnderTest(rulebook, buy_in_min=1_000, buy_in_max=10_000, top_up_to=10_000).seat(s1=9_899)
    assert table.state.rules.betting.big_blind == 100
    assert table.top_up(1, 99) == "top_up_below_least"
    assert table.refused is not None
    assert (table.refused.rule, table.refused.detail) == (None, "at least 100, or all that is left to the ceiling")
    assert table.top_up(1, 100, "u1") is None
    assert table.confirm_top_up("u1") is None
    assert table.top_up(1, 1, "u2") is None, "all that is left"
    assert table.confirm_top_up("u2") is None
    assert table.stacks[1] == 10_000
    assert table.top_up(1, 1, "u3") == "above_ceiling"


def test_with_a_commission_all_that_is_left_is_what_lifts_the_stack_to_the_ceiling() -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=1_000, buy_in_min=1_000, buy_in_max=11_000, top_up_to=10_000)
    table.seat(1, amount=11_000)
    assert table.stacks[1] == 9_900
    assert table.top_up(1, 99) == "top_up_below_least"
    assert table.top_up(1, 111) is None
    assert table.confirm_top_up() is None
    assert table.stacks[1] == 10_000


def test_where_the_house_fixes_the_amount_there_is_no_least() -> None:
    table = TableUnderTest("pt-217-2007-holdem", rebuy=100, top_up_to=40_000).seat(1)
    assert table.top_up(1, 100) is None, table.refused


def test_who_sat_down_before_it_was_kept_has_nothing_left_to_be_charged_for() -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=750, buy_in_min=1_000, buy_in_max=10_000)
    assert table.take(1, 1_999) is None, table.refused
    before = table.state
    assert table.confirm(1) is None, table.refused
    (seated,) = table.of(PlayerSeated)
    table.state = evolve(before, replace(seated, uncharged=None))
    table.pots.uncharged.clear()  # of such an event the auditor keeps nothing either
    assert table.top_up(1, 133) is None
    assert table.confirm_top_up() is None
    (added,) = table.of(TopUpAdded)
    assert added.commission == part_of(133, 750) == 9, "10 with what was rounded off of the buy-in"
