"""Commands of no-draw poker (pt-803-2015-no-draw), beside those of any table against the house."""

from enum import StrEnum
from typing import Literal

from libs.contracts.commands import Amount, PlayerCommand
from libs.contracts.facts import Round


class PlaceAnte(PlayerCommand):
    """The ante is `amount` from now on, whatever it was, until the betting closes (2.a, 16)."""

    path = "/antes"
    summary = "Place an ante"
    example = {"round": 17, "amount": 500}
    amount: Amount
    round: Round | None = None
    """Null: the one that is open, or opens with it."""


class WithdrawAnte(PlayerCommand):
    """The whole ante comes back, before the betting closes."""

    path = "/antes/withdraw"
    summary = "Take an ante back"
    example = {"round": 17}
    round: Round


class DecideHand(PlayerCommand):
    """Fold, or continue with twice the ante; one decision, which nobody can take back (20, 22, 23)."""

    path = "/decisions"
    summary = "Fold or continue"
    example = {"round": 17, "decision": "continue", "bet": 1_000}
    round: Round
    decision: Literal["fold", "continue"]
    bet: Amount | None = None
    """Where it is said, it has to be what the table asks for (2.f)."""


class NoDrawReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    ANTE_BELOW_MINIMUM = "ante_below_minimum"
    """The ante is below `min_ante`."""
    ANTE_ABOVE_MAXIMUM = "ante_above_maximum"
    """The ante is above `max_ante`."""
    NOT_DEALT = "not_dealt"
    """The cards are not dealt yet."""
    ALREADY_DECIDED = "already_decided"
    """The player has decided in this round."""
    TOO_LATE = "too_late"
    """The time to decide is over, the extra time included."""
    BET_IS_TWICE_THE_ANTE = "bet_is_twice_the_ante"
    """The second bet is exactly twice the ante."""
