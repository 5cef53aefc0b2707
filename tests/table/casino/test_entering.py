"""With how much one joins, comes back and adds: pt-217-2007 14.e, 14.h, 28, 75, 78."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    HandEnded,
)
from libs.contracts.table_events import (
    TopUpAdded,
    TopUpDue,
)
from libs.rulebooks.real_money import DAY
from services.table.domain.games.poker.entering import stack_to_enter
from tests.table.casino.play import (
    CASINO_HOLDEM,
    CASINO_OMAHA,
    STREETS,
    bring,
    casino,
    pack_for,
    rule,
)
from tests.table.casino.test_game import MINUTE, one_hand
from tests.table.play import TableUnderTest, stacked
from tests.table.test_rulebooks import rules_broken
from tests.testkit.cases import Case


@rule("75/1")
def test_initial_stack_and_rebuy_are_fixed_amounts(case: Case) -> None:
    chosen = {"buy_in_min": case["initial"], "buy_in_max": case["initial"], "rebuy": case["rebuy"]}
    table = casino(1, 2, 3, **chosen)
    assert table.take(4, case["brings"]) == Reason.INITIAL_STACK
    assert table.refused is not None
    assert (table.refused.detail, table.refused.rule) == (f"required: {case['initial']}", "pt-217-2007#75")
    table.seat(4, 5)
    table.now += 3_000
    table.wake(stacked(pack_for("Jc 8d 6h 3s 2c", "Ah As", "Kh Ks", seats=5)))
    table.plays("3 fold", "4 fold", "5 fold", "1 raise 20000", "2 call")
    assert table.stacks[2] == case["stack"]
    assert table.top_up(2, case["wants"]) == Reason.REBUY_AMOUNT
    assert table.refused.rule == "pt-217-2007#75"
    assert table.top_up(2, case["rebuy"]) is None


def with_stacks(*stacks: int, **changes: Any) -> TableUnderTest:
    """Running, between hands."""
    table = one_hand(casino(*range(1, len(stacks) + 1), **changes))
    brought = sum(table.stacks.values())
    seats = {seat: replace(table.state.seats[seat], stack=stack) for seat, stack in enumerate(stacks, 1)}
    books = replace(table.state.books, left=table.state.books.left + brought - sum(stacks))
    table.state = replace(table.state, seats=seats, books=books)
    return table


def needs(table: TableUnderTest, required: int, *wrong: int) -> None:
    """Who enters brings this and nothing else."""
    for amount in wrong:
        assert table.take(5, amount) == Reason.ENTRY_STACK
        assert table.refused is not None
        assert (table.refused.detail, table.refused.rule) == (f"required: {required}", "pt-217-2007#28")
    assert table.take(5, required) is None


@rule("28/1")
def test_who_enters_a_running_game_brings_the_average(case: Case) -> None:
    stacks = case.ints("stacks")
    assert (sum(stacks), len(stacks), sum(stacks) // len(stacks)) == (case["sum"], case["players"], case["average"])
    table = with_stacks(*stacks, smallest_chip=case["chip"], entry_minimum=case["house"])
    needs(table, case["required"], *case.ints("refused"))


@rule("28/2")
def test_who_enters_a_running_game_brings_the_minimum_where_it_is_more(case: Case) -> None:
    table = with_stacks(*case.ints("stacks"), smallest_chip=case["chip"], entry_minimum=case["house"])
    needs(table, case["required"], 13_100)


@rule("78/1", "28")
def test_the_house_fixes_the_least_with_which_one_enters(case: Case) -> None:
    average = case.int("average")
    stacks = (average - 1000, average + 1000, average, average)
    needs(with_stacks(*stacks, entry_minimum=case["house"]), case["house"], average, case["house"] + 1)
    needs(with_stacks(*stacks), average, case["house"])


@rule("28")
@pytest.mark.parametrize(("entry_rule", "minimum", "required"), [("average", 15_000, 13_100), ("minimum", 2, 2)])
def test_the_house_may_choose_average_or_minimum_alone(entry_rule: str, minimum: int, required: int) -> None:
    stacks = (10_000, 20_000, 15_000, 7_500)
    table = with_stacks(*stacks, smallest_chip=100, entry_rule=entry_rule, entry_minimum=minimum)
    assert stack_to_enter(table.state) == required


@rule("14.h/1", "28")
def test_who_comes_back_brings_what_was_taken_away(case: Case) -> None:
    table = one_hand(casino(1, 2, 3, 4, 5))
    extra = case.int("left") - table.state.seats[5].stack
    books = replace(table.state.books, brought=table.state.books.brought + extra)
    seats = {**table.state.seats, 5: replace(table.state.seats[5], stack=case.int("left"))}
    table.state = replace(table.state, seats=seats, books=books)
    assert table.leave(5) is None
    table.now += case.int("minutes") * MINUTE
    assert table.take(5, case["offers"]) == Reason.STACK_NOT_RESTORED
    assert table.refused is not None
    assert (table.refused.detail, table.refused.rule) == (f"required: {case['left']}", "pt-217-2007#14.h")
    assert table.take(5, case["left"]) is None


@rule("14.h")
@pytest.mark.parametrize("rulebook", [CASINO_HOLDEM, CASINO_OMAHA])
def test_no_table_makes_the_time_shorter_than_a_game(rulebook: str) -> None:
    for window in (0, 3_600_000, DAY - 1):
        assert rules_broken(rulebook, reentry_ms=window) == [("reentry_ms", "pt-217-2007#14.h")]
    assert rules_broken(rulebook) == rules_broken(rulebook, reentry_ms=DAY) == []


@rule("14.h", "28")
@pytest.mark.parametrize("others", ["stay", "leave"])
def test_who_comes_back_in_time_is_known_whoever_left_since(others: str) -> None:
    """The window is judged by the command's own time; past it one enters as anybody does."""
    table = with_stacks(10_000, 20_000, 15_000, 7_500, 30_000, 20_000)
    stack, window = table.state.seats[1].stack, table.state.rules.timing.reentry_ms
    assert table.leave(1) is None
    table.now += window
    if others == "leave":
        assert table.leave(4) is None
    required = stack_to_enter(table.state)
    assert required != stack
    assert table.take(1, required) == Reason.STACK_NOT_RESTORED
    table.now += 1
    assert table.take(1, stack) == Reason.ENTRY_STACK
    assert table.take(1, required) is None


