"""Which hand is higher (pt-803-2015-no-draw 7 to 9, 13)."""

from itertools import combinations
from typing import Any

import pytest

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts.no_draw_poker_events import DealerShown, RoundHandShown, RoundResult
from services.table.domain.games.no_draw_poker.settlement import compare_hands, dealer_plays
from tests.table.no_draw.play import ACE_KING, REGULATION, ace_king_beside, one_round
from tests.testkit.cases import Case, each_case

rule = pytest.mark.rule
_KIND = {"two-pairs": "two_pair", "one-pair": "pair", "high card": "high_card"}
_OUTCOME = {"player": "win", "dealer": "lose", "": "tie"}
_MIRRORED = {"player": "dealer", "dealer": "player", "": ""}


def kind_of(case: Case) -> str:
    return _KIND.get(case["kind"], case.text("kind").replace("-", "_"))


def shown_as(hand: str, dealer: str = "") -> str:
    """The category that a round tells of a player's hand."""
    table = one_round(hand, dealer or ace_king_beside(hand))
    (shown,) = table.of(RoundHandShown, everything=True)
    assert [card.card for card in shown.cards] == hand.split()
    category: str = shown.category
    assert category == table.settled.results[0].category
    return category


def decided(player: str, dealer: str, ante: int = 100, **setting: Any) -> RoundResult:
    result: RoundResult = one_round(player, dealer, ante, **setting).settled.results[0]
    return result


@rule(REGULATION, "7/1")
def test_a_full_house_beats_three_of_a_kind_on_either_side() -> None:
    full, three = "Ts Td Tc 4h 4d", "6s 6h 6d Qc As"
    assert [decided(full, three).outcome, decided(three, full).outcome] == ["win", "lose"]
    assert decided(full, three).decided_by == "category"


@rule(REGULATION, "7/2")
def test_each_kind_beats_all_below_it(case: Case) -> None:
    hands = [parse_all(hand) for hand in case.read("hands", list[str])]
    assert len({category_of(five_strength(hand)) for hand in hands}) == len(hands) == 10
    for higher, lower in combinations(hands, 2):
        assert compare_hands(higher, lower, suit_tiebreak=True).winner == "player"
        assert compare_hands(lower, higher, suit_tiebreak=True).winner == "dealer"


@rule(REGULATION, "7.a/1")
def test_a_royal_flush_is_of_one_suit(case: Case) -> None:
    hand = case.text("hand")
    assert shown_as(hand) == kind_of(case)
    assert shown_as(hand.replace(case["instead_of"], case["other"])) != kind_of(case)


_RANKS = "A23456789T"
_TOPS = {"five": 5, "nine": 9}


@rule(REGULATION, "7.b/1")
def test_a_straight_flush_is_known_by_its_top_card(case: Case) -> None:
    """Equal to one of clubs with that top card, and lower than the next one."""
    for top, hand in case.read("hands", dict[str, str]).items():
        assert shown_as(hand) == kind_of(case)
        equal, higher = (
            " ".join(f"{_RANKS[at]}c" for at in range(end - 5, end)) for end in (_TOPS[top], _TOPS[top] + 1)
        )
        assert [decided(hand, equal).outcome, decided(hand, higher).outcome] == ["tie", "lose"]


@each_case(REGULATION, "7.c/1", "7.d/1", "7.e/1", "7.g/1", "7.h/1", "7.i/1")
def test_what_a_hand_is(case: Case) -> None:
    assert shown_as(case.text("hand")) == kind_of(case)


@rule(REGULATION, "7.f/1")
def test_a_straight_is_not_of_one_suit_alone(case: Case) -> None:
    for hand in case.read("hands", list[str]):
        assert shown_as(hand) == kind_of(case), hand


@rule(REGULATION, "7.j/1")
def test_high_cards_are_compared_one_by_one(case: Case) -> None:
    result = decided(case["player"], case["dealer"])
    assert (result.outcome, result.category, result.decided_by) == ("win", "high_card", "9")
    swapped = decided(case["dealer"], case["player"])
    assert (swapped.outcome, swapped.decided_by) == ("lose", "9")


def dealer_shows(dealer: str) -> bool:
    """Whether the dealer plays; if so a pair of fours or more wins, if not the ante is paid."""
    hand = next(hand for hand in ("4d 4h Th 9c 8d", "3c 3d 6h 9c 7d") if not set(hand.split()) & set(dealer.split()))
    table = one_round(hand, dealer)
    (shown,) = table.of(DealerShown, everything=True)
    assert [card.card for card in shown.cards] == dealer.split()
    outcome = table.settled.results[0].outcome
    assert (outcome == "dealer_not_qualified") is not shown.plays
    plays: bool = shown.plays
    return plays


@rule(REGULATION, "7.k/1")
def test_ace_and_king_are_the_least_with_which_the_dealer_plays(case: Case) -> None:
    assert dealer_shows(case["plays"])
    assert not dealer_shows(case["does_not"])
    assert dealer_shows("2s 2c 5h 6h 7s"), "a pair of twos"
    assert dealer_shows("As Kd 4c 3h 2s"), "the lowest ace-king"


@rule(REGULATION, "25/1")
def test_with_which_hands_the_dealer_plays(case: Case) -> None:
    assert [dealer_shows(hand) for hand in case.read("plays", list[str])] == [True, True]
    assert [dealer_shows(hand) for hand in case.read("does_not", list[str])] == [False, False]


