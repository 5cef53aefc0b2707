"""Commands of a hand of poker."""

from typing import Literal

from libs.cards.games import Variant
from libs.contracts.commands import PLAYER, STAFF, Amount, Number, SeatNumber, TableCommand, Words
from libs.contracts.facts import Hand

Deed = Literal["fold", "check", "call", "bet", "raise"]


class Act(TableCommand):
    """A player's decision, in time and in turn. Staff: the dealer of a live table enters what the players there do."""

    may_ask = ("player", "staff")
    example = {"hand": 41, "seat": 3, "turn": 118, "act": "raise", "to": 350}
    hand: Hand
    seat: SeatNumber
    turn: Number | None = None
    """Version of the `decision_awaited` that it answers; null: whichever is open."""
    act: Deed
    to: Amount | None = None
    """With `bet` and `raise`: the total of the betting round."""


class ChooseVariant(TableCommand):
    """The lead player's choice at a mixed table, between hands (pt-217-2007 23)."""

    may_ask = PLAYER
    example = {"variant": "omaha"}
    variant: Variant


class CorrectDeal(TableCommand):
    """A deal that does not go by the rule is put right before anybody decides on it (mo-97-2010 9.1)."""

    may_ask = STAFF
    example = {"hand": 41, "cause": "replay of the deck"}
    hand: Hand
    cause: Words


class VoidHand(TableCommand):
    """A hand can't go on: every stake goes back (pt-811-2015 72)."""

    may_ask = STAFF
    example = {"hand": 41, "cause": "a card reader failed"}
    hand: Hand
    cause: Words


class CancelAct(TableCommand):
    """A player wants a bet back: refused with its rule, an act stands (pt-217-2007 53, 71.c)."""

    may_ask = (*PLAYER, *STAFF)
    example = {"hand": 7, "seat": 3}
    hand: Hand
    seat: SeatNumber


class OpenDispute(TableCommand):
    """A player disputes a hand; what is not delivered waits (pt-217-2007 8.c)."""

    may_ask = PLAYER
    example = {"hand": 1041, "text": "the pot was mine"}
    hand: Hand
    text: Words


class ResolveDispute(TableCommand):
    """The house decides every dispute, by name and with its reason (pt-217-2007 8.c)."""

    may_ask = STAFF
    example = {"hand": 1041, "dispute": 1, "decision": "paid as dealt", "reason": "the scans show it"}
    hand: Hand
    dispute: Number
    decision: Words
    reason: Words
