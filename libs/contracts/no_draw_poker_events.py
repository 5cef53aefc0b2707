"""Public events of no-draw poker (pt-803-2015-no-draw): five cards each against the dealer's, one decision.

The betting of a round opens with `AntesOpened` and closes with `AntesClosed`, or with `AntesLapsed` when nobody bet.
"""

from typing import Literal

from pydantic import Field

from libs.contracts.house_rounds import (
    HouseRoundEvent,
    HouseRoundLapsed,
    HouseRoundOpened,
    HouseRoundSettled,
    HouseRoundVoided,
    HouseStakePlaced,
    HouseStakeWithdrawn,
    SeatSettled,
)
from libs.contracts.messages import Message
from libs.contracts.table_events import DeckCard, Seat, TableEvent


class AntesOpened(HouseRoundOpened):
    """Place your bets. `until` is the one deadline of all seats; None: the single player starts the deal."""

    until: int | None


class AntesExtended(HouseRoundEvent):
    """The house stood still: the betting goes on for its full time (33)."""

    until: int


class AntesLapsed(HouseRoundLapsed):
    """The period is over and nobody bet."""


class AntePlaced(HouseStakePlaced):
    """`short_of`: what the stack lacks for the second bet, told before the deal (20.b)."""

    short_of: int


class AnteWithdrawn(HouseStakeWithdrawn):
    """All of it, or a part when the ante is made smaller."""


class AntesClosed(HouseRoundEvent):
    """No more bets, cards in distribution. `seats` are those with an ante."""

    seats: list[Seat]


class RoundDeal(Message):
    seat: Seat
    positions: list[int]


class RoundDealt(HouseRoundEvent):
    """Burn card, five cards to each seat and to the dealer, the dealer's last one open (19)."""

    deck_root: str = Field(description="hex; Merkle root (SHA-256, RFC 6962 hashing) over 52 salted card leaves")
    burned: list[int] = Field(description="deck positions laid aside unseen")
    deals: list[RoundDeal]
    dealer: list[int]
    dealer_up: DeckCard
    generator: str


class Choice(Message):
    """Fold and lose `ante`, or continue with `bet`, for which the stack lacks `short_of`."""

    seat: Seat
    player: str
    reservation: str
    ante: int
    bet: int
    short_of: int


class HandsAwaited(HouseRoundEvent):
    """All seats decide at once, with one deadline (21, 30)."""

    choices: list[Choice]
    until: int
    currency: str
    again: bool = Field(default=False, description="the house stood still and the clock starts anew (33)")


class HandsWarned(HouseRoundEvent):
    """Decide: this is extra time (31). Told to disconnected seats as well."""

    seats: list[Seat]
    until: int


class SecondBetPlaced(HouseStakePlaced):
    """Twice the ante: the seat plays (23)."""


class HandSurrendered(HouseRoundEvent):
    """The ante is lost, the cards go to the discard corner unseen (22, 32, 35)."""

    seat: Seat
    player: str
    actor: Literal["player", "house"]
    cause: Literal["player", "timeout", "disconnected", "left"]


class DealerShown(HouseRoundEvent):
    """The dealer's four face-down cards, once every seat has decided and one plays (24, 25)."""

    cards: list[DeckCard]
    category: str
    plays: bool


class RoundHandShown(HouseRoundEvent):
    """A hand that is compared with the dealer's (27)."""

    seat: Seat
    player: str
    cards: list[DeckCard]
    category: str


class RoundResult(SeatSettled):
    """`category` is empty for a hand that was not turned up; `multiplier` is that of rule 12, on a win alone."""

    outcome: str
    decided_by: str
    multiplier: int
    category: str


class RoundSettled(HouseRoundSettled):
    """Paid and over: nothing of the round can be undone from here on (2.e)."""

    results: list[RoundResult]  # type: ignore[assignment]  # nobody changes it: the events are frozen


class RoundVoided(HouseRoundVoided):
    """The round does not count; all stakes go back, those of folded seats as well (33)."""


NO_DRAW_POKER_EVENTS: tuple[type[TableEvent], ...] = (
    AntesOpened, AntesExtended, AntesLapsed, AntePlaced, AnteWithdrawn, AntesClosed, RoundDealt, HandsAwaited,
    HandsWarned, SecondBetPlaced, HandSurrendered, DealerShown, RoundHandShown, RoundSettled, RoundVoided,
)  # fmt: skip
