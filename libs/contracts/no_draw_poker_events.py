"""Public events of no-draw poker (pt-803-2015-no-draw): five cards each against the dealer's, one decision.

The betting of a round opens with `AntesOpened` and closes with `AntesClosed`, or with `AntesLapsed` when nobody bet.
"""

from typing import Literal

from libs.contracts.banked_rounds import (
    BankedCardsShown,
    BankedDeckDealt,
    BankedRoundEvent,
    BankedRoundLapsed,
    BankedRoundOpened,
    BankedRoundSettled,
    BankedRoundVoided,
    BankedStakePlaced,
    BankedStakeWithdrawn,
    SeatSettled,
)
from libs.contracts.facts import Chips, Moment, Part, Position, Seat
from libs.contracts.table_events import DeckCard

Area = Literal["ante", "bet"]
"""The two marked areas of a seat; there is no third (pt-803-2015 6.a, FP-3)."""
FoldCause = Literal["player", "timeout", "disconnected", "left"]


class AntesOpened(BankedRoundOpened):
    """Betting begins. `until` is the one deadline of all seats; None: the single player starts the deal."""

    until: Moment | None


class AntesExtended(BankedRoundEvent):
    """The house was down: the betting goes on, with its full time again (33)."""

    until: Moment


class AntesLapsed(BankedRoundLapsed):
    """The period is over and nobody bet."""


class AntePlaced(BankedStakePlaced):
    """`short_of`: what the stack lacks for the second bet, told before the deal (20.b)."""

    short_of: Chips


class AnteWithdrawn(BankedStakeWithdrawn):
    """All of it, or a part when the ante is made smaller."""


class AntesClosed(BankedRoundEvent):
    """No more bets, cards in distribution. `seats` are those with an ante."""

    seats: list[Seat]


class RoundDeal(Part):
    seat: Seat
    positions: list[Position]


class RoundDealt(BankedDeckDealt):
    """Burn card, five cards to each seat and to the dealer, the dealer's last one open (19)."""

    burned: list[Position]
    """Deck positions laid aside unseen."""
    deals: list[RoundDeal]
    dealer: list[Position]
    dealer_up: DeckCard


class Choice(Part):
    """Fold and lose `ante`, or continue with `bet`, for which the stack lacks `short_of`."""

    seat: Seat
    player: str
    reservation: str
    ante: Chips
    bet: Chips
    short_of: Chips


class HandsAwaited(BankedRoundEvent):
    """All seats decide at once, with one deadline (21, 30)."""

    choices: list[Choice]
    until: Moment
    currency: str
    again: bool = False
    """The house was down, and the clock starts anew (33)."""


class HandsWarned(BankedRoundEvent):
    """Undecided seats are warned and get extra time (31). Told to disconnected seats as well."""

    seats: list[Seat]
    until: Moment


class SecondBetPlaced(BankedStakePlaced):
    """Twice the ante: the seat plays (23)."""


class HandSurrendered(BankedRoundEvent):
    """The ante is lost, the cards go to the discard corner unseen (22, 32, 35)."""

    seat: Seat
    player: str
    actor: Literal["player", "house"]
    cause: FoldCause


class DealerShown(BankedCardsShown):
    """The dealer's five cards, the open one last, once every seat has decided and one plays (24, 25)."""

    category: str
    plays: bool


class RoundHandShown(BankedCardsShown):
    """A hand that is compared with the dealer's (27)."""

    seat: Seat
    player: str
    category: str


class RoundResult(SeatSettled, kw_only=True):
    """`category` is empty for a hand that was not turned up; `multiplier` is that of rule 12, on a win alone."""

    outcome: str
    decided_by: str
    multiplier: int
    category: str


class RoundSettled(BankedRoundSettled):
    """Paid and over: nothing of the round can be undone from here on (2.e)."""

    results: list[RoundResult]  # type: ignore[assignment]  # nobody changes it: the events are frozen


class RoundVoided(BankedRoundVoided):
    """The round does not count; all stakes go back, those of folded seats as well (33)."""
