"""The variants of poker as data: how many hole cards, and how five cards are made of them and the board.

This is the one place where the variants differ. A rulebook names its variant; everything else looks it up here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from libs.cards.card import DECK, Card
from libs.cards.ranking import BestFive, holdem_best_five, holdem_strength, omaha_best_five, omaha_strength
from libs.cards.sintetico import SINTETICO_DECK, sintetico_best_five, sintetico_strength

Variant = Literal["omaha", "holdem", "sintetico"]
Street = Literal["preflop", "flop", "turn", "river", "card_1", "card_2", "card_3", "card_4", "card_5"]
"""A betting round by what was turned before it; `card_1` and on where the board comes one card at a time."""
Cards = Sequence[Card]


@dataclass(frozen=True, slots=True)
class VariantRules:
    """`strength` and `best_five` take the hole cards and the five board cards; smaller strengths win."""

    hole_cards: int
    strength: Callable[[Cards, Cards], int]
    best_five: Callable[[Cards, Cards], BestFive]
    board: tuple[tuple[Street, int], ...] = (("flop", 3), ("turn", 1), ("river", 1))
    """Streets of the board in order, and how many cards are turned up for each."""
    deck: tuple[Card, ...] = DECK
    """The cards in play; what else a deck holds lies under them and is never dealt."""
    bets_before_board: bool = True
    """Whether a betting round stands before the first card of the board."""


VARIANTS: dict[Variant, VariantRules] = {
    "omaha": VariantRules(4, omaha_strength, omaha_best_five),
    "holdem": VariantRules(2, holdem_strength, holdem_best_five),
    "sintetico": VariantRules(
        2,
        sintetico_strength,
        sintetico_best_five,
        board=(("card_1", 1), ("card_2", 1), ("card_3", 1), ("card_4", 1), ("card_5", 1)),
        deck=SINTETICO_DECK,
        bets_before_board=False,
    ),
}
