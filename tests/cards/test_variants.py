"""The two games side by side: the same cards, another five."""

import random
from itertools import combinations

from phevaluator import evaluate_cards

from libs.cards.card import DECK, parse_all
from libs.cards.variants import VARIANTS


def test_one_of_four_hole_cards_plays_only_in_holdem() -> None:
    """One heart in hand and four on the board: a flush in hold'em, none in Omaha (pt-811-2015 26)."""
    board = parse_all("2h 7h 9h Kh 3c")
    assert VARIANTS["holdem"].best_five(parse_all("Ah As"), board).category == "flush"
    assert VARIANTS["omaha"].best_five(parse_all("Ah As Qc Jd"), board).category == "pair"


def test_the_board_may_play_in_holdem() -> None:
    best = VARIANTS["holdem"].best_five(parse_all("2c 3d"), parse_all("Th Jh Qh Kh Ah"))
    assert (best.category, best.hole_used) == ("royal_flush", ())
    assert len(best.board_used) == 5


def test_holdem_is_the_best_five_of_seven() -> None:
    """Against the plain definition: the least strength over all twenty-one fives."""
    dice = random.Random(1)
    for _ in range(300):
        seven = dice.sample(DECK, 7)
        hole, board = seven[:2], seven[2:]
        best = VARIANTS["holdem"].best_five(hole, board)
        least = min(evaluate_cards(*five) for five in combinations(seven, 5))
        assert best.strength == least == evaluate_cards(*best.hole_used, *best.board_used)
        assert set(best.hole_used) <= set(hole)
        assert set(best.board_used) <= set(board)
        assert len(best.hole_used) + len(best.board_used) == 5
