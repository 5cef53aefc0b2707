"""When something of a table falls due, and what it does when a timer wakes it: all that is due, maybe nothing.

A wake only makes happen what holds already. What has lapsed by a command's own time is gone for it, woken or not.
"""

from libs.contracts.table_commands import WakeTable
from services.table.domain.games.registry import game_of
from services.table.domain.table.closing import close
from services.table.domain.table.departing import break_due
from services.table.domain.table.draws import draw_among_registered, opening_draw_due
from services.table.domain.table.seating import lapse_due, tell_released
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory
from services.table.domain.table.waiting_list import end_offers, keep_list, list_dues


def next_wake(state: Table) -> int | None:
    """Milliseconds since the epoch of the earliest thing due; None: nothing but a command moves this table."""
    if state.configuration is None or state.status == "closed":
        return None
    game = game_of(state.configuration)
    if game.cards_lost(state):
        return 0
    times = [
        *(lapse_due(reserved) for reserved in state.reserved.values()),
        *(break_due(sitter) for sitter in state.seats.values()),
        *list_dues(state),
        _closing_due(state),
        opening_draw_due(state),
        *game.dues(state),
    ]
    return min((time for time in times if time is not None), default=None)


def moved_at(state: Table) -> int | None:
    """When the running round last moved, where a restart of the house would cost its players time."""
    if state.configuration is None or state.status == "closed":
        return None
    return game_of(state.configuration).moved_at(state)


def lapse(story: AnyStory) -> None:
    """Before any command: what ended by its time. Nothing here begins a clock, needs entropy, or is our outage's."""
    _end_at_the_table(story)
    if story.state.status != "closed":
        story.game.lapse(story)


def _end_at_the_table(story: AnyStory) -> bool:
    """Reservations, offers, and the opening hours; true when these are over."""
    for reserved in list(story.state.reserved.values()):
        if story.is_due(lapse_due(reserved)):
            tell_released(story, reserved, "lapsed")
    end_offers(story)
    over = story.is_due(_closing_due(story.state))
    if over:
        close(story, "house", "end_of_hours")
    return over


def wake_table(command: WakeTable, story: AnyStory) -> None:
    """What lapsed first, then draws and the waiting list, then what the game has due."""
    if _end_at_the_table(story):
        return
    if story.is_due(opening_draw_due(story.state)) and story.fresh is not None:
        draw_among_registered(story, "house")
    elif not keep_list(story):  # where lots were drawn, what the game draws comes with a wake and an order of its own
        story.game.wake(story, command.outage, command.down_since)


def _closing_due(state: Table) -> int | None:
    """The end of the hours; a running round is finished (pt-811-2015 6.b)."""
    return state.rules.timing.closes_at if state.status == "open" else None
