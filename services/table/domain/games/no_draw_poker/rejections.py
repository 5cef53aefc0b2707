"""Why a table of no-draw poker refuses a command, beside what any table refuses, with its rule (pt-803-2015)."""

from libs.contracts.no_draw_poker_commands import NoDrawReason

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
