"""Commands of a hand of poker."""

from enum import StrEnum
from typing import Annotated, Literal

from libs.cards.variants import Variant
from libs.contracts.commands import (
    PLAYER,
    STAFF,
    Amount,
    DealerCommand,
    Number,
    PlayerCommand,
    PolicyCommand,
    SeatNumber,
    SupervisorCommand,
    TableCommand,
)
from libs.contracts.facts import Hand
from libs.contracts.texts import Words, name

Deed = Literal["fold", "check", "call", "bet", "raise"]
FeeId = Annotated[str, name(200)]


class Act(TableCommand):
    """A player's decision, in time and in turn. Staff: the dealer of a live table enters what the players there do."""

    may_ask = ("player", "staff")
    roles = DealerCommand.roles
    example = {"hand": 41, "seat": 3, "turn": 118, "act": "raise", "to": 350}
    hand: Hand
    seat: SeatNumber
    turn: Number | None = None
    """Version of the `decision_awaited` that it answers; null: whichever is open."""
    act: Deed
    to: Amount | None = None
    """With `bet` and `raise`: the total of the betting round."""


class ChooseVariant(PlayerCommand):
    """The lead player's choice at a mixed table, between hands (pt-217-2007 23)."""

    example = {"variant": "omaha"}
    variant: Variant


class CorrectDeal(SupervisorCommand):
    """A deal that does not go by the rule is put right before anybody decides on it (mo-97-2010 9.1): once two of the
    staff have asked for it."""

    may_ask = ("staff",)
    example = {"hand": 41, "cause": "replay of the deck"}
    hand: Hand
    cause: Words


class VoidHand(SupervisorCommand):
    """A hand can't go on: every stake goes back (pt-811-2015 72), once two of the staff have asked for it."""

    may_ask = ("staff",)
    voids = True
    example = {"hand": 41, "cause": "a card reader failed"}
    hand: Hand
    cause: Words


class CancelAct(TableCommand):
    """A player wants a bet back: refused with its rule, an act stands (pt-217-2007 53, 71.c)."""

    may_ask = (*PLAYER, *STAFF)
    roles = DealerCommand.roles
    example = {"hand": 7, "seat": 3}
    hand: Hand
    seat: SeatNumber


class OpenDispute(PlayerCommand):
    """A player disputes a hand; what is not delivered waits (pt-217-2007 8.c)."""

    example = {"hand": 1041, "text": "the pot was mine"}
    hand: Hand
    text: Words


class ResolveDispute(SupervisorCommand):
    """The house decides every dispute, by name and with its reason (pt-217-2007 8.c)."""

    example = {"hand": 1041, "dispute": 1, "decision": "paid as dealt", "reason": "the scans show it"}
    hand: Hand
    dispute: Number
    decision: Words
    reason: Words


class ConfirmFee(PolicyCommand):
    """The wallet has taken a session's charge (pt-217-2007 7.b)."""

    example = {"fee": "table-1-1-alice"}
    fee: FeeId


class FailFee(PolicyCommand):
    """The account had less than a session's charge: the player is not dealt in before it is paid."""

    example = {"fee": "table-1-1-alice"}
    fee: FeeId


class PokerReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NO_SUCH_FEE = "no_such_fee"
    """No charge of this id is open in the session that runs."""
    NO_HAND = "no_hand"
    """No hand runs."""
    WRONG_HAND = "wrong_hand"
    """The command names another hand than the running one."""
    NOT_YOUR_SEAT = "not_your_seat"
    """The seat is not the sender's, or was not dealt into this hand."""
    STALE_TURN = "stale_turn"
    """The act answers an earlier decision than the one that is open."""
    NOT_YOUR_TURN = "not_your_turn"
    """Another seat is to act."""
    TOO_LATE = "too_late"
    """The decision time is over, the time bank included."""
    AMOUNT_MISSING = "amount_missing"
    """A bet or raise needs `to`, the total of the betting round."""
    AMOUNT_NOT_ASKED = "amount_not_asked"
    """Fold, check and call have no amount."""
    CANNOT_CHECK = "cannot_check"
    """There is a bet to answer."""
    NOTHING_TO_CALL = "nothing_to_call"
    """There is no bet to call."""
    RAISE_CAP = "raise_cap"
    """The betting round has had all the raises it may have."""
    NOT_REOPENED = "not_reopened"
    """Since the player acted, no full raise has given the right to raise again."""
    NOBODY_TO_ANSWER = "nobody_to_answer"
    """Nobody else has chips to answer a bet with."""
    ABOVE_STACK = "above_stack"
    """The player has fewer chips."""
    ABOVE_MAX = "above_max"
    """The total is above the largest bet; the detail gives the range."""
    BELOW_MIN = "below_min"
    """The total is below the smallest bet or raise; the detail gives the range."""
    NOTHING_TO_CORRECT = "nothing_to_correct"
    """The cards lie as they must."""
    TOO_LATE_TO_CORRECT = "too_late_to_correct"
    """Somebody has acted since the deal."""
    NOT_LEAD_SEAT = "not_lead_seat"
    """Only the player in the lead seat chooses the variant."""
    VARIANT_NOT_OFFERED = "variant_not_offered"
    """The table does not offer this variant."""
    HAND_UNDER_WAY = "hand_under_way"
    """The variant is chosen between hands."""
    ACTION_FINAL = "action_final"
    """An act that was accepted stands."""
    ALREADY_DISPUTED = "already_disputed"
    """A dispute of this player waits for the house's decision already."""
    NO_SUCH_DISPUTE = "no_such_dispute"
    """No dispute of this id is open."""
    REST_ABUSED = "rest_abused"
    """The player has rested too often in this game; a warning is on the record."""
    RATE_FIXED_FOR_GAME = "rake_fixed_for_game"
    """How and how much the house charges stays until the table closes."""
    OUTSIDE_AUTHORISATION = "outside_authorisation"
    """The table minimum is outside what the house is authorised to offer."""
    ENTRY_STACK = "entry_stack"
    """Who joins a running game brings exactly the amount in the detail."""
    INITIAL_STACK = "initial_stack"
    """The amount is not the initial stack of this table."""
    REBUY_AMOUNT = "rebuy_amount"
    """A top-up is exactly the amount in the detail."""
    STACK_NOT_RESTORED = "stack_not_restored"
    """Who comes back brings exactly what was taken away."""
