"""Pots and commission of Macau, each at a table that was played to the end (mo-97-2010 10.2, 10.4, 10.5, 16)."""

from collections.abc import Iterable
from typing import Any

import pytest

from libs.cards.card import DECK, name_of
from libs.contracts.poker_events import CardsShown, HandEnded, PotAwarded
from libs.sealing.shuffle import Shuffle
from tests.table.omaha.play import BOARD, DEEP, holes_of, nets, pots, rakes, returned
from tests.table.play import MACAU, TableUnderTest, stacked
from tests.table.test_rulebooks import accepted, rules_broken
from tests.testkit.cases import Case, each_case

Stacks = Iterable[int] | dict[int, int]


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def burning_deck(button: int, holes: dict[int, str]) -> Shuffle:
    """Dealt from the left of the button, with a card of nobody's to burn before each street of `BOARD`."""
    order = [seat for seat in sorted(holes) if seat > button] + [seat for seat in sorted(holes) if seat <= button]
    cards = [holes[seat].split()[n] for n in range(4) for seat in order]
    board = BOARD.split()
    burned = [name for name in map(name_of, DECK) if name not in {*cards, *board}]
    streets = [burned[0], *board[:3], burned[1], board[3], burned[2], board[4]]
    return stacked(" ".join([*cards, *streets]))


def game(
    button: int, stacks: Stacks, places: dict[int, int] | None = None, folders: Iterable[int] = (), **changes: Any
) -> TableUnderTest:
    """No limit unless asked otherwise; seats, or seats with their stacks, and the places of their hands."""
    wide: dict[str, Any] = {"structure": "no_limit", "buy_in_max": 10**7, "top_up_to": 10**7}
    wide["buy_in_min"] = changes.get("big_blind", 1000)
    table = TableUnderTest(MACAU, **(wide | changes))
    for seat, stack in (stacks if isinstance(stacks, dict) else dict.fromkeys(stacks, DEEP)).items():
        table.seat(seat, amount=stack)
    fresh = burning_deck(button, holes_of(places, folders)) if places is not None else None
    return table.deal(button=button, fresh=fresh)


def ended(table: TableUnderTest) -> HandEnded:
    (event,) = table.of(HandEnded, True)
    return event


def equal_stakes(case: Case, pot: int, button: int, places: dict[int, int], **changes: Any) -> TableUnderTest:
    """Everybody puts in the same, nobody is all-in, and all see the showdown; a button without a place folds."""
    folders = [button] if button not in places else []
    table = game(button, [*places, *folders], places, folders, big_blind=case["big"], rake_bp=case["rate"], **changes)
    if table.turn in folders:
        table.plays(f"{table.turn} fold")
    table.plays(f"{table.turn} raise {pot // len(places)}")
    while table.hand.street == "preflop":
        table.plays(f"{table.turn} {'fold' if table.turn in folders else 'call'}")
    table.checks_down()
    assert pots(table) == [(pot, sorted(places))]
    return table


@macau("10.2/1")
def test_the_best_hand_takes_the_pot(case: Case) -> None:
    table = equal_stakes(case, case["pot"], 1, {1: 1, 2: 0})
    assert (rakes(table), nets(table)) == ([case["rake"]], {2: case["paid"]})


@macau("10.2/2")
def test_all_ins_of_two_sizes(case: Case) -> None:
    stakes = case.read("stakes", dict[int, int])
    deepest = max(stakes.values())
    stacks = {seat: stake if stake < deepest else DEEP for seat, stake in stakes.items()}
    places = {seat: place for place, seat in enumerate(case.ints("order"))}
    table = game(4, stacks, places, big_blind=case["big"], rake_bp=case["rate"])
    table.plays(f"3 raise {deepest}", "4 call", "1 call", "2 call").checks_down()
    assert {result.seat: result.staked for result in ended(table).results} == stakes
    assert [amount for amount, _ in pots(table)] == [case["main"], *case["sides"]]
    assert nets(table) == case.read("paid", dict[int, int])


