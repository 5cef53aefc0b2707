"""What happened at a table. One event here is one public event of the same name and fields; the fold numbers them.

`at` is the time of the command that caused the event, milliseconds since the epoch; in public the envelope says it.
What a game tells stands in `domain/games/<game>/events.py`; a field called `deck` is secret wherever it stands.
"""

from typing import Literal

import msgspec

from services.table.domain.table.configuration import Configuration, Kind

Notice = Literal["below_minimum", "absent", "break_over", "idle"]
LeaveReason = Literal["player", "below_minimum", "absent", "break_over", "removed", "table_closed", "inactivity"]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    at: int
    table: str


class GameEvent(Event, frozen=True, kw_only=True):
    """What a game tells and folds itself; the table folds all others."""


class TableOpened(Event, frozen=True, kw_only=True):
    name: str
    configuration: Configuration
    rulebook_hash: str


class ConfigurationAnnounced(Event, frozen=True, kw_only=True):
    """A newer version is to come, when no hand runs."""

    configuration: Configuration
    rulebook_hash: str
    by: str
    holds_from: int = 0
    """First millisecond at which a round may start under it; 0: as soon as none runs."""


class ConfigurationActivated(Event, frozen=True, kw_only=True):
    """In force from the next hand on; version and approval reference stand in it (pt-811-2015 enact.3)."""

    configuration: Configuration
    rulebook_hash: str
    by: str


ENTROPY_UNHEALTHY = "entropy_unhealthy"
"""Why the house pauses a table by itself: the random source failed its health test."""


class TablePaused(Event, frozen=True, kw_only=True):
    by: str
    reason: str


class TableResumed(Event, frozen=True, kw_only=True):
    by: str


class TableSuspended(Event, frozen=True, kw_only=True):
    """Too few are in play for this game to go on (pt-811-2015 7)."""


class TableClosing(Event, frozen=True, kw_only=True):
    by: str
    reason: str


class TableClosed(Event, frozen=True, kw_only=True):
    pass


class SeatReserved(Event, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    amount: int
    currency: str
    until: int


class SeatReleased(Event, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    currency: str
    reason: Literal["lapsed", "hold_refused", "cancelled", "table_closing"]


class PlayerSeated(Event, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    amount: int
    commission: int
    stack: int
    currency: str
    kind: Kind
    rulebook: str


class TopUpRequested(Event, frozen=True, kw_only=True):
    top_up: str
    reservation: str
    player: str
    seat: int
    amount: int
    currency: str


class TopUpDue(Event, frozen=True, kw_only=True):
    top_up: str
    reservation: str
    player: str
    seat: int
    amount: int
    currency: str


class TopUpFunded(Event, frozen=True, kw_only=True):
    """The hold stands while a hand runs: the chips come when it is over (pt-811-2015 11.b)."""

    top_up: str
    reservation: str
    player: str
    seat: int
    amount: int
    currency: str


class TopUpAdded(Event, frozen=True, kw_only=True):
    top_up: str
    reservation: str
    player: str
    seat: int
    amount: int
    commission: int
    stack: int
    currency: str
    rulebook: str


class TopUpFailed(Event, frozen=True, kw_only=True):
    top_up: str
    reservation: str
    player: str
    seat: int
    currency: str
    reason: Literal["hold_refused", "above_ceiling", "left", "table_closing"]


class PlayerSatOut(Event, frozen=True, kw_only=True):
    player: str
    seat: int
    reason: Literal["player", "break", "timeout"]
    until: int | None = None


class PlayerSatIn(Event, frozen=True, kw_only=True):
    player: str
    seat: int
    posts_big_blind: bool


class PlayerInvitedToLeave(Event, frozen=True, kw_only=True):
    player: str
    seat: int
    reason: Notice


class PlayerWarned(Event, frozen=True, kw_only=True):
    player: str
    seat: int
    reason: Notice


class LeaveRequested(Event, frozen=True, kw_only=True):
    player: str
    seat: int
    reason: Literal["player", "removed"] = "player"
    by: str = ""
    cause: str = ""


class PlayerLeft(Event, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    stack: int
    currency: str
    reason: LeaveReason


class ConnectionLost(Event, frozen=True, kw_only=True):
    """Of a seated player; the game goes on (pt-803-2015-no-draw 34)."""

    player: str
    seat: int


class ConnectionRestored(Event, frozen=True, kw_only=True):
    player: str
    seat: int


SeatingEvent = (
    TableOpened | ConfigurationAnnounced | ConfigurationActivated
    | TablePaused | TableResumed | TableSuspended | TableClosing | TableClosed | SeatReserved
    | SeatReleased | PlayerSeated | TopUpRequested | TopUpDue | TopUpFunded | TopUpAdded | TopUpFailed | PlayerSatOut
    | PlayerSatIn | PlayerInvitedToLeave | PlayerWarned | LeaveRequested | PlayerLeft
    | ConnectionLost | ConnectionRestored
)  # fmt: skip