@rule("14.e/1")
@pytest.mark.parametrize("confirmed", ["in_the_hand", "after_it"])
def test_a_top_up_asked_for_in_a_hand_comes_after_it(case: Case, confirmed: str) -> None:
    stack, rebuy = case.int("stack"), case.int("rebuy")
    holes = stacked(pack_for("Jc 8d 6h 3s 2c", "Ah As", "7h 4s", "Th Ts", "Kh Ks", seats=5))
    stacks = {1: 20_000, 2: 20_000, 3: 20_000, 4: stack, 5: 20_000}
    table = bring(stacks, 1, holes, rebuy=rebuy, waiting_ms=10 * MINUTE)
    table.plays("3 fold", "4 call", "5 fold", "1 call", "2 check")
    assert table.hand.street == STREETS[case.int("round") - 1]
    assert table.top_up(4, rebuy) is None
    assert table.names == ["TopUpRequested"]
    assert table.confirm_top_up() is not None, "nothing is reserved before the hand is over"
    table.plays("1 bet 4000", "2 fold", "4 call")
    (ended,) = table.of(HandEnded)
    assert {result.seat: result.staked for result in ended.results}[4] == stack
    assert (table.stacks[4], [event.amount for event in table.of(TopUpDue)]) == (0, [rebuy])
    table.wake() if confirmed == "in_the_hand" else None
    assert table.confirm_top_up() is None
    if confirmed == "in_the_hand":
        assert table.state.hand is not None
        assert (table.names, table.stacks[4]) == (["TopUpFunded"], 0)
        table.folds_round()
    assert [event.stack for event in table.of(TopUpAdded)] == [rebuy]
    assert table.stacks[4] == rebuy
