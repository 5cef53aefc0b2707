"""Pots, commission and payments by the figures of the matrices."""

from typing import Any

import pytest

from libs.rulebooks.library import RULEBOOKS
from services.table.configure import configure
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.pots import basis_of, pots_of, settlement, shares_of
from services.table.domain.games.poker.showdown import best_claims
from services.table.domain.games.poker.state import Hand, InHand
from tests.table.play import MACAU, PORTUGAL, configuration


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def rules(rulebook: str = PORTUGAL, **changes: Any) -> PokerConfiguration:
    answer = configure(RULEBOOKS[rulebook], configuration(rulebook, **changes))
    assert isinstance(answer, PokerConfiguration), answer
    return answer


def hand_with(
    stakes: dict[int, int], all_in: tuple[int, ...] = (), folded: tuple[int, ...] = (), button: int = 1, **changes: Any
) -> Hand:
    """A hand after the river: seat to chips put in over the hand."""
    players = {
        seat: InHand(
            seat=seat,
            player=f"p{seat}",
            reservation=f"r{seat}",
            committed=stake,
            all_in=seat in all_in,
            folded=seat in folded,
        )
        for seat, stake in stakes.items()
    }
    fields: dict[str, Any] = {
        "number": 1,
        "button": button,
        "small_blind": 2,
        "big_blind": 3,
        "order": tuple(sorted(stakes)),
        "players": players,
        "left": len(players) - len(folded),
        "deck": None,
        "pot": sum(stakes.values()),
        "board": (12, 13, 14, 15, 16),
        "street": "river",
        "last_actor": button,
    }
    return Hand(**(fields | changes))


def pots(hand: Hand) -> list[tuple[int, tuple[int, ...]]]:
    return [(pot.amount, pot.eligible) for pot in pots_of(hand)]


def paid(hand: Hand, strengths: dict[int, int], rule_set: PokerConfiguration) -> tuple[dict[int, int], list[int]]:
    """Seat to net winnings, and the commission of each pot."""
    basis = basis_of(hand, rule_set)
    nets: dict[int, int] = {}
    rakes: list[int] = []
    awards = [(pot, best_claims(pot, strengths)) for pot in pots_of(hand)]
    for (pot, _), payments in zip(awards, settlement(awards, hand, basis, rule_set), strict=True):
        assert sum(payment.gross for payment in payments) == pot.amount
        assert all(payment.gross - payment.rake == payment.net and payment.rake >= 0 for payment in payments)
        rakes.append(sum(payment.rake for payment in payments))
        for payment in payments:
            nets[payment.seat] = nets.get(payment.seat, 0) + payment.net
    return nets, rakes


def order(*seats: int) -> dict[int, int]:
    """Best first."""
    return {seat: place for place, seat in enumerate(seats)}


@portugal("2.p", "39", "41")
def test_a_side_pot_is_for_those_who_put_in_more() -> None:
    assert pots(hand_with({1: 500, 2: 1500, 3: 1500}, (1,))) == [(1500, (1, 2, 3)), (2000, (2, 3))]
    assert pots(hand_with({1: 500, 2: 500, 3: 500}, (1,))) == [(1500, (1, 2, 3))]
    assert pots(hand_with({1: 1500, 2: 2000, 3: 2000}, (1,))) == [(4500, (1, 2, 3)), (1000, (2, 3))]


@portugal("42")
def test_as_many_side_pots_as_different_all_ins() -> None:
    four = hand_with({1: 500, 2: 1500, 3: 3000, 4: 3000}, (1, 2))
    assert pots(four) == [(2000, (1, 2, 3, 4)), (3000, (2, 3, 4)), (3000, (3, 4))]
    assert pots(hand_with({1: 500, 2: 500, 3: 500}, (1, 2))) == [(1500, (1, 2, 3))]
    folded = hand_with({1: 500, 2: 1500, 3: 900, 4: 1500}, (1, 2), (3,))
    assert pots(folded) == [(2000, (1, 2, 4)), (2400, (2, 4))]


@portugal("42", "35")
def test_what_a_folder_matched_is_no_uncalled_bet() -> None:
    hand = hand_with({1: 500, 2: 900, 3: 900}, (1,), (2,))
    assert pots(hand) == [(1500, (1, 3)), (800, (3,))]
    assert paid(hand, order(1, 3), rules()) == ({1: 1425, 3: 760}, [75, 40])


@macau("13.3")
def test_folded_chips_stay_in_the_pot() -> None:
    assert pots(hand_with({2: 12_000, 3: 500, 4: 85_000, 5: 85_000}, (), (2, 3))) == [(182_500, (4, 5))]


