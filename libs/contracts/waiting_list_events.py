"""Public events of the waiting list: who waits for a seat, or for another one, and to whom a free seat is offered."""

from typing import Literal

from libs.contracts.facts import Moment, Seat, TableEvent


class WaitingListJoined(TableEvent):
    """A player waits for a seat, or for another one."""

    entry: str
    player: str
    kind: Literal["entry", "seat_change"]
    seat: Seat | None = None


class WaitingListLeft(TableEvent):
    """A player is no longer on the list."""

    entry: str
    player: str
    reason: Literal["player", "seated", "moved", "lapsed", "closed"]


class SeatOffered(TableEvent):
    """A seat is kept for the next on the list."""

    entry: str
    player: str
    seat: Seat
    until: Moment


class SeatChanged(TableEvent):
    """A player moved to another seat of this table (pt-217-2007 12.a)."""

    player: str
    reservation: str
    from_seat: Seat
    to_seat: Seat
