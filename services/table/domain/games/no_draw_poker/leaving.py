"""Going while a stake lies on the table (pt-803-2015 40, by analogy to 35 and 36)."""

from libs.contracts.table_events import LeaveReason, LeaveRequested
from services.table.domain.games.banked import IdleSitter
from services.table.domain.games.no_draw_poker.betting import is_open, set_ante
from services.table.domain.games.no_draw_poker.evolve import running
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.folding import fold
from services.table.domain.games.no_draw_poker.story import NoDrawStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.departing import send_home


def leave(story: NoDrawStory, sitter: IdleSitter) -> None:
    """Always accepted: an ante comes back while bets are open, an undecided hand is folded, a second bet stays."""
    stakes = story.state.stakes_of(sitter)
    phase = running(story.state).phase
    if is_open(story.state, story.now):
        take_home(story, sitter, "player")
        after_round(story)
    elif phase == "deciding" and stakes is not None and not stakes.decision:
        fold(story, sitter.seat, "left")
        send_home(story, sitter.seat, "player")
        finish_if_decided(story)
    else:
        story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))


def take_home(story: NoDrawStory, sitter: IdleSitter, reason: LeaveReason) -> None:
    """While bets are open: with the ante, if there is one."""
    if story.state.stakes_of(sitter) is not None:
        set_ante(story, sitter, 0)
    send_home(story, sitter.seat, reason)


def fold_leavers(story: NoDrawStory) -> None:
    """Who asked to go between the last bets and the cards folds now; who is removed by staff may still decide."""
    for stakes in running(story.state).undecided:
        sitter = story.state.seats[stakes.seat]
        if sitter.leaving == "player":
            fold(story, stakes.seat, "left")
            send_home(story, stakes.seat, "player")
