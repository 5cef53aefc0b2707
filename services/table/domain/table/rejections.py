"""Every reason why a table says no, whatever is played on it; a game has its own beside it."""

from collections.abc import Sequence
from enum import StrEnum

from libs.contracts.configurations import Configuration
from libs.decider import Rejected
from services.table.rulebooks.refusal import Refusal


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_ALLOWED = "not_allowed"
    ALREADY_OPEN = "already_open"
    TABLE_NOT_OPEN = "table_not_open"
    NOT_THIS_GAME = "not_this_game"
    NOT_IN_THIS_MODE = "not_in_this_mode"
    """The same game elsewhere knows the command: dealt by hand, or in a tournament."""
    UNKNOWN_RULEBOOK = "unknown_rulebook"
    VARIANT_NOT_AVAILABLE = "variant_not_available"
    OUTSIDE_RULEBOOK = "outside_rulebook"
    VERSION_NOT_NEWER = "version_not_newer"
    FIXED_AT_OPENING = "fixed_at_opening"
    SEATS_IN_USE = "seats_in_use"
    ALREADY_PAUSED = "already_paused"
    NOT_PAUSED = "not_paused"
    ALREADY_SEATED = "already_seated"
    RESERVATION_USED = "reservation_used"
    NO_SUCH_SEAT = "no_such_seat"
    SEAT_CLOSED = "seat_closed"
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
    NO_BANK = "no_bank"
    ABOVE_RISK_LIMIT = "above_risk_limit"
    CHANGE_USED = "change_used"
    NO_SUCH_CHANGE = "no_such_change"
    OWN_REQUEST = "own_request"
    ABOVE_BANK = "above_bank"
    ROUND_RUNS = "round_runs"
    ALREADY_OUT = "already_out"
    ALREADY_IN = "already_in"


def outside_rulebook(refusals: Sequence[Refusal]) -> Rejected:
    """A configuration that the rulebook does not allow: the rule of the first value, and all of them in words."""
    return Rejected(str(Reason.OUTSIDE_RULEBOOK), refusals[0].rule, "; ".join(map(str, refusals)))


def rejected(reason: StrEnum, configuration: Configuration | None = None, detail: str = "") -> Rejected:
    """The refusal with the rule of the table's regulation; without a configuration there is no regulation yet."""
    ref = configuration.rule_of(reason) if configuration is not None else None
    rule = f"{configuration.regulation}#{ref}" if configuration is not None and ref else None
    return Rejected(str(reason), rule, detail)
