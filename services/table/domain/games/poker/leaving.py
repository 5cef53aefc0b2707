"""Leaving in the middle of a hand: a fold at the player's turn (pt-811-2015 10, 35)."""

from libs.contracts.poker_events import PlayerFolded
from libs.contracts.table_events import LeaveRequested
from services.table.domain.games.poker.acting import time_bank_after
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.progress import go_on
from services.table.domain.games.poker.state import PokerSitter, Turn
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.departing import send_home


def leave_hand(story: PokerStory, sitter: PokerSitter) -> None:
    turn = running(story.state).turn
    if turn is not None and turn.seat == sitter.seat:
        _fold_and_go(story, sitter, turn)
    else:
        story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))


def _fold_and_go(story: PokerStory, sitter: PokerSitter, turn: Turn) -> None:
    story.tell(
        PlayerFolded(
            seat=sitter.seat,
            player=sitter.player,
            actor="player",
            reason="left",
            time_bank_left=time_bank_after(turn, story.now),
        )
    )
    send_home(story, sitter.seat, "player")
    go_on(story)
    after_round(story)
