"""What is done when a round is over: leavers go, absence has its consequences, new rules hold, top-ups come."""

from libs.contracts.facts import taken
from libs.contracts.table_events import ConfigurationActivated
from services.table.domain.table.closing import finish_closing
from services.table.domain.table.conduct import release_messages
from services.table.domain.table.departing import leave_after_break, send_home
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory
from services.table.domain.table.topping_up import top_up_between_rounds
from services.table.domain.table.tournament import add_bought, take_off_disqualified


def after_round(story: AnyStory) -> None:
    """Does nothing while a round runs."""
    if story.state.in_round:
        return
    release_messages(story)
    add_bought(story)
    take_off_disqualified(story)
    for seat, sitter in sorted(story.state.seats.items()):
        if sitter.leaving is not None and not story.state.is_bound(sitter):
            send_home(story, seat, sitter.leaving)
    if story.state.status == "closing":
        finish_closing(story)
        return
    leave_after_break(story)
    story.game.after_round(story)
    activate_announced(story)
    top_up_between_rounds(story)
    story.game.seats_changed(story)


def rules_due(state: Table) -> int | None:
    """First millisecond, since the epoch, of what is announced; None while a round runs, whose end brings it."""
    return state.announced.holds_from if state.announced is not None and not state.in_round else None


def activate_announced(story: AnyStory) -> bool:
    """Between rounds: what was announced last is in force from here on. True when it has just come into force."""
    announced = story.state.announced
    if announced is None or announced.holds_from > story.now:
        return False  # pt-217-2007 22: after a warning in time
    story.tell(taken(ConfigurationActivated, announced))
    return True
