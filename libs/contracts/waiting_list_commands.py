"""Commands of the waiting list: for a seat, or for another one."""

from enum import StrEnum

from libs.contracts.commands import PlayerCommand, SeatNumber
from libs.contracts.texts import Id


class JoinWaitingList(PlayerCommand):
    """For a seat, now or when the table begins; seats are offered in the order of the list (pt-217-2007 8.a, 12.b;
    pt-811-2015 6.b)."""

    only_while_open = True
    of_strangers = None
    example = {"entry": "entry-5"}
    entry: Id


class LeaveWaitingList(PlayerCommand):
    """Also gives up a seat that was offered."""

    of_strangers = "not_waiting"


class AskSeatChange(PlayerCommand):
    """To a seat that is or becomes free; served before the waiting list, in the order of asking (pt-217-2007 12.a)."""

    only_while_open = True
    example = {"entry": "entry-6", "seat": 6}
    entry: Id
    seat: SeatNumber | None = None
    """Null: any."""


class WaitingListReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    ALREADY_WAITING = "already_waiting"
    """The player is on the waiting list already."""
    NOT_WAITING = "not_waiting"
    """The player is not on the waiting list."""
    ENTRY_USED = "entry_used"
    """This id of an entry in the waiting list was used before."""
    OFFER_LAPSED = "offer_lapsed"
    """A seat was kept for the player and not taken; for five times as long as it was kept there is no other place on
    the list."""
    NOT_REGISTERED = "not_registered"
    """Only players who registered may sit down at a session table."""
    SEAT_OFFERED = "seat_offered"
    """The seat is kept for the player to whom it was offered."""
    WAIT_YOUR_TURN = "wait_your_turn"
    """Others on the waiting list come first."""
    SEATS_BY_DRAW = "seats_by_draw"
    """The first seats are drawn by lot; nobody chooses one before."""
