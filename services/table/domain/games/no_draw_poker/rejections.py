"""Why a table of no-draw poker refuses a command, beside what any table refuses, with its rule (pt-803-2015)."""

from enum import StrEnum


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


_RULES: dict[str, str] = {
    NoDrawReason.WRONG_ROUND: "2.e",
    NoDrawReason.BETTING_IS_CLOSED: "14",
    NoDrawReason.NOT_BETTING_YET: "2.e",
    NoDrawReason.ANTE_BELOW_MINIMUM: "16",
    NoDrawReason.ANTE_ABOVE_MAXIMUM: "16",
    NoDrawReason.ABOVE_STACK: "20.b",
    NoDrawReason.NO_ANTE: "2.a",
    NoDrawReason.DEALT_BY_THE_CLOCK: "15",
    NoDrawReason.TOO_LATE: "32",
    NoDrawReason.BET_IS_TWICE_THE_ANTE: "2.f",
    "already_seated": "6.a",
    "no_such_seat": "6.a",
    "table_full": "4",
    "not_this_game": "FP-3",
}


def rule_of(reason: str) -> str | None:
    """Number of the rule; None: a house rule of ours."""
    return _RULES.get(reason)
