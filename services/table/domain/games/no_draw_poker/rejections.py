"""Why a table of no-draw poker says no, beside what any table refuses, with the rule of pt-803-2015 behind it."""

from enum import StrEnum


class NoDrawReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    WRONG_ROUND = "wrong_round"
    NO_ROUND = "no_round"
    BETTING_IS_CLOSED = "betting_is_closed"
    NOT_BETTING_YET = "not_betting_yet"
    ANTE_BELOW_MINIMUM = "ante_below_minimum"
    ANTE_ABOVE_MAXIMUM = "ante_above_maximum"
    ABOVE_STACK = "above_stack"
    NO_ANTE = "no_ante"
    DEALT_BY_THE_CLOCK = "dealt_by_the_clock"
    NOT_DEALT = "not_dealt"
    ALREADY_DECIDED = "already_decided"
    TOO_LATE = "too_late"
    BET_IS_TWICE_THE_ANTE = "bet_is_twice_the_ante"
    BANK_TOO_SMALL = "bank_too_small"


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
