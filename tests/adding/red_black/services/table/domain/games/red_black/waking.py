"""When something of a round falls due, and what is done then."""

from collections.abc import Sequence

from libs.contracts.table_events import STANDSTILL
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.banked.idling import idle_due, is_warned
from services.table.domain.games.banked.rounds import opens_at, void
from services.table.domain.games.red_black.decide import close_betting, open_betting, turn_card
from services.table.domain.games.red_black.state import RedBlackStory, RedBlackTable
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks, invite_and_warn, send_home
from services.table.domain.table.standstill import interrupted


def dues(state: RedBlackTable) -> Sequence[int | None]:
    """First milliseconds at which something is due. What arrives at a deadline is too late."""
    return [opens_at(state), _clock(state), *(_idle_due(state, seat) for seat in state.seats)]


def _clock(state: RedBlackTable) -> int | None:
    playing = state.round
    if playing is None:
        return None
    if playing.phase == "closed":  # A table that may not deal gives the stakes back in time.
        return playing.alive_at + (state.rules.timing.resume_ms if state.paused else 0)
    if playing.until is None and playing.stakes and state.status == "closing":
        return playing.alive_at
    return playing.until


def _idle_due(state: RedBlackTable, seat: int) -> int | None:
    sitter = state.seats[seat]
    return None if state.is_bound(sitter) else idle_due(state.rules, sitter)


def wake(story: RedBlackStory, outage: bool) -> None:
    """A round that was stopped or stood still for longer than the limit is void; else it goes on."""
    if story.is_due(_clock(story.state)):
        playing = story.state.running
        if interrupted(story, _clock(story.state)) or (playing.phase == "closed" and story.state.paused):
            void(story, STANDSTILL, "house")
        elif playing.phase == "betting":
            close_betting(story)
    if story.state.round is not None and story.state.round.phase == "closed" and not story.state.paused:
        fresh = fresh_or_pause(story, Shuffle)
        if fresh is not None:
            turn_card(story, fresh)
    end_breaks(story)
    _end_idle(story)
    if story.is_due(opens_at(story.state)):
        open_betting(story)


def _end_idle(story: RedBlackStory) -> None:
    """Single player: invited and warned, and a minute later the session is over."""
    for seat, sitter in sorted(story.state.seats.items()):
        if not story.is_due(_idle_due(story.state, seat)):
            continue
        if is_warned(sitter):
            send_home(story, seat, "inactivity")
        else:
            invite_and_warn(story, sitter, "idle")
