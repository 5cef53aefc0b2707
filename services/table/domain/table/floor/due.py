"""When something around the play falls due, and what is done then."""

from collections.abc import Sequence

from services.table.domain.table.closing import begin_closing, finish_closing
from services.table.domain.table.floor.draws import draw_among_registered
from services.table.domain.table.floor.queue import before_the_draw
from services.table.domain.table.floor.waiting import keep_lists, offer_lapse_due, offers_due
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory


def floor_dues(state: Table) -> Sequence[int | None]:
    times = [offer_lapse_due(entry) for entry in state.floor.waiting]
    return [*times, offers_due(state), closing_due(state), opening_draw_due(state)]


def closing_due(state: Table) -> int | None:
    """The end of the hours; a running round is finished (pt-811-2015 6.b)."""
    return state.rules.timing.closes_at if state.status == "open" else None


def opening_draw_due(state: Table) -> int | None:
    """Seats are drawn when the hours begin, if anybody has registered."""
    drawable = before_the_draw(state) and any(each.kind == "entry" for each in state.floor.waiting)
    return state.rules.timing.opens_at if drawable and state.status == "open" else None


def wake_floor(story: AnyStory) -> bool:
    """True when lots were drawn or the table is gone, so that nothing else happens in this wake."""
    closing = closing_due(story.state)
    if closing is not None and closing <= story.now:
        begin_closing(story, "house", "end_of_hours")
        finish_closing(story)
        return True
    drawing = opening_draw_due(story.state)
    if drawing is not None and drawing <= story.now and story.fresh is not None:
        draw_among_registered(story, "house")
        return True
    return keep_lists(story)
