"""How strong a hand is: Omaha, exactly two hole cards with three of the board; hold'em, the best five of seven.

Source: pt-811-2015 26, mo-97-2010 10.1; for hold'em the practice of the field.

The strength comes from phevaluator: 1 is a royal flush, 7462 the weakest high card, equal numbers tie.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal

import msgspec
from phevaluator import _pheval

from libs.cards.card import Card

Category = Literal[
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
]

# Last strength of each category (pt-811-2015 29): 1 royal flush, 9 other straight flushes, 156 fours, and so on.
_LAST_OF: tuple[tuple[int, Category], ...] = (
    (1, "royal_flush"),
    (10, "straight_flush"),
    (166, "four_of_a_kind"),
    (322, "full_house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three_of_a_kind"),
    (3325, "two_pair"),
    (6185, "pair"),
    (7462, "high_card"),
)


# The native evaluators themselves: the public functions look at every card again, too dear for each of sixty fives.
_of_five: Callable[..., int] = _pheval.evaluate_5cards
_of_seven: Callable[..., int] = _pheval.evaluate_7cards
_of_omaha: Callable[..., int] = _pheval.evaluate_omaha_cards


class BestFive(msgspec.Struct, frozen=True):
    """The five cards that play, for display (pt-811-2015 60, 61)."""

    strength: int
    category: Category
    hole_used: tuple[Card, ...]
    board_used: tuple[Card, ...]


def category_of(strength: int) -> Category:
    """Category of a strength 1..7462."""
    for last, category in _LAST_OF:
        if 1 <= strength <= last:
            return category
    raise ValueError(f"no such strength: {strength}")


def five_strength(cards: Sequence[Card]) -> int:
    """1 (best) to 7462 of exactly five different cards; smaller wins, equal ties."""
    return _of_five(*cards)


def omaha_strength(hole: Sequence[Card], board: Sequence[Card]) -> int:
    """1 (best) to 7462 of four hole cards and five board cards; smaller wins, equal ties."""
    return _of_omaha(*board, *hole)


def omaha_best_five(hole: Sequence[Card], board: Sequence[Card]) -> BestFive:
    """The first two-and-three (in the order dealt) that has the hand's strength."""
    strength = omaha_strength(hole, board)
    threes = list(combinations(board, 3))
    for a, b in combinations(hole, 2):
        for c, d, e in threes:
            if _of_five(a, b, c, d, e) == strength:
                return BestFive(strength, category_of(strength), (a, b), (c, d, e))
    raise AssertionError("no two and three reach the strength that the evaluator gave")


def holdem_strength(hole: Sequence[Card], board: Sequence[Card]) -> int:
    """1 (best) to 7462 of two hole cards and five board cards; smaller wins, equal ties."""
    return _of_seven(*board, *hole)


def holdem_best_five(hole: Sequence[Card], board: Sequence[Card]) -> BestFive:
    """The five of seven that have the hand's strength; among equal ones those with the fewest hole cards."""
    strength = holdem_strength(hole, board)
    for from_hole in range(len(hole) + 1):
        for held in combinations(hole, from_hole):
            for open_cards in combinations(board, 5 - from_hole):
                if _of_five(*held, *open_cards) == strength:
                    return BestFive(strength, category_of(strength), held, open_cards)
    raise AssertionError("no five of seven reach the strength that the evaluator gave")
