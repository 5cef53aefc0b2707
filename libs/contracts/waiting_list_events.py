"""Public events of the waiting list: who waits for a seat, or for another one, and to whom a free seat is offered."""

from typing import Literal

from libs.contracts.facts import Moment, Seat, TableEvent


class OnTheList(TableEvent):
    """Of one place on the list."""

    entry: str
    player: str


class WaitingListJoined(OnTheList):
    """A player waits for a seat, or for another one."""

    kind: Literal["entry", "seat_change"]
    seat: Seat | None = None


class WaitingListLeft(OnTheList):
    """A player is no longer on the list."""

    reason: Literal["player", "seated", "moved", "lapsed", "closed"]


class SeatOffered(OnTheList):
    """A seat is kept for the next on the list."""

    seat: Seat
    until: Moment


class SeatChanged(TableEvent):
    """A player moved to another seat of this table (pt-217-2007 12.a)."""

    player: str
    reservation: str
    from_seat: Seat
    to_seat: Seat
    passed: list[Literal["small", "big"]] = []
    """Blinds that were to come to the old seat sooner. Who moves past one comes in as who was away does: with the big
    blind, or paying what passed (pt-811-2015 21, pt-217-2007 90)."""
