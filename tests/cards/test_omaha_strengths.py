"""How the combinations of Omaha online rank over all strengths and over many deals (pt-811-2015 29, mo-97-2010 15)."""

import random
from itertools import combinations

import pytest
from phevaluator import evaluate_cards

from libs.cards.card import DECK, parse_all
from libs.cards.ranking import category_of, five_strength, omaha_strength
from libs.cards.variants import VARIANTS
from tests.cards.test_ranking import _best_of, _half
from tests.table.play import MACAU, PORTUGAL
from tests.table.test_rulebooks import accepted
from tests.testkit.cases import Case

EXAMPLES = {
    "royal_flush": "Ah Kh Qh Jh Th",
    "straight_flush": "5c 4c 3c 2c Ac",
    "four_of_a_kind": "2s 2h 2d 2c 3d",
    "full_house": "2s 2h 2d 3c 3d",
    "flush": "7d 5d 4d 3d 2d",
    "straight": "5h 4c 3c 2c Ac",
    "three_of_a_kind": "2s 2h 2d 4c 3d",
    "two_pair": "3s 3h 2d 2c 4d",
    "pair": "2s 2h 5d 4c 3d",
    "high_card": "7h 5d 4d 3d 2d",
}
"""Of each group a weak hand; the groups from the highest down."""


@pytest.mark.rule("pt-811-2015", "29/1")
def test_all_strengths_fall_into_ten_groups_in_order(case: Case) -> None:
    groups = [category_of(strength) for strength in range(1, case.int("strengths") + 1)]
    assert list(dict.fromkeys(groups)) == list(EXAMPLES)
    assert groups == sorted(groups, key=list(EXAMPLES).index), "no hand of a lower group beats one of a higher"
    with pytest.raises(ValueError, match="no such strength"):
        category_of(case["strengths"] + 1)
    for group, cards in EXAMPLES.items():
        assert category_of(five_strength(parse_all(cards))) == group


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.rule("pt-811-2015", "29/2")
def test_random_deals_agree_with_an_evaluator_of_our_own(case: Case) -> None:
    """It shares no code with the library's."""
    luck, players, open_cards = random.Random(811), case.int("players"), case.int("board")
    for _ in range(case.int("deals")):
        cards = luck.sample(DECK, open_cards + 4 * players)
        board = cards[:open_cards]
        holes = [cards[start : start + 4] for start in range(open_cards, len(cards), 4)]
        threes = [_half(three) for three in combinations(board, 3)]
        ours = [-_best_of(hole, threes) for hole in holes]
        theirs = [omaha_strength(hole, board) for hole in holes]
        won = [[strength == min(all_of) for strength in all_of] for all_of in (ours, theirs)]
        assert won[0] == won[1], (board, holes)


@pytest.mark.rule("mo-97-2010", "15.3", "15/2")
def test_without_the_fifth_card_of_fours_the_order_is_the_same(case: Case) -> None:
    """The strengths of each rank's fours lie in one piece, so no deal shows the difference."""
    groups = [category_of(strength) for strength in range(1, case.int("strengths") + 1)]
    assert list(dict.fromkeys(groups)) == list(EXAMPLES)
    assert len(EXAMPLES) == case["groups"]
    assert groups == sorted(groups, key=list(EXAMPLES).index), "no hand of a lower group beats one of a higher"
    fours: dict[int, list[int]] = {}
    for rank in range(13):
        four = [rank * 4 + suit for suit in range(4)]
        fours[rank] = sorted(evaluate_cards(*four, other * 4) for other in range(13) if other != rank)
    assert all(strengths == list(range(strengths[0], strengths[0] + 12)) for strengths in fours.values())
    assert sorted(fours, key=lambda rank: fours[rank][0]) == list(range(12, -1, -1))
    assert (groups.count("four_of_a_kind"), len(fours)) == (case["fours"], case["ranks"])
    assert sum(len(strengths) for strengths in fours.values()) == case["fours"]
    assert len(groups) - case.int("fours") + len(fours) == case["left"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.rule("mo-97-2010", "15/1")
def test_both_sets_of_rules_name_the_same_winners(case: Case) -> None:
    """The deals of pt-811-2015 29, by the comparison that a table of each of them makes, and by one of our own."""
    luck, of_both = random.Random(811), [VARIANTS[accepted(rules).variant] for rules in (MACAU, PORTUGAL)]
    assert of_both[0] is of_both[1], "one evaluator serves both"
    for number in range(case.int("deals")):
        cards = luck.sample(DECK, 13)
        board, holes = cards[:5], (cards[5:9], cards[9:])
        strengths = [[variant.best_five(hole, board).strength for hole in holes] for variant in of_both]
        won = [[strength == min(all_of) for strength in all_of] for all_of in strengths]
        assert won[0] == won[1], (board, holes)
        if number % 50 == 0:
            threes = [_half(three) for three in combinations(board, 3)]
            ours = [_best_of(hole, threes) for hole in holes]
            assert won[0] == [strength == max(ours) for strength in ours], (board, holes)