@portugal("27", "17.a")
@pytest.mark.parametrize(("pot", "rake"), [(10_000, 500), (150, 7)])
def test_pot_mode_takes_its_part_first(pot: int, rake: int) -> None:
    hand = hand_with({1: pot // 2, 2: pot // 2})
    assert paid(hand, order(1, 2), rules()) == ({1: pot - rake}, [rake])


@portugal("33")
@macau("10.4")
def test_equal_parts() -> None:
    tie = {1: 5, 2: 5}
    assert paid(hand_with({1: 4500, 2: 4500}), tie, rules()) == ({1: 4275, 2: 4275}, [450])
    assert paid(hand_with({1: 4500, 2: 4500}), tie, rules(MACAU)) == ({1: 4275, 2: 4275}, [450])


@portugal("17.a", "62")
def test_odd_cents_go_clockwise_from_the_button() -> None:
    hand = hand_with({1: 710, 2: 710, 4: 710}, button=3)
    assert paid(hand, {1: 5, 2: 5, 4: 5}, rules()) == ({4: 675, 1: 675, 2: 674}, [106])
    assert shares_of(951, [5, 2], rules()) == [476, 475]


@portugal("62")
def test_each_pot_is_divided_on_its_own() -> None:
    buy_in = rules(rake_mode="buy_in", rake_bp=1000)
    # Main 1001 (333 each and 2 folded), side 501 (250 each and one folded above it).
    hand = hand_with({1: 2, 2: 583, 3: 583, 4: 333, 5: 1}, (4,), (1, 5))
    assert [eligible for _, eligible in pots(hand)] == [(2, 3, 4), (2, 3)]
    main, side = (pot.amount for pot in pots_of(hand))
    nets, rakes = paid(hand, {2: 5, 3: 5, 4: 9}, buy_in)
    assert rakes == [0, 0]
    assert nets == {2: (main + 1) // 2 + (side + 1) // 2, 3: main // 2 + side // 2}
    assert shares_of(1001, [2, 3], buy_in) == [501, 500]
    assert shares_of(501, [2, 3], buy_in) == [251, 250]


@macau("10.5")
def test_macau_remainder_goes_to_the_lowest_tied_seat() -> None:
    macau_rules = rules(MACAU)
    assert shares_of(2024, [4, 1, 2], macau_rules) == [674, 676, 674]
    assert shares_of(4275, [9, 6], macau_rules) == [2137, 2138]
    hand = hand_with({2: 1001, 6: 1001, 9: 1001}, button=8)
    nets, _ = paid(hand, {6: 1, 9: 1, 2: 7}, macau_rules)
    assert nets[6] - nets[9] in (0, 1)
    assert 2 not in nets
    assert shares_of(1000, [1, 2, 3], rules(MACAU, min_unit=25)) == [350, 325, 325]


@portugal("19")
def test_commission_from_each_payment_with_an_all_in_player() -> None:
    hand = hand_with({1: 2030, 2: 5055, 3: 9075, 4: 9075}, (1, 2, 4))
    nets, rakes = paid(hand, order(1, 2, 3, 4), rules(rake_bp=450))
    assert (nets, rakes) == ({1: 7755, 2: 8667, 3: 7679}, [365, 408, 361])
    three = hand_with({1: 333, 2: 333, 3: 333, 4: 1}, (1, 2, 3), (4,), button=4)
    assert paid(three, {1: 5, 2: 5, 3: 5}, rules()) == ({1: 318, 2: 317, 3: 317}, [48])
    free, none = paid(hand, order(1, 2, 3, 4), rules(rake_mode="buy_in", rake_bp=1000))
    assert (free, none) == ({1: 8120, 2: 9075, 3: 8040}, [0, 0, 0])


@portugal("63.a", "63.b")
def test_main_and_side_pot() -> None:
    hand = hand_with({1: 1500, 2: 2000, 3: 2000}, (1,))
    assert paid(hand, order(2, 3, 1), rules())[0] == {2: 5225}
    assert paid(hand, order(1, 3, 2), rules())[0] == {1: 4275, 3: 950}


@portugal("63.c")
@pytest.mark.parametrize(
    ("strengths", "nets"),
    [
        (order(2, 1, 4, 3), {2: 4750, 4: 2850}),
        (order(1, 2, 3, 4), {1: 1900, 2: 2850, 3: 2850}),
        ({1: 0, 2: 0, 3: 1, 4: 2}, {1: 950, 2: 950 + 2850, 3: 2850}),
    ],
)
def test_several_all_ins(strengths: dict[int, int], nets: dict[int, int]) -> None:
    hand = hand_with({1: 500, 2: 1500, 3: 3000, 4: 3000}, (1, 2), button=4)
    assert paid(hand, strengths, rules())[0] == nets
