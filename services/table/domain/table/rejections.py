"""Every reason of a refusal at any table, whatever is played; a game has its own beside these."""

from collections.abc import Sequence
from enum import StrEnum

from libs.contracts.configurations import Configuration
from libs.decider import Rejected
from services.table.rulebooks.refusal import Refusal


class Reason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_ALLOWED = "not_allowed"
    """The sender (player, staff, dealer, timer, tournament …) may not send this command."""
    ALREADY_OPEN = "already_open"
    """A table with this id was opened before."""
    TABLE_NOT_OPEN = "table_not_open"
    """The table was never opened, is closing, or is closed."""
    NOT_THIS_GAME = "not_this_game"
    """The game played at this table has no such command."""
    NOT_IN_THIS_MODE = "not_in_this_mode"
    """The same game elsewhere knows the command: dealt by hand, or in a tournament."""
    UNKNOWN_RULEBOOK = "unknown_rulebook"
    """The house has no rulebook of this id."""
    VARIANT_NOT_AVAILABLE = "variant_not_available"
    """The rulebook is there and disabled: no table may be opened under it."""
    OUTSIDE_RULEBOOK = "outside_rulebook"
    """Values of the configuration are outside the rulebook; the detail names each with its rule."""
    VERSION_NOT_NEWER = "version_not_newer"
    """A configuration must have a higher version than every one before it at this table."""
    FIXED_AT_OPENING = "fixed_at_opening"
    """Currency, kind, game or who deals can't be changed while the table is open."""
    SEATS_IN_USE = "seats_in_use"
    """Somebody sits on a seat that the new configuration no longer has."""
    ALREADY_PAUSED = "already_paused"
    """The table is paused already."""
    NOT_PAUSED = "not_paused"
    """The table is not paused."""
    ALREADY_SEATED = "already_seated"
    """The player has a seat or a reservation at this table."""
    RESERVATION_USED = "reservation_used"
    """This reservation id was used before."""
    NO_SUCH_SEAT = "no_such_seat"
    """The table has no seat of this number."""
    SEAT_CLOSED = "seat_closed"
    """The seat is there and not played (configuration `open_seats`)."""
    SEAT_TAKEN = "seat_taken"
    """Somebody else sits there or has reserved it."""
    TABLE_FULL = "table_full"
    """No seat is free."""
    BUY_IN_BELOW_MINIMUM = "buy_in_below_minimum"
    """The amount is below `buy_in_min`."""
    BUY_IN_ABOVE_MAXIMUM = "buy_in_above_maximum"
    """The amount is above `buy_in_max`."""
    REENTRY_BELOW_STACK = "reentry_below_stack"
    """Who comes back within `reentry_ms` must bring at least what was taken away."""
    NO_SUCH_RESERVATION = "no_such_reservation"
    """No seat is reserved under this id; it may have lapsed."""
    NOT_SEATED = "not_seated"
    """The player has no seat here."""
    LEAVING = "leaving"
    """The player is leaving; the seat is given up when the round is over."""
    TOP_UP_USED = "top_up_used"
    """This top-up id was used before."""
    TOP_UP_PENDING = "top_up_pending"
    """A top-up of this player is under way."""
    ABOVE_CEILING = "above_ceiling"
    """The stack would be above `top_up_to`."""
    NO_SUCH_TOP_UP = "no_such_top_up"
    """No top-up of this id is under way."""
    NO_BANK = "no_bank"
    """Only a game against the house has a bank."""
    ABOVE_RISK_LIMIT = "above_risk_limit"
    """One round could cost more than the risk limit of the table."""
    CHANGE_USED = "change_used"
    """This id of a bank change was used before."""
    NO_SUCH_CHANGE = "no_such_change"
    """No bank change of this id waits for an answer."""
    OWN_REQUEST = "own_request"
    """Who asked for a bank change can't approve it; a second member of staff must."""
    ABOVE_BANK = "above_bank"
    """The bank holds less than is to be taken out."""
    ROUND_RUNS = "round_runs"
    """Nothing is taken out of the bank while a round runs."""
    ALREADY_OUT = "already_out"
    """The player sits out already."""
    ALREADY_IN = "already_in"
    """The player does not sit out."""


def outside_rulebook(refusals: Sequence[Refusal]) -> Rejected:
    """A configuration that the rulebook does not allow: the rule of the first value, and all of them in words."""
    return Rejected(str(Reason.OUTSIDE_RULEBOOK), refusals[0].rule, "; ".join(map(str, refusals)))


def rejected(reason: StrEnum, configuration: Configuration | None = None, detail: str = "") -> Rejected:
    """The refusal with the rule of the table's regulation; without a configuration there is no regulation yet."""
    ref = configuration.rule_of(reason) if configuration is not None else None
    rule = f"{configuration.regulation}#{ref}" if configuration is not None and ref else None
    return Rejected(str(reason), rule, detail)
