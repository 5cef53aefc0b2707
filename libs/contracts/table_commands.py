"""Commands that every table takes, whatever is played."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from libs.contracts.commands import (
    MAX_AMOUNT,
    ORGANISER,
    PLAYER,
    POLICY,
    STAFF,
    Amount,
    Number,
    PlayerCommand,
    PolicyCommand,
    SeatNumber,
    StaffCommand,
    TableCommand,
    Values,
)
from libs.contracts.facts import When
from libs.contracts.roles import Role
from libs.contracts.texts import Id, Name, Words

_Bank = Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="minor units of the currency (cents)")]


_FILLED: dict[str, Any] = {
    "mode": "continuous", "seats": 6, "structure": "pot_limit", "big_blind": 100, "buy_in_min": 4_000,
    "buy_in_max": 10_000, "top_up_to": 10_000, "rake_mode": "pot", "rake_bp": 500, "decision_ms": 20_000,
    "approval": "OPERATOR-2026-1",
}  # fmt: skip


class OpenTable(StaffCommand):
    """Opens a table under a rulebook; a missing or wrong value is refused by name (pt-811-2015 14, 17)."""

    example = {
        "name": "Lisboa",
        "rulebook": "pt-811-2015-omaha",
        "configuration": _FILLED,
    }
    name: Name
    rulebook: Id
    configuration: Values
    """Fills the rulebook."""
    bank: _Bank = 0
    """What the treasury puts into the table's bank, in a game against the house: once another one of the staff has
    approved the bank change `opening`."""
    risk_limit: _Bank | None = None
    """The most that the house is ready to lose in one round; null: all of the bank."""
    alone_up_to: _Bank = 0
    """What one of the staff may move of the bank alone until two have agreed again; 0: nothing. It is approved with the
    change `opening`, may not exceed `bank`, and holds from the approval on."""


class ChangeConfiguration(TableCommand):
    """The whole configuration anew, with a higher `version` and its approval reference; in force from the next hand
    on (pt-811-2015 enact.3, 17). At a table of real money once another one of the staff approves, but for a platform's
    poker, whose rake it is."""

    may_ask = (*STAFF, *ORGANISER)
    roles = ("floor", "supervisor", "administrator")
    scope = StaffCommand.scope
    only_while_open = True
    example = {"configuration": {**_FILLED, "version": 2, "approval": "OPERATOR-2026-2", "rake_bp": 400}}
    configuration: Values


class ConfigurationAnswer(TableCommand):
    """To what one of the staff wants a table with a bank to be played by: of people alone, so that two are two."""

    may_ask = ("staff",)
    roles: ClassVar[tuple[Role, ...]] = ("cashier", "supervisor", "administrator")


class ApproveConfiguration(ConfigurationAnswer):
    """By another one of the staff than the one who asked; then it is announced, and in force from the next round on."""

    only_while_open = True
    example = {"version": 7}
    version: Number
    """Of the configuration that was asked for."""


class DeclineConfiguration(ConfigurationAnswer):
    """The version is spent; the table goes on as it was. Also by the one who asked."""

    roles = ("floor", *ConfigurationAnswer.roles)
    example = {"version": 7, "reason": "not on a Saturday"}
    version: Number
    """Of the configuration that was asked for."""
    reason: Words


class CloseTable(StaffCommand):
    """The hand in progress is the last one."""

    only_while_open = True
    example = {"reason": "end of the night"}
    reason: Words


class PauseTable(TableCommand):
    """No new hand until the table is resumed."""

    may_ask = (*STAFF, *ORGANISER)
    roles = StaffCommand.roles
    scope = StaffCommand.scope
    only_while_open = True
    example = {"reason": "a reader is being replaced"}
    reason: Words


class ResumeTable(TableCommand):
    """Play goes on."""

    may_ask = (*STAFF, *ORGANISER)
    roles = StaffCommand.roles
    scope = StaffCommand.scope
    only_while_open = True


class TakeSeat(PlayerCommand):
    """The seat is reserved; once the wallet has reserved the buy-in, `player_seated` follows on the table's stream."""

    only_while_open = True
    of_strangers = None
    example = {"reservation": "reservation-41", "seat": 3, "amount": 10_000}
    reservation: Id
    """The sitting's id, chosen by the gateway."""
    seat: SeatNumber | None = None
    """Null: the first free one."""
    amount: Amount
    """The buy-in."""


class ConfirmSeat(PolicyCommand):
    """The wallet has reserved the buy-in."""

    example = {"reservation": "reservation-41"}
    reservation: Id