@macau("10.2/3")
def test_what_nobody_called_goes_back_before_the_pot_is_formed(case: Case) -> None:
    bets, calls = case.int("bets"), case.int("calls")
    blind = case.int("before") // 2
    table = game(calls, {calls: blind + case.int("all_in"), bets: DEEP}, {calls: 0, bets: 1}, big_blind=blind)
    table.plays(f"{calls} call", f"{bets} check")
    assert table.hand.pot == case["before"]
    table.plays(f"{bets} bet {case['bet']}", f"{calls} call")
    assert returned(table) == [(bets, case["returned"])]
    assert pots(table) == [(case["pot"], sorted([bets, calls]))]
    assert ended(table).rake > 0


def shares(table: TableUnderTest) -> dict[int, int]:
    """Seat to its payment of the only pot, in seats' order."""
    (award,) = table.of(PotAwarded, True)
    return {payment.seat: payment.net for payment in sorted(award.payments, key=lambda payment: payment.seat)}


@macau("10.4/1")
def test_two_equal_hands_halve_the_pot(case: Case) -> None:
    table = equal_stakes(case, case["pot"], 1, dict.fromkeys(range(1, case.int("winners") + 1), 0))
    assert rakes(table) == [case["rake"]]
    assert list(shares(table).values()) == [case["each"]] * case.int("winners")


@macau("10.4/2")
def test_three_equal_hands_divide_down_to_the_unit(case: Case) -> None:
    winners = case.int("winners")
    table = equal_stakes(case, case["pot"], 1, dict.fromkeys(range(1, winners + 1), 0))
    paid = shares(table)
    assert sum(paid.values()) == case["left"] == winners * case.int("each") + case.int("remainder")
    assert sorted(paid.values())[:-1] == [case["each"]] * (winners - 1)
    assert max(paid.values()) == case.int("each") + case.int("remainder")


@macau("10.4/3")
def test_where_the_smallest_chip_is_larger_they_divide_down_to_it(case: Case) -> None:
    """The small blind folds a chip, and three winners put in a third of the rest each."""
    winners, unit, each = case.int("winners"), case.int("unit"), case.int("each")
    places = dict.fromkeys((1, 3, 4), 0)
    assert len(places) == winners
    table = game(1, (1, 2, 3, 4), places, (2,), big_blind=2 * unit, small_blind=unit, min_unit=unit, rake_bp=0)
    table.plays(f"4 raise {each}", "1 call", "2 fold", "3 call").checks_down()
    paid = shares(table)
    assert sum(paid.values()) == case["left"]
    assert sorted(paid.values()) == [each, each, each + case.int("remainder")]


@each_case("mo-97-2010", "10.5/1", "10.5/2")
def test_the_whole_remainder_goes_to_the_lowest_tied_seat_wherever_the_button_is(case: Case) -> None:
    table = equal_stakes(case, case["pot"], case["button"], dict.fromkeys(case.ints("tied"), 0))
    paid = shares(table)
    assert sum(paid.values()) == case["left"]
    assert paid == case.read("paid", dict[int, int])


@macau("10.5/3")
def test_never_to_one_who_lost(case: Case) -> None:
    """The button is on the lower of the tied seats: counted from there the other one is first."""
    shown, tied, loser = case.ints("shown"), case.ints("tied"), case.int("loses")
    table = game(case["gets"], shown, dict.fromkeys(tied, 0) | {loser: 1}, big_blind=100, rake_bp=0)
    table.plays(f"{table.turn} raise 1001").checks_down()
    assert sorted(event.seat for event in table.of(CardsShown, True)) == shown
    (award,) = table.of(PotAwarded, True)
    paid = shares(table)
    least = min(paid.values())
    assert award.amount % len(tied) == case["remainder"]
    assert {seat: net - least for seat, net in paid.items()} == {
        seat: case["remainder"] if seat == case["gets"] else 0 for seat in tied
    }


@macau("16/1")
def test_the_rates(case: Case) -> None:
    for rate in case.ints("refused"):
        assert rules_broken(MACAU, rake_bp=rate) == [("rake_bp", "mo-97-2010#16")]
    for rate in case.ints("accepted"):
        assert accepted(MACAU, rake_bp=rate).rake.bp == rate


