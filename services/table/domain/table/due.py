"""When something of the table falls due: what timers plan by and `WakeTable` acts on."""

from services.table.domain.games.registry import game_of
from services.table.domain.table.breaks import break_due
from services.table.domain.table.floor.due import floor_dues
from services.table.domain.table.seating import lapse_due
from services.table.domain.table.state import Table


def next_wake(state: Table) -> int | None:
    """Milliseconds since the epoch of the earliest thing due; None: nothing but a command moves this table."""
    if state.configuration is None or state.status == "closed":
        return None
    times: list[int | None] = [lapse_due(reserved) for reserved in state.reserved.values()]
    times += [break_due(sitter) for sitter in state.seats.values()]
    times += floor_dues(state)
    times += game_of(state.configuration).dues(state)
    return min((time for time in times if time is not None), default=None)


def moved_at(state: Table) -> int | None:
    """When the running round last moved, where a restart of the house would cost its players time."""
    if state.configuration is None or state.status == "closed":
        return None
    return game_of(state.configuration).moved_at(state)
