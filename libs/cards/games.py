"""The games as data: how many hole cards, and how five cards are made of them and the board.

This is the one place where Omaha and hold'em differ. A rulebook names its game; everything else looks it up here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from libs.cards.card import Card
from libs.cards.ranking import BestFive, holdem_best_five, holdem_strength, omaha_best_five, omaha_strength

Variant = Literal["omaha", "holdem"]
Cards = Sequence[Card]


@dataclass(frozen=True, slots=True)
class Game:
    """`strength` and `best_five` take the hole cards and the five board cards; smaller strengths win."""

    hole_cards: int
    strength: Callable[[Cards, Cards], int]
    best_five: Callable[[Cards, Cards], BestFive]


GAMES: dict[Variant, Game] = {
    "omaha": Game(4, omaha_strength, omaha_best_five),
    "holdem": Game(2, holdem_strength, holdem_best_five),
}
