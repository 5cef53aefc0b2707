"""Every reason why a table says no, with the rule behind it under each regulation."""

from enum import StrEnum

from libs.decider import Rejected
from services.table.domain.table.configuration import Configuration


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_ALLOWED = "not_allowed"
    ALREADY_OPEN = "already_open"
    TABLE_NOT_OPEN = "table_not_open"
    UNKNOWN_RULEBOOK = "unknown_rulebook"
    OUTSIDE_RULEBOOK = "outside_rulebook"
    VERSION_NOT_NEWER = "version_not_newer"
    FIXED_AT_OPENING = "fixed_at_opening"
    SEATS_IN_USE = "seats_in_use"
    ALREADY_PAUSED = "already_paused"
    NOT_PAUSED = "not_paused"
    ALREADY_SEATED = "already_seated"
    RESERVATION_USED = "reservation_used"
    NO_SUCH_SEAT = "no_such_seat"
    SEAT_TAKEN = "seat_taken"
    TABLE_FULL = "table_full"
    BUY_IN_BELOW_MINIMUM = "buy_in_below_minimum"
    BUY_IN_ABOVE_MAXIMUM = "buy_in_above_maximum"
    REENTRY_BELOW_STACK = "reentry_below_stack"
    NO_SUCH_RESERVATION = "no_such_reservation"
    NOT_SEATED = "not_seated"
    LEAVING = "leaving"
    TOP_UP_USED = "top_up_used"
    TOP_UP_PENDING = "top_up_pending"
    ABOVE_CEILING = "above_ceiling"
    NO_SUCH_TOP_UP = "no_such_top_up"
    ALREADY_OUT = "already_out"
    ALREADY_IN = "already_in"
    NO_HAND = "no_hand"
    WRONG_HAND = "wrong_hand"
    NOT_YOUR_SEAT = "not_your_seat"
    STALE_TURN = "stale_turn"
    NOT_YOUR_TURN = "not_your_turn"
    TOO_LATE = "too_late"
    AMOUNT_MISSING = "amount_missing"
    AMOUNT_NOT_ASKED = "amount_not_asked"
    CANNOT_CHECK = "cannot_check"
    NOTHING_TO_CALL = "nothing_to_call"
    RAISE_CAP = "raise_cap"
    NOT_REOPENED = "not_reopened"
    NOBODY_TO_ANSWER = "nobody_to_answer"
    ABOVE_STACK = "above_stack"
    ABOVE_MAX = "above_max"
    BELOW_MIN = "below_min"


UNREGULATED = "common"
"""What the field's own rulebooks have in place of a regulation: a refusal there cites no rule."""

# Reason -> rule of Portugal, rule of Macau. None: a house rule of ours, or no rule there.
_RULES: dict[Reason, tuple[str | None, str | None]] = {
    Reason.VERSION_NOT_NEWER: ("enact.3", "order.2"),
    Reason.ALREADY_SEATED: ("9", None),
    Reason.NO_SUCH_SEAT: ("5", "2.1"),
    Reason.BUY_IN_BELOW_MINIMUM: ("8", None),
    Reason.BUY_IN_ABOVE_MAXIMUM: ("8", None),
    Reason.REENTRY_BELOW_STACK: ("11.a", "4.2"),
    Reason.ABOVE_CEILING: ("2.q", None),
    Reason.TOO_LATE: ("43", None),
    Reason.CANNOT_CHECK: ("34.b", "7.3.2"),
    Reason.RAISE_CAP: ("38", "12.2"),
    Reason.NOT_REOPENED: ("37", "12.1"),
    Reason.NOBODY_TO_ANSWER: ("37", None),
    Reason.ABOVE_STACK: ("24.c", "4.1"),
    Reason.BELOW_MIN: ("23", "12.1"),
}

_MAX_RULES: dict[str, tuple[str, str]] = {
    "pot_limit": ("24.b", "11.2.3"),
    "pot_limit_with_raise_cap": ("24.b", "11.2.3"),
    "limit_half_pot": ("24.a", "11.2.3"),
    "limit_raise_count": ("24.a", "11.2.3"),
    "no_limit": ("24.c", "4.1"),
}


def rejected(reason: Reason, configuration: Configuration | None = None, detail: str = "") -> Rejected:
    """The refusal with the rule of the table's regulation; without a configuration there is no regulation yet."""
    return Rejected(str(reason), _rule(reason, configuration), detail)


def _rule(reason: Reason, configuration: Configuration | None) -> str | None:
    if configuration is None or configuration.regulation == UNREGULATED:
        return None
    pair = _RULES.get(reason, (None, None))
    if reason is Reason.ABOVE_MAX:
        pair = _MAX_RULES[configuration.structure]
    ref = pair[1] if configuration.regulation == "mo-97-2010" else pair[0]
    return f"{configuration.regulation}#{ref}" if ref else None