@rule(REGULATION, "8/1")
def test_an_ace_below_the_two_makes_the_lowest_straight(case: Case) -> None:
    result = decided(case["player"], case["dealer"])
    assert (result.outcome, result.category, result.decided_by) == ("lose", "straight", "13.a")


@rule(REGULATION, "8/2")
def test_an_ace_above_the_king_makes_the_highest_straight(case: Case) -> None:
    hand = case.text("hand")
    assert shown_as(hand) == kind_of(case)
    assert decided(hand, "Kh Qd Jc Ts 9d").outcome == "win"
    assert decided(hand, "As Kc Qd Jh Ts").outcome == "tie"


@rule(REGULATION, "8/3")
def test_an_ace_between_king_and_two_makes_no_straight(case: Case) -> None:
    assert shown_as(case["hand"]) == kind_of(case)


@rule(REGULATION, "9/1")
def test_three_of_one_suit_break_a_tie_of_high_cards(case: Case) -> None:
    result = decided(case["player"], case["dealer"], case["ante"])
    assert (result.outcome, result.decided_by, result.net) == ("win", "9-suit", case["net"])
    ante, bet = case.int("ante"), case.int("bet")
    assert [area.staked for area in result.bets] == [ante, bet]
    assert [area.credited - area.staked for area in result.bets] == case["won"]
    off = decided(case["player"], case["dealer"], ante, high_card_suit_tiebreak=False)
    assert off.outcome == "tie", "where the table is set so"


@rule(REGULATION, "9/2")
def test_the_dealer_has_three_of_one_suit(case: Case) -> None:
    result = decided(case["player"], case["dealer"], case["ante"])
    assert (result.outcome, result.decided_by) == ("lose", "9-suit")
    assert (result.staked - case.int("ante"), result.net) == (case["bet"], case["net"])


@rule(REGULATION, "9/3")
def test_three_of_a_suit_on_both_sides_are_a_tie(case: Case) -> None:
    result = decided(case["player"], case["dealer"], case["ante"])
    assert (result.outcome, result.credited, result.net) == ("tie", case["credited"], case["net"])
    assert result.staked - case.int("ante") == case["bet"]


@rule(REGULATION, "9/4")
def test_four_of_a_suit_are_not_better_than_three(case: Case) -> None:
    one, other = case.read("neither", list[str])
    for player, dealer in ((case["player"], case["dealer"]), (one, other)):
        assert [decided(player, dealer).outcome, decided(dealer, player).outcome] == ["tie", "tie"]


@rule(REGULATION, "13/1")
def test_the_same_kind_is_decided_by_the_higher_cards() -> None:
    queens, jacks = "Qc Qd 9h 8s 4d", "Jh Js Ad Kc 3s"
    won, lost = decided(queens, jacks), decided(jacks, queens)
    assert [(each.outcome, each.decided_by) for each in (won, lost)] == [("win", "13.g"), ("lose", "13.g")]


def check_same_kind(case: Case, by: str) -> None:
    """As the case has them, and with the sides exchanged."""
    wins, player, dealer = case.text("wins"), case.text("player"), case.text("dealer")
    for winner, hands in ((wins, (player, dealer)), (_MIRRORED[wins], (dealer, player))):
        result = decided(*hands)
        assert (result.outcome, result.decided_by) == (_OUTCOME[winner], by if wins else "")


@each_case(REGULATION, "13.a/1", "13.a/2")
def test_straights_are_decided_by_the_top_card(case: Case) -> None:
    check_same_kind(case, "13.a")


@rule(REGULATION, "13.b/1")
def test_fours_of_a_kind_are_decided_by_the_four(case: Case) -> None:
    check_same_kind(case, "13.b")


@rule(REGULATION, "13.c/1")
def test_full_houses_are_decided_by_the_three(case: Case) -> None:
    check_same_kind(case, "13.c")


@rule(REGULATION, "13.d/1")
def test_flushes_are_decided_card_by_card(case: Case) -> None:
    check_same_kind(case, "13.d")


@rule(REGULATION, "13.e/1")
def test_threes_of_a_kind_are_decided_by_the_three(case: Case) -> None:
    check_same_kind(case, "13.e")


@each_case(REGULATION, "13.f/1", "13.f/2", "13.f/3")
def test_two_pairs_are_decided_by_the_pairs_and_then_the_fifth_card(case: Case) -> None:
    check_same_kind(case, "13.f")


@each_case(REGULATION, "13.g/1", "13.g/2")
def test_pairs_are_decided_by_the_pair_and_then_all_side_cards(case: Case) -> None:
    check_same_kind(case, "13.g")


@rule(REGULATION, "13.a", "13.d", "7.a")
@pytest.mark.parametrize(
    ("player", "dealer", "outcome"),
    [
        ("Td 9d 8d 7d 6d", "9s 8s 7s 6s 5s", "win"),
        ("Ah Kh 9h 5h 3h", "As Ks 9s 5s 3s", "tie"),
        ("Ah Kh Qh Jh Th", "As Ks Qs Js Ts", "tie"),
    ],
)
def test_hands_of_one_suit_each(player: str, dealer: str, outcome: str) -> None:
    assert decided(player, dealer).outcome == outcome


def test_ace_king_of_these_tests_is_what_it_says() -> None:
    assert category_of(five_strength(parse_all(ACE_KING))) == "high_card"
    assert dealer_plays(parse_all(ACE_KING))
