"""What an operator chose for one table of no-draw poker; every field inside the bounds of its rulebook."""

from typing import Literal

from libs.cards.ranking import Category
from services.table.domain.games.no_draw_poker.rejections import rule_of
from services.table.domain.table.configuration import Configuration

BET_IN_ANTES = 2
"""The second bet is twice the ante, never more or less (pt-803-2015 2.f, 23)."""
MAX_SEATS = 7
"""pt-803-2015 6.a."""


class NoDrawConfiguration(Configuration, frozen=True, kw_only=True):
    """Amounts are minor units of `currency`, times milliseconds; see the public contract."""

    mode: Literal["single", "multi"]
    """pt-803-2015 4."""
    min_ante: int
    max_ante: int
    """Limit of the ante alone (reading of 16 and 18)."""
    betting_ms: int
    """How long antes may be placed at a table for many (14); a single player deals himself (15)."""
    decision_ms: int
    extra_ms: int
    """After the warning (31)."""
    resume_ms: int
    """A standstill of the house this long makes the round void (33)."""
    idle_ms: int
    """Single table: longer without a bet, and the player is invited to end the session (41.a)."""
    idle_rounds: int
    """Table for many: more rounds in a row without a bet (41.b)."""
    idle_warning_ms: int
    """Single table: from warning to end (42)."""
    between_rounds_ms: int
    high_card_suit_tiebreak: bool
    """Three of one suit break a tie of high cards (9)."""
    pays_royal_flush: int
    pays_straight_flush: int
    pays_four_of_a_kind: int
    pays_full_house: int
    pays_flush: int
    pays_straight: int
    pays_three_of_a_kind: int
    pays_two_pair: int
    pays_pair: int
    pays_high_card: int
    dealer_not_qualified_bet: Literal["returned"] = "returned"
    exact_tie: Literal["push"] = "push"
    side_cards: Literal["all_in_descending_order"] = "all_in_descending_order"
    ace_high_straight: Literal["highest"] = "highest"
    maximum_applies_to: Literal["ante"] = "ante"
    burn_card: Literal["first_face_down"] = "first_face_down"
    hands_if_dealer_not_qualified: Literal["hidden"] = "hidden"

    def rule_of(self, reason: str) -> str | None:
        return rule_of(reason)

    def pays(self, category: Category) -> int:
        """What a winning second bet pays, to 1, the stake returned beside it (12)."""
        multiple: int = getattr(self, f"pays_{category}")
        return multiple

    def bet_of(self, ante: int) -> int:
        return BET_IN_ANTES * ante

    @property
    def worst_seat(self) -> int:
        """The most that the bank can lose to one seat in one round: the ante once, the second bet at its dearest."""
        dearest: int = max(getattr(self, name) for name in self.__struct_fields__ if name.startswith("pays_"))
        return self.max_ante * (1 + BET_IN_ANTES * dearest)

    @property
    def worst_case(self) -> int:
        """What the bank has to be able to lose in one round with every seat taken."""
        return self.seats * self.worst_seat
