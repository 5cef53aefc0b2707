"""Invitations to leave and warnings. No session ends without a warning (pt-811-2015 71; pt-803-2015 42)."""

from libs.contracts.table_events import Notice, PlayerInvitedToLeave, PlayerWarned
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


def is_due(time: int | None, story: AnyStory) -> bool:
    return time is not None and time <= story.now


def invite(story: AnyStory, sitter: Sitter, reason: Notice) -> None:
    story.tell(PlayerInvitedToLeave(player=sitter.player, seat=sitter.seat, reason=reason))


def warn(story: AnyStory, sitter: Sitter, reason: Notice) -> None:
    story.tell(PlayerWarned(player=sitter.player, seat=sitter.seat, reason=reason))


def invite_and_warn(story: AnyStory, sitter: Sitter, reason: Notice) -> None:
    """The warning comes with the invitation; both are on record."""
    invite(story, sitter, reason)
    warn(story, sitter, reason)
