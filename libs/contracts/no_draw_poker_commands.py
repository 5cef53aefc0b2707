"""Commands of no-draw poker (pt-803-2015-no-draw), beside those of any table against the house."""

from enum import StrEnum
from typing import Literal

from libs.contracts.commands import PLAYER, Amount, TableCommand
from libs.contracts.facts import Round


class PlaceAnte(TableCommand):
    """The ante is `amount` from now on, whatever it was, until the betting closes (2.a, 16)."""

    may_ask = PLAYER
    path = "/antes"
    summary = "Place an ante"
    example = {"round": 17, "amount": 500}
    amount: Amount
    round: Round | None = None
    """Null: the one that is open, or opens with it."""


class WithdrawAnte(TableCommand):
    """The whole ante comes back, before the betting closes."""

    may_ask = PLAYER
    path = "/antes/withdraw"
    summary = "Take an ante back"
    example = {"round": 17}
    round: Round


class DecideHand(TableCommand):
    """Fold, or continue with twice the ante; one decision, which nobody can take back (20, 22, 23)."""

    may_ask = PLAYER
    path = "/decisions"
    summary = "Fold or continue"
    example = {"round": 17, "decision": "continue", "bet": 1_000}
    round: Round
    decision: Literal["fold", "continue"]
    bet: Amount | None = None
    """Where it is said, it has to be what the table asks for (2.f)."""


class NoDrawReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    WRONG_ROUND = "wrong_round"
    """The command names another round than the one that is open."""
    NO_ROUND = "no_round"
    """No round is open."""
    BETTING_IS_CLOSED = "betting_is_closed"
    """The betting period is over."""
    NOT_BETTING_YET = "not_betting_yet"
    """The next round is not open for antes yet."""
    ANTE_BELOW_MINIMUM = "ante_below_minimum"
    """The ante is below `min_ante`."""
    ANTE_ABOVE_MAXIMUM = "ante_above_maximum"
    """The ante is above `max_ante`."""
    ABOVE_STACK = "above_stack"
    """The player has fewer chips."""
    NO_ANTE = "no_ante"
    """The player has no ante in this round."""
    DEALT_BY_THE_CLOCK = "dealt_by_the_clock"
    """At a table for many the clock deals, not a player."""
    NOT_DEALT = "not_dealt"
    """The cards are not dealt yet."""
    ALREADY_DECIDED = "already_decided"
    """The player has decided in this round."""
    TOO_LATE = "too_late"
    """The time to decide is over, the extra time included."""
    BET_IS_TWICE_THE_ANTE = "bet_is_twice_the_ante"
    """The second bet is exactly twice the ante."""
    BANK_TOO_SMALL = "bank_too_small"
    """The bank could not pay the worst case of every seat."""
