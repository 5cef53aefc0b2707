"""Public events of hands of poker; see `table_events.py` for what holds for all events."""

from typing import Literal

from pydantic import Field

from libs.cards.games import Street, Variant
from libs.contracts.messages import Message
from libs.contracts.table_events import DeckCard, Seat, TableEvent

Actor = Literal["player", "house"]


class ButtonDrawn(TableEvent):
    seat: Seat
    among: list[Seat]
    generator: str = Field(default="", description="name and version of the random generator (pt-811-2015 46)")


class VariantChosen(TableEvent):
    """Dealer Choice at a mixed table: for the hands from the next one on (pt-217-2007 23)."""

    seat: Seat
    player: str
    variant: Variant


class SeatInHand(Message):
    seat: Seat
    player: str
    reservation: str
    stack: int


class MissedBlind(Message):
    """A blind that went past a seat that is not dealt in (pt-217-2007 30, 90)."""

    seat: Seat
    blind: Literal["small", "big"]


class HandStarted(TableEvent):
    hand: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: Literal["real", "demo", "tournament"]
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: list[SeatInHand]
    lead: Seat | None = Field(default=None, description="lead seat, where there is one (pt-217-2007 29)")
    missed: list[MissedBlind] = Field(default=[], description="blinds these seats missed")
    deck_root: str = Field(description="hex; Merkle root (SHA-256, RFC 6962 hashing) over 52 salted card leaves")


class BlindPosted(TableEvent):
    """A forced or free post. `to` is the round total, to which antes and missed blinds do not count."""

    hand: int
    seat: Seat
    player: str
    blind: Literal["small", "big", "entry", "ante", "big_blind_ante", "straddle", "missed", "idle"]
    compulsory: bool
    amount: int
    to: int
    stack: int
    all_in: bool
    currency: str


class Deal(Message):
    seat: Seat
    positions: list[int]


class HoleCardsDealt(TableEvent):
    hand: int
    deals: list[Deal]


class LegalActs(Message):
    """What the table offers; folding is always legal. `call` moves this amount; `min_to`, `max_to` are round totals."""

    check: bool
    call: int | None
    min_to: int | None
    max_to: int | None


class DecisionAwaited(TableEvent):
    """`turn` is this event's own version: an act may name it, and is refused when the table has moved on."""

    hand: int
    seat: Seat
    player: str
    street: Street
    legal: LegalActs
    until: int
    bank_until: int


class PlayerFolded(TableEvent):
    hand: int
    seat: Seat
    player: str
    actor: Actor
    reason: Literal["timeout", "left", "withdrawn", "annulled", "barred"] | None = None
    time_bank_left: int = 0


class PlayerChecked(TableEvent):
    hand: int
    seat: Seat
    player: str
    actor: Actor
    reason: Literal["timeout"] | None = None
    time_bank_left: int = 0


class BetPlaced(TableEvent):
    hand: int
    seat: Seat
    player: str
    act: Literal["call", "bet", "raise"]
    amount: int
    to: int
    stack: int
    all_in: bool
    currency: str
    time_bank_left: int = 0
    unfinished: bool = Field(default=False, description="less than the call, and it stays (pt-217-2007 71.c)")


class StreetDealt(TableEvent):
    hand: int
    street: Street
    cards: list[DeckCard]
    burned: list[int] = Field(description="deck positions laid aside unseen")


class DealCorrected(TableEvent):
    """Hole cards or board put right by the dealing rule before a decision; what was told stays (mo-97-2010 9.1)."""

    hand: int
    deals: list[Deal]
    withdrawn: list[int]
    cards: list[DeckCard] = Field(description="where the board was wrong: the whole board as it is now")
    cause: str
    by: str


class UncalledBetReturned(TableEvent):
    hand: int
    seat: Seat
    player: str
    amount: int
    stack: int
    currency: str


class CardsShown(TableEvent):
    hand: int
    seat: Seat
    player: str
    cards: list[DeckCard]
    category: str
    hole_used: list[str]
    board_used: list[str]


class Payment(Message):
    """`gross` less `rake` is `net`, always; `rake` is the part of the pot's commission that fell on this payment."""

    seat: Seat
    player: str
    gross: int
    rake: int
    net: int


class PotAwarded(TableEvent):
    hand: int
    pot: str = Field(description="main, side_1, side_2 …")
    amount: int
    eligible: list[Seat]
    winners: list[Seat]
    rake: int
    basis: Literal["none", "pot", "per_payment", "capped_pot", "capped_payments"]
    payments: list[Payment]
    currency: str
    rulebook: str


class SeatResult(Message):
    seat: Seat
    player: str
    reservation: str
    staked: int = Field(description="blinds and bets less what was returned uncalled")
    won: int = Field(description="net payments")
    rake: int
    stack: int


class HandEnded(TableEvent):
    hand: int
    results: list[SeatResult]
    rake: int
    exemption: Literal["no_flop", "flop_without_voluntary_bet"] | None
    currency: str


class Refund(Message):
    seat: Seat
    player: str
    amount: int
    stack: int


class HandVoided(TableEvent):
    hand: int
    cause: str
    by: str
    refunds: list[Refund]
    currency: str


POKER_EVENTS: tuple[type[TableEvent], ...] = (
    ButtonDrawn, VariantChosen, HandStarted, BlindPosted, HoleCardsDealt, DecisionAwaited, PlayerFolded,
    PlayerChecked, BetPlaced,
    StreetDealt, DealCorrected, UncalledBetReturned, CardsShown, PotAwarded, HandEnded, HandVoided,
)  # fmt: skip
