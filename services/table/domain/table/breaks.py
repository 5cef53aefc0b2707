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
    for _, sitter in sorted(story.state.seats.items()):
        if is_due(break_due(sitter), story):
            invite_and_warn(story, sitter, "break_over")


def leave_after_break(story: AnyStory) -> None:
    """A round that began after the warning is over, and the player is still away."""
    for seat, sitter in sorted(story.state.seats.items()):
        notice = sitter.notice
        if notice is None or not notice.warned or notice.reason != "break_over":
            continue
        if story.state.rounds > notice.round and sitter.out == "break":
            send_home(story, seat, "break_over")
