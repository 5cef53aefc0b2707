"""A break has its limit: then an invitation to leave with its warning, and one more round (pt-811-2015 68, 71)."""

from services.table.domain.table.departing import send_home
from services.table.domain.table.notices import invite_and_warn, is_due
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


def break_due(sitter: Sitter) -> int | None:
    """First millisecond after the limit of the break; None when it is not pending."""
    warned = sitter.notice is not None and sitter.notice.reason == "break_over"
    return None if warned or sitter.leaving is not None else sitter.break_until


def end_breaks(story: AnyStory) -> None:
    """Everybody whose break is over by now is invited to leave, and warned."""
    for seat in sorted(story.state.seats):
        sitter = story.state.seats[seat]
        if is_due(break_due(sitter), story):
            invite_and_warn(story, sitter, "break_over")


def leave_after_break(story: AnyStory, sitter: Sitter) -> None:
    """A round that began after the warning is over, and the player is still away."""
    notice = sitter.notice
    if notice is None or not notice.warned or notice.reason != "break_over":
        return
    if story.state.rounds > notice.round and sitter.out == "break":
        send_home(story, sitter.seat, "break_over")
