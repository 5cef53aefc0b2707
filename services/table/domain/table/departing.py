"""How a sitting ends: invitation, warning, home with the stack. None ends unwarned (pt-811-2015 71; pt-803-2015 42).

Leaving by one's own wish, any time (pt-811-2015 10), and removal by staff after the round (11.g).
"""

from libs.contracts import table_events as e
from libs.contracts.facts import taken
from libs.contracts.table_commands import LeaveTable, RemovePlayer
from libs.contracts.waiting_list_events import WaitingListLeft
from libs.decider import Rejected
from services.table.domain.table.handlers import of_stayer
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


def send_home(story: AnyStory, seat: int, reason: e.LeaveReason) -> None:
    """The seat is free, a pending top-up fails; never called while the running round has a claim on the player."""
    assert not story.rules.tournament, "its own tournament takes an entrant off (mo-97-2010 4.2)"
    sitter, currency = story.state.seats[seat], story.rules.currency
    if sitter.top_up is not None:
        why = "table_closing" if reason == "table_closed" else "left"
        story.tell(taken(e.TopUpFailed, sitter, top_up=sitter.top_up.id, currency=currency, reason=why))
    wish = story.state.waiting.entry_of(sitter.player)
    if wish is not None:  # for another seat
        story.tell(WaitingListLeft(entry=wish.entry, player=wish.player, reason="player"))
    story.tell(taken(e.PlayerLeft, sitter, currency=currency, reason=reason))


def invite(story: AnyStory, sitter: Sitter, reason: e.Notice) -> None:
    story.tell(e.PlayerInvitedToLeave(player=sitter.player, seat=sitter.seat, reason=reason))


def warn(story: AnyStory, sitter: Sitter, reason: e.Notice) -> None:
    story.tell(e.PlayerWarned(player=sitter.player, seat=sitter.seat, reason=reason))


def invite_and_warn(story: AnyStory, sitter: Sitter, reason: e.Notice) -> None:
    """The warning comes with the invitation; both are on record."""
    invite(story, sitter, reason)
    warn(story, sitter, reason)


def break_due(sitter: Sitter) -> int | None:
    """First millisecond after the limit of a break (pt-811-2015 68); None when it is not pending.

    Who was warned for not betting goes for that; one warning is not taken for the other again and again.
    """
    warned = sitter.notice is not None and sitter.notice.reason in ("break_over", "idle")
    return None if warned or sitter.leaving is not None else sitter.break_until


def end_breaks(story: AnyStory) -> None:
    """Everybody whose break is over by now is invited to leave, and warned; one more round, and they go."""
    for _, sitter in sorted(story.state.seats.items()):
        if sitter.break_until is not None and story.is_due(break_due(sitter)):
            invite_and_warn(story, sitter, "break_over")


def leave_after_break(story: AnyStory) -> None:
    """A round that began after the warning is over, and the player is still away."""
    for seat, sitter in sorted(story.state.seats.items()):
        notice = sitter.notice
        if notice is None or not notice.warned or notice.reason != "break_over":
            continue
        if story.state.rounds > notice.round and sitter.out == "break":
            send_home(story, seat, "break_over")


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
    story.tell(taken(e.LeaveRequested, sitter, reason="removed", by=story.by, cause=command.reason))
    if not story.state.is_bound(sitter):
        send_home(story, sitter.seat, "removed")
        story.game.seats_changed(story)
    return None
