"""When something of a table falls due, and what it does when a timer wakes it: all that is due, maybe nothing.

A wake only makes happen what holds already. What has lapsed by a command's own time is gone for it, woken or not.
"""

from libs.contracts.table_commands import WakeTable
from services.table.domain.games.registry import game_of
from services.table.domain.table.after_round import activate_announced, rules_due
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
        rules_due(state),
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
    """Before any command: what holds by its time. Nothing here begins a clock, needs entropy, or is our outage's.

    But for one clock: rules that come into force may leave too few who are ready, and the game is suspended.
    """
    _change_rules(story)
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
    changed = not command.outage and _change_rules(story)
    if _end_at_the_table(story):
        return
    if changed and story.fresh is None:
        return  # by the new rules the game may draw: that comes with a wake, and with entropy, of its own
    if story.is_due(opening_draw_due(story.state)) and story.fresh is not None:
        draw_among_registered(story, "house")
    elif not keep_list(story):  # where lots were drawn, what the game draws comes with a wake and an order of its own
        story.game.wake(story, command.outage)
    if command.outage:  # clocks have begun anew; by the new rules the next wake goes on
        _change_rules(story)


def _change_rules(story: AnyStory) -> bool:
    """What was announced holds from its time on, whether a round is ever played (pt-811-2015 17). True when it does."""
    due, closing = rules_due(story.state), _closing_due(story.state)
    if not story.is_due(due) or (closing is not None and closing < (due or 0)):
        return False  # the hours were over before: no rules follow
    activate_announced(story)
    story.game.seats_changed(story)
    return True


def _closing_due(state: Table) -> int | None:
    """The end of the hours; a running round is finished (pt-811-2015 6.b)."""
    return state.rules.timing.closes_at if state.status == "open" else None
