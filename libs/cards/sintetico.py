"""Póquer sintético: 28 cards from the eight up, both hole cards with three of the board, and an order of its own.

Field practice (pt-217-2007 S.3, S.5, S.8, S.9): a flush beats a full house, and the ace also stands below the eight.
"""

from collections.abc import Sequence
from itertools import combinations

from libs.cards.card import DECK, RANKS, Card
from libs.cards.ranking import BestFive, Category, category_of, five_strength

SINTETICO_DECK: tuple[Card, ...] = tuple(card for card in DECK if card // 4 >= RANKS.index("8"))
"""Eight to ace in four suits, lowest first."""

_ORDER: tuple[Category, ...] = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "flush",
    "full_house",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
)
_STEP = 10_000
"""More than the weakest strength within a category."""
_LOWEST_STRAIGHT = frozenset(RANKS.index(rank) for rank in "A89TJ")
_UNKNOWN_ELSEWHERE: dict[Category, Category] = {"flush": "straight_flush", "high_card": "straight"}
"""What the usual order makes of A-8-9-10-J, and what it is here."""


def sintetico_strength(hole: Sequence[Card], board: Sequence[Card]) -> int:
    """Smaller wins, equal ties; the numbers are not those of the other games."""
    return min(_weighed((*hole, *three))[0] for three in combinations(board, 3))


def sintetico_best_five(hole: Sequence[Card], board: Sequence[Card]) -> BestFive:
    """Both hole cards and the first three of the board (in the order dealt) that give the best hand."""
    threes = list(combinations(board, 3))
    best = min(range(len(threes)), key=lambda place: _weighed((*hole, *threes[place]))[0])
    strength, category = _weighed((*hole, *threes[best]))
    return BestFive(strength, category, tuple(hole), threes[best])


def _weighed(cards: Sequence[Card]) -> tuple[int, Category]:
    usual = five_strength(cards)
    category = category_of(usual)
    if frozenset(card // 4 for card in cards) == _LOWEST_STRAIGHT:
        category, usual = _UNKNOWN_ELSEWHERE[category], _STEP - 1
    return _ORDER.index(category) * _STEP + usual, category
