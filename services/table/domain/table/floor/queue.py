"""Who may take a free seat: whom it was offered to, then the waiting list; before a draw, nobody (12, 6.b, 11)."""

from libs.contracts.floor_commands import FloorReason as Reason
from libs.contracts.floor_events import WaitingListLeft
from services.table.domain.table.floor.state import Waiting
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory


def before_the_draw(state: Table) -> bool:
    """Whether seats wait for the lot that fills the table (pt-217-2007 11)."""
    return state.rules.entry.seats_by_draw and state.floor.draws == 0


def why_not_seated(state: Table, player: str, seat: int | None) -> Reason | None:
    """Why a free seat may not be taken by this player: it is somebody else's turn, or the lot decides."""
    rules, floor = state.rules, state.floor
    if player in state.departures:
        return None  # who comes back in time has been here before (pt-217-2007 14.h)
    if floor.places.get(player, state.table) != state.table:
        return Reason.TABLE_ASSIGNED_BY_DRAW
    entry = floor.entry_of(player)
    if rules.entry.registered_only and entry is None:
        return Reason.NOT_REGISTERED
    if before_the_draw(state):
        return Reason.SEATS_BY_DRAW
    if entry is not None and entry.offered is not None:
        return Reason.SEAT_OFFERED if seat not in (None, entry.offered) else None
    kept = floor.offered_seats()
    if seat is not None and seat in kept:
        return Reason.SEAT_OFFERED
    others = [each for each in floor.waiting if each.kind == "entry" and each.player != player]
    before = [each for each in others if entry is None or each.at < entry.at]
    return Reason.WAIT_YOUR_TURN if before else None


def seat_kept_for(state: Table, player: str) -> int | None:
    entry = state.floor.entry_of(player)
    return entry.offered if entry is not None else None


def tell_off(story: AnyStory, entry: Waiting, reason: str) -> None:
    story.tell(
        WaitingListLeft(
            entry=entry.entry,
            player=entry.player,
            reason=reason,  # type: ignore[arg-type]  # one of the words of the event
        )
    )
