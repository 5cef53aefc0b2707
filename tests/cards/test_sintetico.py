"""Póquer sintético: 28 cards, both hole cards, a flush above a full house, the ace below the eight."""

from collections import Counter
from itertools import combinations

import pytest

from libs.cards.card import name_of, parse_all
from libs.cards.sintetico import SINTETICO_DECK, _weighed
from libs.cards.variants import VARIANTS

GAME = VARIANTS["sintetico"]


def best(hole: str, board: str) -> tuple[int, str]:
    found = GAME.best_five(parse_all(hole), parse_all(board))
    assert found.strength == GAME.strength(parse_all(hole), parse_all(board))
    assert len(found.board_used) == 3
    return found.strength, found.category


@pytest.mark.rule("pt-217-2007", "S.3")
def test_the_deck_has_28_cards_none_below_the_eight() -> None:
    assert len(set(GAME.deck)) == len(GAME.deck) == 28
    assert Counter(name_of(card)[0] for card in GAME.deck) == dict.fromkeys("89TJQKA", 4)


@pytest.mark.rule("pt-217-2007", "S.5")
def test_both_hole_cards_play_with_three_of_the_board() -> None:
    board = "Ks Kh Kd Kc 8s"
    x, y = best("Ah 9d", board), best("Qs Qd", board)
    assert (x[1], y[1]) == ("three_of_a_kind", "full_house")
    assert y[0] < x[0]
    found = GAME.best_five(parse_all("Qs Qd"), parse_all(board))
    assert found.hole_used == parse_all("Qs Qd")


@pytest.mark.rule("pt-217-2007", "S.8")
def test_a_flush_beats_a_full_house() -> None:
    board = "Kh Qh 9h 9c 8d"
    x, y = best("Ah Jh", board), best("Ks Kd", board)
    assert (x[1], y[1]) == ("flush", "full_house")
    assert x[0] < y[0]


@pytest.mark.rule("pt-217-2007", "S.9")
def test_the_ace_stands_below_the_eight_too() -> None:
    board = "8s 9d Tc Kd Kc"
    x, y = best("Ah Jd", board), best("Ks Qh", board)
    assert (x[1], y[1]) == ("straight", "three_of_a_kind")
    assert x[0] < y[0]
    higher = best("Jd Qh", board)
    assert higher[1] == "straight"
    assert higher[0] < x[0], "the lowest straight loses to every other"
    lowest, other = best("Ah Jh", "8h 9h Th Kd Kc"), best("Qh Jh", "8h 9h Th Kd Kc")
    assert lowest[1] == other[1] == "straight_flush"
    assert other[0] < lowest[0] < best("Ks Kh", "Kd Kc 8h 9h Th")[0]


@pytest.mark.rule("pt-217-2007", "S.8")
def test_how_often_each_combination_comes() -> None:
    """All 98 280 hands: the rarer flush (68, royal and straight flushes apart) stands above the full house (1008)."""
    counts = Counter(_weighed(five)[1] for five in combinations(SINTETICO_DECK, 5))
    assert sum(counts.values()) == 98_280
    assert (counts["flush"], counts["full_house"], counts["four_of_a_kind"]) == (68, 1008, 168)
    assert counts["royal_flush"] + counts["straight_flush"] == 16
