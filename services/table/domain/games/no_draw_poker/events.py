"""What happened in a round of no-draw poker; see `domain/table/events.py` for what holds for all events.

The betting of a round opens with `AntesOpened` and closes with `AntesClosed`, or with `AntesLapsed` when nobody bet:
such a period is no round (pt-803-2015-no-draw 2.e) and counts for nothing. Only `RoundDealt.deck` is secret.
"""

from typing import Literal

import msgspec

from libs.sealing.deck import Deck
from services.table.domain.games.no_draw_poker.settlement import Outcome
from services.table.domain.games.open_cards import OpenCard
from services.table.domain.table.configuration import Kind
from services.table.domain.table.events import GameEvent

Area = Literal["ante", "bet"]
"""The two marked areas of a seat; there is no third (pt-803-2015 6.a, FP-3)."""
FoldCause = Literal["player", "timeout", "disconnected", "left"]


class OfRound(GameEvent, frozen=True, kw_only=True):
    """What every event of a round has."""

    round: int


class SeatAtBetting(msgspec.Struct, frozen=True):
    """A player who may stake. `stack` is what lies at the seat before the first stake."""

    seat: int
    player: str
    reservation: str
    stack: int


class AntesOpened(OfRound, frozen=True, kw_only=True):
    """Place your bets. `until` is the one deadline of all seats; None: the single player starts the deal himself."""

    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Kind
    seats: list[SeatAtBetting]
    until: int | None


class AntesExtended(OfRound, frozen=True, kw_only=True):
    """The house stood still: the betting goes on for its full time (pt-803-2015 33)."""

    until: int


class AntesLapsed(OfRound, frozen=True, kw_only=True):
    """The period is over and nobody bet."""


class StakeMoved(OfRound, frozen=True, kw_only=True):
    """`amount` moved between stack and round; `total` lies on the area afterwards, `stack` at the seat."""

    seat: int
    player: str
    reservation: str
    area: Area
    amount: int
    total: int
    stack: int
    currency: str


class AntePlaced(StakeMoved, frozen=True, kw_only=True):
    """`short_of`: what the stack lacks for the second bet, so that the player knows before the deal (20.b)."""

    short_of: int


class AnteWithdrawn(StakeMoved, frozen=True, kw_only=True):
    """All of it, or a part when the ante is made smaller."""


class AntesClosed(OfRound, frozen=True, kw_only=True):
    """No more bets, cards in distribution. `seats` are those with an ante."""

    seats: list[int]


class RoundDeal(msgspec.Struct, frozen=True):
    seat: int
    positions: list[int]


class RoundDealt(OfRound, frozen=True, kw_only=True):
    """Burn card, five cards to each seat and to the dealer, the dealer's last one open (pt-803-2015 19)."""

    deck_root: str
    burned: list[int]
    deals: list[RoundDeal]
    dealer: list[int]
    dealer_up: OpenCard
    generator: str
    deck: Deck | None = None


class Choice(msgspec.Struct, frozen=True):
    """What a seat may do: fold and lose `ante`, or continue with `bet`, for which the stack lacks `short_of`."""

    seat: int
    player: str
    reservation: str
    ante: int
    bet: int
    short_of: int


class HandsAwaited(OfRound, frozen=True, kw_only=True):
    """All seats decide at once, with one deadline (readings of 21 and 30)."""

    choices: list[Choice]
    until: int
    currency: str
    again: bool = False
    """The house stood still and the clock starts anew (33)."""


class HandsWarned(OfRound, frozen=True, kw_only=True):
    """Decide: this is extra time (31). Told to disconnected seats as well."""

    seats: list[int]
    until: int


class SecondBetPlaced(StakeMoved, frozen=True, kw_only=True):
    """Twice the ante: the seat plays (23)."""


class HandSurrendered(OfRound, frozen=True, kw_only=True):
    """The ante is lost, the cards go to the discard corner unseen (22, 32, 35)."""

    seat: int
    player: str
    actor: Literal["player", "house"]
    cause: FoldCause


class DealerShown(OfRound, frozen=True, kw_only=True):
    """The dealer's four face-down cards, once every seat has decided and one plays (24, 25)."""

    cards: list[OpenCard]
    category: str
    plays: bool


class RoundHandShown(OfRound, frozen=True, kw_only=True):
    """A hand that is compared with the dealer's (27)."""

    seat: int
    player: str
    cards: list[OpenCard]
    category: str


class AreaSettled(msgspec.Struct, frozen=True):
    area: Area
    staked: int
    credited: int
    commission: int = 0


class RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """`category` is empty for a hand that was not turned up; `multiplier` is that of rule 12, on a win alone."""

    seat: int
    player: str
    reservation: str
    staked: int
    credited: int
    commission: int = 0
    net: int
    stack: int
    bets: list[AreaSettled]
    outcome: Outcome
    decided_by: str
    multiplier: int
    category: str


class RoundSettled(OfRound, frozen=True, kw_only=True):
    """Paid and over: nothing of the round can be undone from here on (2.e). `house` is staked less credited."""

    rulebook: str
    currency: str
    results: list[RoundResult]
    house: int
    bank: int


class SeatRefunded(msgspec.Struct, frozen=True):
    seat: int
    player: str
    reservation: str
    amount: int
    stack: int


class RoundVoided(OfRound, frozen=True, kw_only=True):
    """The round does not count; all stakes go back, those of folded seats as well (33)."""

    cause: str
    by: str
    refunds: list[SeatRefunded]
    currency: str


NoDrawEvent = (
    AntesOpened | AntesExtended | AntesLapsed | AntePlaced | AnteWithdrawn | AntesClosed | RoundDealt
    | HandsAwaited | HandsWarned | SecondBetPlaced | HandSurrendered | DealerShown | RoundHandShown
    | RoundSettled | RoundVoided
)  # fmt: skip
