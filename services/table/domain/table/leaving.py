"""Leaving by one's own wish, any time (pt-811-2015 10), and removal by staff after the round (11.g)."""

from libs.contracts.facts import taken
from libs.contracts.table_commands import LeaveTable, RemovePlayer
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.table.departing import send_home
from services.table.domain.table.handlers import of_stayer
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


@of_stayer
def leave_table(command: LeaveTable, story: AnyStory, sitter: Sitter) -> Rejected | None:
    if story.state.is_bound(sitter):
        story.game.leave(story, sitter)
    else:
        send_home(story, sitter.seat, "player")
        story.game.seats_changed(story)
    return None


@of_stayer
def remove_player(command: RemovePlayer, story: AnyStory, sitter: Sitter) -> Rejected | None:
    """Staff: at once, or when the round that the player is in has ended."""
    story.tell(taken(LeaveRequested, sitter, reason="removed", by=story.by, cause=command.reason))
    if not story.state.is_bound(sitter):
        send_home(story, sitter.seat, "removed")
        story.game.seats_changed(story)
    return None
