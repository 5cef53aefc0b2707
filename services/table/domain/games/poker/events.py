"""What happened in a hand, and before one; see `domain/table/events.py` for what holds for all events."""

from typing import Literal

import msgspec

from libs.cards.games import Street, Variant
from libs.sealing.deck import Deck
from services.table.domain.table.configuration import Kind
from services.table.domain.table.events import GameEvent

Actor = Literal["player", "house"]
Basis = Literal["none", "pot", "per_payment", "capped_pot", "capped_payments"]
Exemption = Literal["no_flop", "flop_without_voluntary_bet"]
Blind = Literal["small", "big", "entry", "ante", "big_blind_ante", "straddle", "missed", "idle"]


class SeatInHand(msgspec.Struct, frozen=True):
    seat: int
    player: str
    reservation: str
    stack: int


class MissedBlind(msgspec.Struct, frozen=True):
    """A blind that went past a seat that is not dealt in."""

    seat: int
    blind: Literal["small", "big"]


class OfHand(GameEvent, frozen=True, kw_only=True):
    """What every event of a hand has."""

    hand: int


class ButtonDrawn(GameEvent, frozen=True, kw_only=True):
    seat: int
    among: list[int]
    generator: str = ""


class VariantChosen(GameEvent, frozen=True, kw_only=True):
    """The face of the Dealer Choice marker, for the hands from the next one on (pt-217-2007 23)."""

    seat: int
    player: str
    variant: Variant


class HandStarted(OfHand, frozen=True, kw_only=True):
    """`seats` stand clockwise from the left of the button. `deck` is sealed at rest and never leaves the house."""

    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Kind
    button: int
    small_blind: int
    big_blind: int
    seats: list[SeatInHand]
    deck_root: str
    lead: int | None = None
    """The lead seat, where there is one (pt-217-2007 29); it is the small blind."""
    missed: list[MissedBlind] = msgspec.field(default_factory=list)
    deck: Deck | None = None


class BlindPosted(OfHand, frozen=True, kw_only=True):
    """`to` is the round total: an ante, and what is paid for missed blinds, moves chips and leaves it at zero."""

    seat: int
    player: str
    blind: Blind
    compulsory: bool
    amount: int
    to: int
    stack: int
    all_in: bool
    currency: str


class Deal(msgspec.Struct, frozen=True):
    seat: int
    positions: list[int]


class HoleCardsDealt(OfHand, frozen=True, kw_only=True):
    deals: list[Deal]


class LegalActs(msgspec.Struct, frozen=True):
    """What the table offers; folding is always legal. `call` moves this amount, the others are round totals."""

    check: bool
    call: int | None
    min_to: int | None
    max_to: int | None


class DecisionAwaited(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    street: Street
    legal: LegalActs
    until: int
    bank_until: int


class PlayerFolded(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    actor: Actor
    reason: Literal["timeout", "left", "withdrawn", "annulled", "barred"] | None = None
    """The last three: the house takes the hand (pt-217-2007 70.b, 71, 91)."""
    time_bank_left: int = 0


class PlayerChecked(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    actor: Actor
    reason: Literal["timeout"] | None = None
    time_bank_left: int = 0


class BetPlaced(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    act: Literal["call", "bet", "raise"]
    amount: int
    to: int
    stack: int
    all_in: bool
    currency: str
    time_bank_left: int = 0
    unfinished: bool = False
    """Less than the call, and it stays: the turn does too (pt-217-2007 71.c, 71.f)."""


class DeckCard(msgspec.Struct, frozen=True):
    position: int
    card: str
    salt: str
    proof: list[str]


class StreetDealt(OfHand, frozen=True, kw_only=True):
    street: Street
    cards: list[DeckCard]
    burned: list[int]


class DealCorrected(OfHand, frozen=True, kw_only=True):
    """What lies on the table by the dealing rule, in place of what was dealt; the wrong event stays (mo-97-2010 9.1).

    `deals` are seats with other hole cards than before; `cards`, where the board was wrong, is the whole board.
    """

    deals: list[Deal]
    withdrawn: list[int]
    cards: list[DeckCard]
    cause: str
    by: str


class UncalledBetReturned(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    amount: int
    stack: int
    currency: str


class CardsShown(OfHand, frozen=True, kw_only=True):
    seat: int
    player: str
    cards: list[DeckCard]
    category: str
    hole_used: list[str]
    board_used: list[str]


class Payment(msgspec.Struct, frozen=True):
    seat: int
    player: str
    gross: int
    rake: int
    net: int


class PotAwarded(OfHand, frozen=True, kw_only=True):
    pot: str
    amount: int
    eligible: list[int]
    winners: list[int]
    rake: int
    basis: Basis
    payments: list[Payment]
    currency: str
    rulebook: str


class SeatResult(msgspec.Struct, frozen=True):
    seat: int
    player: str
    reservation: str
    staked: int
    won: int
    rake: int
    stack: int


class HandEnded(OfHand, frozen=True, kw_only=True):
    results: list[SeatResult]
    rake: int
    exemption: Exemption | None
    currency: str


class Refund(msgspec.Struct, frozen=True):
    seat: int
    player: str
    amount: int
    stack: int


class HandVoided(OfHand, frozen=True, kw_only=True):
    cause: str
    by: str
    refunds: list[Refund]
    currency: str


PokerEvent = (
    ButtonDrawn | VariantChosen | HandStarted | BlindPosted | HoleCardsDealt | DecisionAwaited | PlayerFolded
    | PlayerChecked | BetPlaced | StreetDealt | DealCorrected | UncalledBetReturned | CardsShown | PotAwarded
    | HandEnded | HandVoided
)  # fmt: skip
