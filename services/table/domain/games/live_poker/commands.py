"""What a dealer's console, the floor and players can ask at a live table. Cards were opened on the way."""

from typing import Literal

import msgspec

from libs.contracts.live_events import Target
from services.table.domain.table.commands import STAFF, Command


class AssignDealer(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    dealer: str


class InspectDeck(Command, frozen=True, kw_only=True):
    """`cards`: everything that lies on the table, face up."""

    may_ask = STAFF
    deck: str
    cards: list[str]


class CheckDeck(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    deck: str
    cards: int
    sound: bool


class ShuffleDeck(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    deck: str
    times: int


class MarkDeckDamaged(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    deck: str


class ReplaceDeck(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    deck: str
    by_deck: str


class DealHand(Command, frozen=True, kw_only=True):
    """The dealer begins a hand. `unposted`: seats whose blind is not on the table (pt-217-2007 91)."""

    may_ask = STAFF
    draws = True
    deck: str
    unposted: list[int] = msgspec.field(default_factory=list)


class ScanCard(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    hand: int
    card: str
    to: Target
    seat: int | None = None
    face_up: bool = False

    def __repr__(self) -> str:
        return f"ScanCard(hand={self.hand}, to={self.to!r}, seat={self.seat})"


class RecordPost(Command, frozen=True, kw_only=True):
    """The blind that was missing when dealing began is on the table now (pt-217-2007 91)."""

    may_ask = STAFF
    hand: int
    seat: int


class PassTurn(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    hand: int
    seat: int


class RecordIncident(Command, frozen=True, kw_only=True):
    """Fields beside `hand` and `code` as the code needs them; `hand` 0 for what happens before a hand (33)."""

    may_ask = STAFF
    hand: int
    code: str
    seat: int | None = None
    seats: list[int] = msgspec.field(default_factory=list)
    cards: list[str] = msgspec.field(default_factory=list)
    """Cards that everybody saw."""
    hidden: list[str] = msgspec.field(default_factory=list)
    """Cards that were drawn and lie face down."""
    count: int | None = None
    act: Literal["fold", "check", "call", "bet", "raise"] | None = None
    to: int | None = None
    placed: int | None = None
    looked: bool = True
    announced: int | None = None
    error: str = ""
    """Of 71.h: the dealing error that the player reports."""
    deck: str = ""
    reported_by: str = ""
    reason: str = ""

    def __repr__(self) -> str:
        return f"RecordIncident(hand={self.hand}, code={self.code!r}, seat={self.seat})"


class DecideIncident(Command, frozen=True, kw_only=True):
    """A supervisor's word: staff, and not the dealer."""

    may_ask = STAFF
    hand: int
    incident: int
    decision: str
    reason: str


class DeliverPot(Command, frozen=True, kw_only=True):
    """The dealer announces a winner and delivers; without a name the cards are simply paid."""

    may_ask = STAFF
    hand: int
    winner: int | None = None
    pushed: bool = False
    """The chips went to the announced seat before anybody spoke."""
