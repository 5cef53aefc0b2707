"""What a seat gets back, to the last unit (pt-803-2015 10 to 13, 22, 26 to 29)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from libs.cards.card import Card
from libs.cards.ranking import Category, category_of, five_strength
from services.table.domain.games.no_draw_poker.configuration import NoDrawConfiguration
from services.table.domain.games.no_draw_poker.ranking import compare_hands, dealer_plays

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
