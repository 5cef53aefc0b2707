"""What happened in a hand; see `domain/table/events.py` for what holds for all events."""

from typing import Literal

import msgspec

from libs.sealing.deck import Deck
from services.table.domain.table.configuration import Kind
from services.table.domain.table.events import Event

Street = Literal["preflop", "flop", "turn", "river"]
Actor = Literal["player", "house"]
Basis = Literal["none", "pot", "per_payment", "capped_pot"]
Exemption = Literal["no_flop", "flop_without_voluntary_bet"]
Blind = Literal["small", "big", "entry", "ante", "big_blind_ante", "straddle"]


class SeatInHand(msgspec.Struct, frozen=True):
    seat: int
    player: str
    reservation: str
    stack: int


class HandStarted(Event, frozen=True, kw_only=True):
    """`seats` stand clockwise from the left of the button. `deck` is sealed at rest and never leaves the house."""

    hand: int
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
    deck: Deck | None = None


class BlindPosted(Event, frozen=True, kw_only=True):
    """`to` is the round total: an ante moves chips and leaves it at zero."""

    hand: int
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


class HoleCardsDealt(Event, frozen=True, kw_only=True):
    hand: int
    deals: list[Deal]


class LegalActs(msgspec.Struct, frozen=True):
    """What the table offers; folding is always legal. `call` moves this amount, the others are round totals."""

    check: bool
    call: int | None
    min_to: int | None
    max_to: int | None


class DecisionAwaited(Event, frozen=True, kw_only=True):
    hand: int
    seat: int
    player: str
    street: Street
    legal: LegalActs
    until: int
    bank_until: int


class PlayerFolded(Event, frozen=True, kw_only=True):
    hand: int
    seat: int
    player: str
    actor: Actor
    reason: Literal["timeout", "left"] | None = None
    time_bank_left: int = 0


class PlayerChecked(Event, frozen=True, kw_only=True):
    hand: int
    seat: int
    player: str
    actor: Actor
    reason: Literal["timeout"] | None = None
    time_bank_left: int = 0


class BetPlaced(Event, frozen=True, kw_only=True):
    hand: int
    seat: int
    player: str
    act: Literal["call", "bet", "raise"]
    amount: int
    to: int
    stack: int
    all_in: bool
    currency: str
    time_bank_left: int = 0


class DeckCard(msgspec.Struct, frozen=True):
    position: int
    card: str
    salt: str
    proof: list[str]


class StreetDealt(Event, frozen=True, kw_only=True):
    hand: int
    street: Street
    cards: list[DeckCard]
    burned: list[int]


class UncalledBetReturned(Event, frozen=True, kw_only=True):
    hand: int
    seat: int
    player: str
    amount: int
    stack: int
    currency: str


class CardsShown(Event, frozen=True, kw_only=True):
    hand: int
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


class PotAwarded(Event, frozen=True, kw_only=True):
    hand: int
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


class HandEnded(Event, frozen=True, kw_only=True):
    hand: int
    results: list[SeatResult]
    rake: int
    exemption: Exemption | None
    currency: str


class Refund(msgspec.Struct, frozen=True):
    seat: int
    player: str
    amount: int
    stack: int


class HandVoided(Event, frozen=True, kw_only=True):
    hand: int
    cause: str
    by: str
    refunds: list[Refund]
    currency: str


HandEvent = (
    HandStarted | BlindPosted | HoleCardsDealt | DecisionAwaited | PlayerFolded | PlayerChecked | BetPlaced
    | StreetDealt | UncalledBetReturned | CardsShown | PotAwarded | HandEnded | HandVoided
)  # fmt: skip
