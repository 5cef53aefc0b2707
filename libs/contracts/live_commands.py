"""Commands of a table with a human dealer (pt-217-2007). Staff; the dealer's own come from the assigned dealer only.

A card that nobody saw comes `sealed`: base64 of what the gateway closed, bound to table and hand. Cards on the table
for all to see stand in clear.
"""

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.floor_commands import Sealed, Words
from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, HandNumber, Id, SeatNumber

CardName = Annotated[str, Field(pattern=r"^[2-9TJQKA][shdc]$")]
Code = Annotated[str, Field(pattern=r"^(DE|PE|BET)-[0-9]{2}[a-i]?$")]
Deck = Annotated[str, Field(min_length=1, max_length=16, pattern=r"^[A-Za-z0-9-]+$")]
HeldKind = Literal["fold", "check", "call", "bet", "raise"]


class AssignDealer(Message):
    dealer: Id


class InspectDeck(Message):
    """All cards face up on the table (pt-217-2007 4)."""

    deck: Deck
    cards: list[CardName] = Field(max_length=60)


class CheckDeck(Message):
    deck: Deck
    cards: int = Field(ge=0, le=60)
    sound: bool


class ShuffleDeck(Message):
    deck: Deck
    times: int = Field(ge=1, le=50)


class MarkDeckDamaged(Message):
    deck: Deck


class ReplaceDeck(Message):
    deck: Deck
    by_deck: Deck


class DealHand(Message):
    """`unposted`: seats whose blind is not on the table yet (pt-217-2007 91)."""

    deck: Deck
    unposted: list[SeatNumber] = Field(default_factory=list, max_length=2)


class ScanCard(Message):
    hand: HandNumber
    sealed: Sealed
    to: Literal["hole", "burn", "board"]
    seat: SeatNumber | None = None
    face_up: bool = False


class RecordPost(Message):
    hand: HandNumber
    seat: SeatNumber


class PassTurn(Message):
    hand: HandNumber
    seat: SeatNumber


class RecordIncident(Message):
    """What was seen, by rule (`DE-70d`, `PE-71f`, `BET-53`); the fields beside `code` as the code needs them."""

    hand: int = Field(ge=0)
    code: Code
    seat: SeatNumber | None = None
    seats: list[SeatNumber] = Field(default_factory=list, max_length=11)
    cards: list[CardName] = Field(default_factory=list, max_length=11)
    hidden: list[Sealed] = Field(default_factory=list, max_length=11)
    count: int | None = Field(default=None, ge=0, le=60)
    act: HeldKind | None = None
    to: Amount | None = None
    placed: Amount | None = None
    looked: bool = True
    announced: SeatNumber | None = None
    error: str = Field(default="", pattern=r"^(DE-69[a-g])?$")
    deck: str = Field(default="", max_length=16)
    reported_by: str = Field(default="", max_length=64)
    reason: str = Field(default="", max_length=200)


class DecideIncident(Message):
    """A supervisor: staff, and not the table's dealer."""

    hand: HandNumber
    incident: int = Field(ge=1)
    decision: str = Field(min_length=1, max_length=32)
    reason: Words


class DeliverPot(Message):
    hand: HandNumber
    winner: SeatNumber | None = None
    pushed: bool = False


class CancelAct(Message):
    """Player or staff: refused, with the rule (pt-217-2007 53, 71.c)."""

    hand: HandNumber
    seat: SeatNumber


class OpenDispute(Message):
    """Player (pt-217-2007 8.c)."""

    hand: HandNumber
    text: Words


class ResolveDispute(Message):
    hand: HandNumber
    dispute: int = Field(ge=1)
    decision: Words
    reason: Words


LIVE_COMMANDS: tuple[type[Message], ...] = (
    AssignDealer, InspectDeck, CheckDeck, ShuffleDeck, MarkDeckDamaged, ReplaceDeck, DealHand, ScanCard, RecordPost,
    PassTurn, RecordIncident, DecideIncident, DeliverPot, CancelAct, OpenDispute, ResolveDispute,
)  # fmt: skip
