"""The time for antes (pt-803-2015 14 to 18), and going while a stake lies on the table (40, by analogy to 35, 36)."""

from typing import Literal

from libs.contracts import no_draw_poker_events as e
from libs.contracts.table_events import LeaveReason, LeaveRequested
from services.table.domain.games.banked.idling import end_skippers
from services.table.domain.games.banked.rounds import move_stake, tell_opened
from services.table.domain.games.banked.state import IdleSitter
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory
from services.table.domain.table.after_round import after_round
from services.table.domain.table.departing import send_home


def open_betting(story: NoDrawStory) -> None:
    """With one deadline (14); a single player has no countdown (15)."""
    rules = story.rules
    tell_opened(story, e.AntesOpened, until=story.now + rules.timing.betting_ms if rules.mode == "multi" else None)


def set_ante(story: NoDrawStory, sitter: IdleSitter, ante: int) -> None:
    """The seat's ante is `ante` from now on; 0 takes it back."""
    stakes = story.state.stakes_of(sitter)
    before = stakes.ante if stakes is not None else 0
    if ante > before:
        short_of = max(0, story.rules.bet_of(ante) - (sitter.stack + before - ante))
        move_stake(story, sitter, e.AntePlaced, "ante", ante, short_of=short_of)
    elif ante < before:
        move_stake(story, sitter, e.AnteWithdrawn, "ante", ante)


def close_betting(story: NoDrawStory) -> None:
    """No more bets. A period without a bet was no round (2.e)."""
    betting = story.state.running
    if not betting.stakes:
        story.tell(e.AntesLapsed())
        return
    seats = sorted(betting.stakes)
    story.tell(e.AntesClosed(seats=seats))
    end_skippers(story, seats, betting.opened_at)


def leave(story: NoDrawStory, sitter: IdleSitter) -> None:
    """Always accepted: an ante comes back while bets are open, an undecided hand is folded, a second bet stays."""
    stakes = story.state.stakes_of(sitter)
    if story.state.takes_bets(story.now):
        take_home(story, sitter, "player")
        after_round(story)
    elif story.state.running.phase == "deciding" and stakes is not None and not stakes.decision:
        surrender(story, sitter.seat, "left")
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
    for stakes in story.state.running.undecided:
        if story.state.seats[stakes.seat].leaving == "player":
            surrender(story, stakes.seat, "left")
            send_home(story, stakes.seat, "player")


def surrender(story: NoDrawStory, seat: int, cause: e.FoldCause) -> None:
    """The ante is lost from here on, the cards go unseen to the discard corner (22, 32, 35, 40)."""
    player = story.state.running.stakes[seat].player
    actor: Literal["player", "house"] = "player" if cause in ("player", "left") else "house"
    story.tell(e.HandSurrendered(seat=seat, player=player, actor=actor, cause=cause))
