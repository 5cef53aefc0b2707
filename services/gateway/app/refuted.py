"""Seats that a table's view proves nobody can have: told at the door, and nothing is taken of what others share."""

from libs.contracts.commands import TableCommand
from libs.contracts.table_commands import TableReason, TakeSeat
from libs.views.table import TableView


def why_no_seat(command: TableCommand, view: TableView, now: int) -> TableReason | None:
    """Why a stranger to the table can't have what is asked, as far as the view tells; None: the table decides.

    `now`: milliseconds. A reservation that has run out by then, and an amount above the maximum, which who comes back
    may have to bring (pt-811-2015 10), prove nothing.
    """
    if command.only_while_open and view.status in ("closing", "closed"):
        return TableReason.TABLE_NOT_OPEN
    chosen = view.configuration
    if not isinstance(command, TakeSeat) or chosen is None:
        return None
    taken = {seat.seat for seat in view.seats.values() if seat.status != "reserved" or (seat.until or 0) > now}
    if command.seat is not None and command.seat > chosen.seats:
        return TableReason.NO_SUCH_SEAT
    if command.seat is not None and command.seat > chosen.played_seats:
        return TableReason.SEAT_CLOSED
    if taken.issuperset(range(1, chosen.played_seats + 1)):
        return TableReason.TABLE_FULL
    if command.seat in taken:
        return TableReason.SEAT_TAKEN
    by_range = getattr(chosen.entry, "rule", "range") == "range"
    return TableReason.BUY_IN_BELOW_MINIMUM if by_range and command.amount < chosen.entry.buy_in_min else None
