"""What can be asked of a hand. Fields as in the public contract, and who asks: the envelope's principal."""

from typing import Literal

from libs.cards.games import Variant
from services.table.domain.table.commands import STAFF, Command


class Act(Command, frozen=True, kw_only=True):
    may_ask = ("player", "staff")
    """Staff: the dealer of a live table enters what the players there do."""
    hand: int
    seat: int
    act: Literal["fold", "check", "call", "bet", "raise"]
    turn: int | None = None
    to: int | None = None


class ChooseVariant(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    variant: Variant


class CorrectDeal(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    hand: int
    cause: str


class VoidHand(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    hand: int
    cause: str


class CancelAct(Command, frozen=True, kw_only=True):
    """A player wants a bet back."""

    may_ask = ("player", *STAFF)
    hand: int
    seat: int


class OpenDispute(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    hand: int
    text: str


class ResolveDispute(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    hand: int
    dispute: int
    decision: str
    reason: str
