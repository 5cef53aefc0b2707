"""What is done when a round is over: leavers go, absence has its consequences, new rules hold, top-ups come."""

from libs.contracts.facts import taken
from libs.contracts.table_events import ConfigurationActivated
from services.table.domain.table.closing import finish_closing
from services.table.domain.table.conduct import release_messages
from services.table.domain.table.departing import leave_after_break, send_home
from services.table.domain.table.story import AnyStory
from services.table.domain.table.topping_up import top_up_between_rounds


def after_round(story: AnyStory) -> None:
    """Does nothing while a round runs."""
    if story.state.in_round:
        return
    release_messages(story)
    for seat, sitter in sorted(story.state.seats.items()):
        if sitter.leaving is not None:
            send_home(story, seat, sitter.leaving)
    if story.state.status == "closing":
        finish_closing(story)
        return
    leave_after_break(story)
    story.game.after_round(story)
    activate_announced(story)
    top_up_between_rounds(story)
    story.game.seats_changed(story)


def activate_announced(story: AnyStory) -> None:
    """Between rounds: what was announced last is in force from here on."""
    announced = story.state.announced
    if announced is None or announced.holds_from > story.now:
        return  # pt-217-2007 22: after a warning in time
    story.tell(taken(ConfigurationActivated, announced))
