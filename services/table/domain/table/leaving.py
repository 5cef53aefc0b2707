"""Leaving by one's own wish, any time (pt-811-2015 10), and removal by staff after the round (11.g)."""

from libs.contracts.facts import taken
from libs.contracts.table_commands import LeaveTable, RemovePlayer
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from services.table.domain.table.departing import send_home
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def leave_table(command: LeaveTable, story: AnyStory) -> Rejected | None:
    sitter = story.state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)

    if story.state.is_bound(sitter):
        story.game.leave(story, sitter)
    else:
        send_home(story, sitter.seat, "player")
        story.game.seats_changed(story)
    return None


def remove_player(command: RemovePlayer, story: AnyStory) -> Rejected | None:
    """Staff: at once, or when the round that the player is in has ended."""
    sitter = story.state.sitter_of(command.player)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)

    story.tell(taken(LeaveRequested, sitter, reason="removed", by=story.by, cause=command.reason))
    if not story.state.is_bound(sitter):
        send_home(story, sitter.seat, "removed")
        story.game.seats_changed(story)
    return None