class ReleaseSeat(TableCommand):
    """The wallet refused the buy-in, or the player gives the seat up before it is reserved."""

    may_ask = (*POLICY, *PLAYER)
    example = {"reservation": "reservation-41", "reason": "reserve_refused"}
    reservation: Id
    reason: Literal["reserve_refused", "cancelled"]


class RequestTopUp(PlayerCommand):
    """More chips from the player's account, within the table's ceiling, added when no hand runs (pt-811-2015 11.b)."""

    only_while_open = True
    example = {"top_up": "top_up-17", "amount": 5_000}
    top_up: Id
    amount: Amount


class ConfirmTopUp(PolicyCommand):
    """The wallet has reserved the amount."""

    example = {"top_up": "top_up-17"}
    top_up: Id


class FailTopUp(PolicyCommand):
    """The wallet refused to reserve the amount."""

    example = {"top_up": "top_up-17"}
    top_up: Id


class SitOut(PlayerCommand):
    """Dealt out from the next hand on; the seat is kept."""

    example = {"on_break": True}
    on_break: bool = False
    """Asks for the break of rule 68, with its time limit."""


class SitIn(PlayerCommand):
    """Dealt in when the big blind arrives, or at once with a posted one."""

    example = {"post_big_blind": True}
    post_big_blind: bool = False
    """Come in at once: freely post a live big blind, and a dead small one if a blind went past (pt-811-2015 21)."""


class LeaveTable(PlayerCommand):
    """Possible at any time, with the whole stack; a running hand is ended first."""


class ReportConnection(PolicyCommand):
    """What the gateway sees of a seated player's connection; no clock stops for it (pt-803-2015-no-draw 34 to 36)."""

    by_gateway = True
    example = {"player": "alice", "connected": False}
    player: Id
    connected: bool


class RemovePlayer(StaffCommand):
    """At the latest after the running hand; the stack goes home (pt-811-2015 11.g)."""

    example = {"player": "alice", "reason": "collusion under investigation"}
    player: Id
    reason: Words


class WakeTable(TableCommand):
    """Something that was due may be done now. A table that has moved on answers with nothing to do."""

    may_ask = ("timer",)
    draws = True
    example = {"due": 1_767_312_000_000}
    due: When
    outage: bool = False
    """The house itself was down when it was due, so that nobody's time has run out (pt-811-2015 45)."""


class TableReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    NOT_ALLOWED = "not_allowed"
    """The sender (player, staff, dealer, timer, tournament …) may not send this command."""
    ALREADY_OPEN = "already_open"
    """A table with this id was opened before."""
    RESERVED_NAME = "reserved_name"
    """Only a tournament's own tables are called like this, or so that it reads like it: its id, `.t` and a number."""
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
    VERSION_TOO_HIGH = "version_too_high"
    """A configuration may be at most 1000 versions above the last one, so that there is always room for another."""
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
    TOP_UP_BELOW_LEAST = "top_up_below_least"
    """At poker a top-up is a big blind at least, or all that is left to `top_up_to`, unless the house fixes its amount;
    the detail says what is possible."""
    NO_SUCH_TOP_UP = "no_such_top_up"
    """No top-up of this id is under way."""
    NO_BANK = "no_bank"
    """Only a game against the house has a bank."""
    OPENING_PENDING = "opening_pending"
    """Before another one of the staff has answered the change `opening`, no other change of the bank or of what it is
    played with is asked for."""
    ALONE_ABOVE_BANK = "alone_above_bank"
    """One of the staff could move more alone (`alone_up_to`) than the bank opens with (`bank`)."""
    ABOVE_RISK_LIMIT = "above_risk_limit"
    """One round could cost more than the risk limit of the table."""
    CHANGE_USED = "change_used"
    """This id of a bank change was used before, or waits for an answer."""
    TOO_MANY_CHANGES = "too_many_changes"
    """Twenty bank changes wait for an answer, or five that this person asked for; one of them has to be approved or
    declined first."""
    CHANGE_DIFFERS = "change_differs"
    """The bank change that waits under this id is another one than what was approved."""
    NO_SUCH_CHANGE = "no_such_change"
    """No bank change of this id, or configuration of this version, waits for an answer."""
    OWN_REQUEST = "own_request"
    """Who asked for what needs two can't approve it, under whatever spelling or role; another one of the staff must."""
    ABOVE_BANK = "above_bank"
    """The bank holds less than is to be taken out."""
    ROUND_RUNS = "round_runs"
    """Nothing is taken out of the bank while a round runs."""
    ALREADY_OUT = "already_out"
    """The player sits out already."""
    HAD_BREAK = "had_break"
    """A player has one break until there are cards again; sitting out without one is open."""
    ALREADY_IN = "already_in"
    """The player does not sit out."""
