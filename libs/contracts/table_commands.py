"""Commands that every table takes, whatever is played."""

from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import (
    MAX_AMOUNT,
    ORGANISER,
    PLAYER,
    POLICY,
    STAFF,
    Amount,
    Id,
    SeatNumber,
    TableCommand,
    Values,
    Words,
)
from libs.contracts.facts import Moment

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
_Bank = Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="minor units of the currency (cents)")]


class OpenTable(TableCommand):
    """Opens a table under a rulebook; a missing or wrong value is refused by name (pt-811-2015 14, 17)."""

    may_ask = STAFF
    example = {
        "name": "Lisboa",
        "rulebook": "pt-811-2015-omaha",
        "configuration": {"seats": 6, "small_blind": 50, "big_blind": 100, "currency": "EUR"},
    }
    name: Name
    rulebook: Id
    configuration: Values
    """Fills the rulebook."""
    bank: _Bank = 0
    """What the treasury puts into the table's bank, in a game against the house."""
    risk_limit: _Bank | None = None
    """The most that the house is ready to lose in one round; null: all of the bank."""


class ChangeConfiguration(TableCommand):
    """The whole configuration anew, with a higher `version` and its approval reference; in force from the next hand
    on (pt-811-2015 enact.3, 17)."""

    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True
    example = {"configuration": {"version": 7, "approval": "SRIJ-2026-114", "seats": 6}}
    configuration: Values


class CloseTable(TableCommand):
    """The hand in progress is the last one."""

    may_ask = STAFF
    only_while_open = True
    example = {"reason": "end of the night"}
    reason: Words


class PauseTable(TableCommand):
    """No new hand until the table is resumed."""

    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True
    example = {"reason": "a reader is being replaced"}
    reason: Words


class ResumeTable(TableCommand):
    """Play goes on."""

    may_ask = (*STAFF, *ORGANISER)
    only_while_open = True


class TakeSeat(TableCommand):
    """The seat is reserved; once the wallet has held the buy-in, `player_seated` follows on the table's stream."""

    may_ask = PLAYER
    only_while_open = True
    example = {"reservation": "reservation-41", "seat": 3, "amount": 10_000}
    reservation: Id
    """The sitting's id, chosen by the gateway."""
    seat: SeatNumber | None = None
    """Null: the first free one."""
    amount: Amount
    """The buy-in."""


class ConfirmSeat(TableCommand):
    """The wallet has held the buy-in."""

    may_ask = POLICY
    example = {"reservation": "reservation-41"}
    reservation: Id


class ReleaseSeat(TableCommand):
    """The wallet refused the buy-in, or the player gives the seat up before it is held."""

    may_ask = (*POLICY, *PLAYER)
    example = {"reservation": "reservation-41", "reason": "hold_refused"}
    reservation: Id
    reason: Literal["hold_refused", "cancelled"]


class RequestTopUp(TableCommand):
    """More chips from the player's account, within the table's ceiling, added when no hand runs (pt-811-2015 11.b)."""

    may_ask = PLAYER
    only_while_open = True
    example = {"top_up": "top_up-17", "amount": 5_000}
    top_up: Id
    amount: Amount


class ConfirmTopUp(TableCommand):
    """The wallet has held the amount."""

    may_ask = POLICY
    example = {"top_up": "top_up-17"}
    top_up: Id


class FailTopUp(TableCommand):
    """The wallet refused to hold the amount."""

    may_ask = POLICY
    example = {"top_up": "top_up-17"}
    top_up: Id


class SitOut(TableCommand):
    """Dealt out from the next hand on; the seat is kept."""

    may_ask = PLAYER
    example = {"on_break": True}
    on_break: bool = False
    """Asks for the break of rule 68, with its time limit."""


class SitIn(TableCommand):
    """Dealt in when the big blind arrives, or at once with a posted one."""

    may_ask = PLAYER
    example = {"post_big_blind": True}
    post_big_blind: bool = False
    """Come in at once by freely posting a live big blind (pt-811-2015 21)."""


class LeaveTable(TableCommand):
    """Possible at any time, with the whole stack; a running hand is ended first."""

    may_ask = PLAYER


class ReportConnection(TableCommand):
    """What the gateway sees of a seated player's connection; no clock stops for it (pt-803-2015-no-draw 34 to 36)."""

    may_ask = POLICY
    example = {"player": "alice", "connected": False}
    player: Id
    connected: bool


class RemovePlayer(TableCommand):
    """At the latest after the running hand; the stack goes home (pt-811-2015 11.g)."""

    may_ask = STAFF
    example = {"player": "alice", "reason": "collusion under investigation"}
    player: Id
    reason: Words


class WakeTable(TableCommand):
    """Something that was due may be done now. A table that has moved on answers with nothing to do."""

    may_ask = ("timer",)
    draws = True
    example = {"due": 1_767_312_000_000}
    due: Annotated[Moment, msgspec.Meta(ge=0)]
    outage: bool = False
    """The house itself was down when it was due, so that nobody's time has run out (pt-811-2015 45)."""
    down_since: Annotated[Moment, msgspec.Meta(ge=0)] | None = None
