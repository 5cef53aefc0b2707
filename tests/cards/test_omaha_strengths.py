"""How the combinations of Omaha online rank over all strengths and over many deals (pt-811-2015 29)."""

import random
from itertools import combinations

import pytest

from libs.cards.card import DECK, parse_all
from libs.cards.ranking import category_of, five_strength, omaha_strength
from tests.cards.test_ranking import _best_of, _half
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
