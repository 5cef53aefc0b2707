"""What a seat gets back, to the last unit (pt-803-2015 10 to 13, 22, 26 to 29).

Which of two five-card hands is higher, and by which rule; whether the dealer plays (7 to 9, 13, 25).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from libs.cards.card import Card
from libs.cards.ranking import Category, category_of, five_strength
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration

Winner = Literal["player", "dealer", "nobody"]

LEAST_OF_A_SUIT = 3
"""Three cards of one suit, or more: four are not better than three (pt-803-2015 9)."""
WEAKEST_ACE_KING = 6349
"""Strength of A-K-4-3-2 unsuited: the least with which the dealer plays (pt-803-2015 7.k, 25)."""

_RULE_OF: dict[Category, str] = {
    "straight_flush": "13.a",
    "straight": "13.a",
    "four_of_a_kind": "13.b",
    "full_house": "13.c",
    "flush": "13.d",
    "three_of_a_kind": "13.e",
    "two_pair": "13.f",
    "pair": "13.g",
    "high_card": "9",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`decided_by`: `category`, the rule that broke the tie (`9-suit`: three of a suit), or empty when equal."""

    winner: Winner
    decided_by: str


def compare_hands(player: Sequence[Card], dealer: Sequence[Card], suit_tiebreak: bool) -> Comparison:
    """Five cards against five. Side cards count in descending order, all of them (readings of 13.d and 13.g)."""
    ours, theirs = five_strength(player), five_strength(dealer)
    if ours != theirs:
        winner: Winner = "player" if ours < theirs else "dealer"
        category = category_of(ours)
        return Comparison(winner, "category" if category != category_of(theirs) else _RULE_OF[category])
    if suit_tiebreak and category_of(ours) == "high_card":
        return _by_suit(player, dealer)
    return Comparison("nobody", "")


def _by_suit(player: Sequence[Card], dealer: Sequence[Card]) -> Comparison:
    """pt-803-2015 9, last sentence: for high-card hands alone; both or neither is a tie."""
    ours, theirs = has_three_of_a_suit(player), has_three_of_a_suit(dealer)
    if ours == theirs:
        return Comparison("nobody", "")
    return Comparison("player" if ours else "dealer", "9-suit")


def has_three_of_a_suit(cards: Sequence[Card]) -> bool:
    return max(Counter(card % 4 for card in cards).values()) >= LEAST_OF_A_SUIT


def dealer_plays(cards: Sequence[Card]) -> bool:
    """Ace and king, or any combination above (pt-803-2015 25; 7.k is a threshold inside high card, not a rank)."""
    return five_strength(cards) <= WEAKEST_ACE_KING


Outcome = Literal["win", "lose", "tie", "fold", "dealer_not_qualified"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """Credits include the stake that comes back. `multiplier` is that of rule 12, on a win alone."""

    outcome: Outcome
    ante_credited: int
    bet_credited: int
    category: Category | None = None
    decided_by: str = ""
    multiplier: int = 0


FOLDED = Settlement("fold", 0, 0)
"""The ante is lost, the hand is neither compared nor shown (22)."""


def settle(
    ante: int, bet: int, player: Sequence[Card], dealer: Sequence[Card], rules: NoDrawConfiguration
) -> Settlement:
    """One seat that placed its second bet, against the dealer's hand alone (10)."""
    category = category_of(five_strength(player))
    if not dealer_plays(dealer):
        # 26: the ante is paid once, the second bet goes back, nothing is compared and the pay table is not used.
        return Settlement("dealer_not_qualified", 2 * ante, bet, category)
    comparison = compare_hands(player, dealer, rules.dealing.high_card_suit_tiebreak)
    match comparison.winner:
        case "player":
            multiplier = rules.pays(category)
            won = bet * (1 + multiplier)
            return Settlement("win", 2 * ante, won, category, comparison.decided_by, multiplier)  # 28
        case "dealer":
            return Settlement("lose", 0, 0, category, comparison.decided_by)  # 29
        case "nobody":
            return Settlement("tie", ante, bet, category)  # reading of 11: both stakes return
