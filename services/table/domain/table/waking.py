"""A timer's knock: everything that is due now is done, in this order, or nothing."""

from services.table.domain.games.poker.starting import start_hand
from services.table.domain.games.poker.timing_out import time_out
from services.table.domain.table.commands import WakeTable
from services.table.domain.table.departing import send_home
from services.table.domain.table.due import break_due, hand_due, invitation_due, lapse_due, removal_due
from services.table.domain.table.events import (
    ENTROPY_UNHEALTHY,
    Notice,
    PlayerInvitedToLeave,
    PlayerWarned,
    TablePaused,
)
from services.table.domain.table.readiness import suspend_if_too_few
from services.table.domain.table.seating import tell_released
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import Story


def wake_table(command: WakeTable, story: Story) -> None:
    if story.state.status in ("new", "closed"):
        return
    for reserved in list(story.state.reserved.values()):
        if lapse_due(reserved) <= story.now:
            tell_released(story, reserved, "lapsed")
    time_out(story, command.outage)
    for seat in sorted(story.state.seats):
        _notices(story, story.state.seats[seat])
    suspend_if_too_few(story)
    _deal(story)


def _notices(story: Story, sitter: Sitter) -> None:
    if _is_due(break_due(sitter), story):
        _invite_and_warn(story, sitter, "break_over")
    elif _is_due(removal_due(story.state, sitter), story):
        send_home(story, sitter.seat, "below_minimum")
    elif _is_due(invitation_due(story.state, sitter), story):
        _invite_and_warn(story, sitter, "below_minimum")


def _is_due(time: int | None, story: Story) -> bool:
    return time is not None and time <= story.now


def _invite_and_warn(story: Story, sitter: Sitter, reason: Notice) -> None:
    """Nobody's session ends without a warning (pt-811-2015 71); here it comes with the invitation."""
    story.tell(
        PlayerInvitedToLeave(at=story.now, table=story.table, player=sitter.player, seat=sitter.seat, reason=reason)
    )
    _warn(story, sitter, reason)


def _warn(story: Story, sitter: Sitter, reason: Notice) -> None:
    story.tell(PlayerWarned(at=story.now, table=story.table, player=sitter.player, seat=sitter.seat, reason=reason))


def _deal(story: Story) -> None:
    """Without fresh entropy no hand starts: its source failed the health test, and staff have to look at it first."""
    if not _is_due(hand_due(story.state), story):
        return
    if story.fresh is None:
        story.tell(TablePaused(at=story.now, table=story.table, by="house", reason=ENTROPY_UNHEALTHY))
        return
    for seat in sorted(story.state.seats):
        sitter = story.state.seats[seat]
        # pt-811-2015 71: the warning is shown before the next hand starts.
        if sitter.notice is not None and sitter.notice.reason == "absent" and not sitter.notice.warned:
            _warn(story, sitter, "absent")
    start_hand(story, story.fresh)
