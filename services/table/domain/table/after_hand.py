"""What is done when a hand is over: leavers go, absence has its consequences, top-ups come, too few suspend."""

from services.table.domain.table.changing import activate_announced
from services.table.domain.table.departing import send_home
from services.table.domain.table.events import PlayerInvitedToLeave
from services.table.domain.table.opening import finish_closing
from services.table.domain.table.readiness import suspend_if_too_few
from services.table.domain.table.state import Sitter, Table
from services.table.domain.table.story import Story
from services.table.domain.table.topping_up import top_up_between_hands


def after_hand(story: Story) -> None:
    """Does nothing while a hand runs."""
    if story.state.hand is not None:
        return
    for seat in sorted(story.state.seats):
        leaving = story.state.seats[seat].leaving
        if leaving is not None:
            send_home(story, seat, leaving)
    if story.state.status == "closing":
        finish_closing(story)
        return
    for seat in sorted(story.state.seats):
        _absence(story, story.state.seats[seat])
    activate_announced(story)
    top_up_between_hands(story)
    suspend_if_too_few(story)


def _absence(story: Story, sitter: Sitter) -> None:
    """pt-811-2015 68, 70.b, 71: after the warning one more hand, then the end."""
    notice = sitter.notice
    if notice is not None and notice.warned:
        if notice.reason == "absent" and sitter.absent > notice.absent:
            send_home(story, sitter.seat, "absent")
        elif notice.reason == "break_over" and _missed_one_more(story.state, sitter):
            send_home(story, sitter.seat, "break_over")
    elif notice is None and sitter.absent > story.rules.absent_hands:
        story.tell(
            PlayerInvitedToLeave(
                at=story.now, table=story.table, player=sitter.player, seat=sitter.seat, reason="absent"
            )
        )


def _missed_one_more(state: Table, sitter: Sitter) -> bool:
    """A hand that began after the warning is over, and the player is still away."""
    return sitter.notice is not None and state.hands > sitter.notice.hand and sitter.out == "break"
