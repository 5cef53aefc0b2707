"""Who is ready to be dealt in, and what that means for the table going on (pt-811-2015 7, 15; mo-97-2010 2.3)."""

from services.table.domain.table.events import TableSuspended
from services.table.domain.table.state import Sitter, Table
from services.table.domain.table.story import Story

MIN_PLAYERS = 2


def is_ready(sitter: Sitter, least_stack: int) -> bool:
    """Present, staying, and with enough to be dealt in: the minimum bet, unless the rulebook takes less."""
    return not sitter.out and sitter.leaving is None and sitter.stack >= least_stack


def ready_seats(state: Table) -> list[int]:
    """Ascending; newcomers who wait for the big blind count as ready too."""
    return sorted(seat for seat, sitter in state.seats.items() if is_ready(sitter, state.rules.least_stack))


def seats_in_play(state: Table) -> list[int]:
    """Ready and not waiting for the big blind."""
    return [seat for seat in ready_seats(state) if not state.seats[seat].waiting]


def may_deal(state: Table) -> bool:
    """Whether a next hand is to come at all, whenever it is due."""
    ready = len(ready_seats(state)) >= MIN_PLAYERS
    return state.status == "open" and not state.paused and state.hand is None and ready


def suspend_if_too_few(story: Story) -> None:
    state = story.state
    if state.running and state.hand is None and state.status == "open" and len(seats_in_play(state)) < MIN_PLAYERS:
        story.tell(TableSuspended(at=story.now, table=story.table))
