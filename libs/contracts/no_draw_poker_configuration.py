"""What an operator chose for a table of no-draw poker (pt-803-2015-no-draw)."""

from typing import Literal, get_args

from libs.cards.ranking import Category
from libs.contracts.configurations import BankedConfiguration, BankedTiming, Group
from libs.contracts.facts import Chips, Milliseconds


class NoDrawTiming(BankedTiming):
    """Clocks and hours of a table of no-draw poker."""

    betting_ms: Milliseconds
    """How long antes may be placed at a table for many (14); a single player deals himself (15)."""
    decision_ms: Milliseconds
    """Time to go on or to fold, one deadline for all seats (21)."""
    extra_ms: Milliseconds
    """After the warning (31)."""


class NoDrawBetting(Group):
    """Limits, and what becomes of bets where nobody simply wins."""

    min_ante: Chips
    """Least ante."""
    max_ante: Chips
    """Limit of the ante alone (reading of 16 and 18)."""
    maximum_applies_to: Literal["ante"] = "ante"
    """Our reading of 18: the limit is of the ante, the second bet follows from it."""
    dealer_not_qualified_bet: Literal["returned"] = "returned"
    """The second bet when the dealer does not qualify (26)."""
    exact_tie: Literal["push"] = "push"
    """Both bets when the hands are equal (11)."""


class NoDrawPays(Group):
    """A winning second bet is paid this many times, to 1 (12)."""

    in_rulebook = {category: f"pays_{category}" for category in get_args(Category)}

    royal_flush: int
    """Royal flush."""
    straight_flush: int
    """Straight flush."""
    four_of_a_kind: int
    """Four of a kind."""
    full_house: int
    """Full house."""
    flush: int
    """Flush."""
    straight: int
    """Straight."""
    three_of_a_kind: int
    """Three of a kind."""
    two_pair: int
    """Two pairs."""
    pair: int
    """One pair."""
    high_card: int
    """High card, no pair."""


class NoDrawDealing(Group):
    """How hands are dealt, ranked and shown."""

    high_card_suit_tiebreak: bool
    """Three of one suit break a tie of high cards (9)."""
    side_cards: Literal["all_in_descending_order"] = "all_in_descending_order"
    """Which side cards compare hands of one category (13.d)."""
    ace_high_straight: Literal["highest"] = "highest"
    """Rank of ace, king, queen, jack, ten (8)."""
    burn_card: Literal["first_face_down"] = "first_face_down"
    """The card that is laid aside (19.a)."""
    hands_if_dealer_not_qualified: Literal["hidden"] = "hidden"
    """Whether players' cards are shown when the dealer does not qualify (27)."""


class NoDrawConfiguration(BankedConfiguration, tag="no_draw_poker"):
    """No-draw poker (pt-803-2015-no-draw)."""

    timing: NoDrawTiming
    betting: NoDrawBetting
    paytable: NoDrawPays
    dealing: NoDrawDealing
