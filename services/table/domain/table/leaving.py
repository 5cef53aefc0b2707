"""Leaving by one's own wish, any time (pt-811-2015 10), and removal by staff after the hand (11.g)."""

from libs.decider import Rejected
from services.table.domain.games.poker.acting import time_bank_after
from services.table.domain.games.poker.events import PlayerFolded
from services.table.domain.games.poker.progress import go_on
from services.table.domain.table.after_hand import after_hand
from services.table.domain.table.commands import LeaveTable, RemovePlayer
from services.table.domain.table.departing import send_home
from services.table.domain.table.events import LeaveRequested
from services.table.domain.table.readiness import suspend_if_too_few
from services.table.domain.table.rejections import Reason, rejected
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import Story


def leave_table(command: LeaveTable, story: Story) -> Rejected | None:
    sitter = story.state.sitter_of(command.principal_id)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)

    if not story.state.in_running_hand(sitter):
        send_home(story, sitter.seat, "player")
        suspend_if_too_few(story)
    elif _has_the_turn(story, sitter):
        _fold_and_go(story, sitter)
    else:
        story.tell(LeaveRequested(at=story.now, table=story.table, player=sitter.player, seat=sitter.seat))
    return None


def _has_the_turn(story: Story, sitter: Sitter) -> bool:
    hand = story.state.hand
    return hand is not None and hand.turn is not None and hand.turn.seat == sitter.seat


def _fold_and_go(story: Story, sitter: Sitter) -> None:
    hand = story.state.hand
    assert hand is not None
    assert hand.turn is not None
    story.tell(
        PlayerFolded(
            at=story.now,
            table=story.table,
            hand=hand.number,
            seat=sitter.seat,
            player=sitter.player,
            actor="player",
            reason="left",
            time_bank_left=time_bank_after(hand.turn, story.now),
        )
    )
    send_home(story, sitter.seat, "player")
    go_on(story)
    after_hand(story)


def remove_player(command: RemovePlayer, story: Story) -> Rejected | None:
    """Staff: at once, or when the hand that the player is in has ended."""
    sitter = story.state.sitter_of(command.player)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, story.rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, story.rules)

    story.tell(
        LeaveRequested(
            at=story.now,
            table=story.table,
            player=sitter.player,
            seat=sitter.seat,
            reason="removed",
            by=command.principal_id,
            cause=command.reason,
        )
    )
    if not story.state.in_running_hand(sitter):
        send_home(story, sitter.seat, "removed")
        suspend_if_too_few(story)
    return None