@macau("16/2")
def test_no_more_than_five_big_blinds(case: Case) -> None:
    assert case["due"] > case["cap"]
    table = equal_stakes(case, case["pot"], 1, {1: 0, 2: 1})
    assert (rakes(table), nets(table)) == ([case["rake"]], {1: case["paid"]})
    assert case["rake"] == case["cap"]
    free = equal_stakes(case, case.int("cap"), 1, {1: 0, 2: 1})
    assert free.state.rules.rake.cap_big_blinds * case.int("big") == case["cap"]


@macau("16/3")
def test_below_at_and_above_the_cap(case: Case) -> None:
    for pot, rake in zip(case.ints("pots"), case.ints("rakes"), strict=True):
        assert rakes(equal_stakes(case, pot, 1, {1: 0, 2: 1})) == [rake]


def main_and_side(case: Case) -> TableUnderTest:
    """Seat 1 is all-in for a third of the main pot, 2 and 3 put in half of the side pot more each on the flop."""
    main, side = case.int("main"), case.int("side")
    all_in = main // 3
    stacks, places = {1: all_in, 2: DEEP, 3: DEEP}, {1: 2, 2: 0, 3: 1}
    table = game(1, stacks, places, big_blind=case["big"], rake_bp=case["rate"])
    table.plays(f"1 raise {all_in}", "2 call", "3 call", f"2 bet {side // 2}", "3 call").checks_down()
    assert pots(table) == [(main, [1, 2, 3]), (side, [2, 3])]
    return table


@macau("16/4")
def test_the_cap_is_one_for_all_pots_and_the_main_pot_pays_first(case: Case) -> None:
    table = main_and_side(case)
    assert rakes(table) == case["rakes"]
    assert case["uncapped"] == case.int("side") * case.int("rate") // 10_000 > rakes(table)[1]


@macau("16/5")
def test_three_winners_divide_what_is_left(case: Case) -> None:
    table = equal_stakes(case, case["pot"], 1, dict.fromkeys(case.ints("tied"), 0))
    assert rakes(table) == [case["rake"]]
    assert case["rake"] < case["cap"] == table.state.rules.rake.cap_big_blinds * case.int("big")
    assert sum(shares(table).values()) == case["left"]
    assert list(shares(table).values()) == case["paid"]
    assert list(shares(table)) == case["tied"]


@macau("16/6")
def test_each_pot_is_rounded_down_by_itself(case: Case) -> None:
    table = main_and_side(case)
    assert (rakes(table), ended(table).rake) == (case["rakes"], case["rake"])
    assert case["wrong"] == (case.int("main") + case.int("side")) * case.int("rate") // 10_000


@macau("16/7")
def test_no_commission_on_a_bet_that_nobody_called(case: Case) -> None:
    stake = case.int("pot") // 2
    table = game(1, (1, 2), big_blind=case["big"], rake_bp=case["rate"])
    table.plays(f"1 raise {stake}", "2 call", "2 check", "1 check")
    assert (table.hand.street, table.hand.pot) == ("turn", case["pot"])
    table.plays(f"2 bet {case['bet']}", "1 fold")
    assert returned(table) == [(2, case["returned"])]
    assert (rakes(table), nets(table)) == ([case["rake"]], {2: case["paid"]})


@macau("16/8")
def test_a_hand_that_ends_on_the_flop_without_a_bet_is_charged(case: Case) -> None:
    checks, folds = case.int("checks"), case.int("folds")
    table = game(folds, (checks, folds), big_blind=case["big"], rake_bp=case["rate"])
    table.plays(f"{folds} raise {case.int('pot') // 2}", f"{checks} call")
    assert (table.hand.street, table.hand.pot) == ("flop", case["pot"])
    table.plays(f"{checks} check", f"{folds} fold")
    assert (rakes(table), nets(table)) == ([case["rake"]], {checks: case["paid"]})
    assert ended(table).exemption is None


@macau("16/9")
def test_no_flop_no_commission(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(1, (1, 2, 3, 4), small_blind=small, big_blind=big).plays("4 fold", "1 fold", "2 fold")
    assert returned(table) == [(3, case["returned"])]
    assert pots(table) == [(case["pot"], [3])]
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], "no_flop")
    assert nets(table) == {3: case["pot"]}
