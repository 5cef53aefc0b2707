"""When something of a round falls due, and what is done then (pt-803-2015 14, 31 to 33, 35, 41, 42)."""

from collections.abc import Callable, Sequence
from functools import partial

from libs.contracts.no_draw_poker_events import AntesExtended, HandsWarned
from libs.contracts.table_events import STANDSTILL, STOPPED
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.banked.idling import idle_due, is_warned
from services.table.domain.games.banked.rounds import opens_at, void
from services.table.domain.games.banked.state import IdleSitter
from services.table.domain.games.no_draw_poker.antes import close_betting, open_betting, surrender, take_home
from services.table.domain.games.no_draw_poker.dealing import ask, deal_out
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory, NoDrawTable
from services.table.domain.table.after_round import after_round
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks, invite_and_warn
from services.table.domain.table.standstill import interrupted, ran_out, stood_through


def dues(state: NoDrawTable) -> Sequence[int | None]:
    """First milliseconds at which something is due. What arrives at a deadline is too late."""
    return [opens_at(state), _clock(state), *(idle_due(state.rules, each) for each in _sitters_between_rounds(state))]


def _clock(state: NoDrawTable) -> int | None:
    playing = state.round
    if playing is None:
        return None
    if playing.phase == "closed":  # The deal follows at once; a table that may not deal gives the stakes back in time.
        return playing.alive_at if not state.paused else playing.alive_at + state.rules.timing.resume_ms
    return playing.until


def wake(story: NoDrawStory, outage: bool) -> None:
    if not _void_if_interrupted(story):
        if outage or stood_through(story, _until(story.state)):
            _begin_anew(story)
        else:
            tick(story)
    end_breaks(story)
    _end_idle(story, outage)
    _deal(story)
    if story.is_due(opens_at(story.state)):
        open_betting(story)


def tick(story: NoDrawStory) -> None:
    """The deadline of the phase has passed: bets close, the warning comes, undecided hands are folded."""
    playing = story.state.round
    if playing is None or playing.until is None or playing.until > story.now:
        return
    if playing.phase == "betting":
        close_betting(story)
    elif not playing.warned:
        # 31: a warning and extra time, the same for everybody and for who is not there.
        seats, until = [stakes.seat for stakes in playing.undecided], story.now + story.rules.timing.extra_ms
        story.tell(HandsWarned(seats=seats, until=until))
    else:
        for stakes in playing.undecided:
            surrender(story, stakes.seat, "disconnected" if story.state.seats[stakes.seat].offline else "timeout")
        finish_if_decided(story)


def _until(state: NoDrawTable) -> int | None:
    """None: nobody's time runs; a single player's ante waits for the player."""
    return state.round.until if state.round is not None else None


def _void_if_interrupted(story: NoDrawStory) -> bool:
    over = interrupted(story, _until(story.state))
    if over:
        void(story, STANDSTILL, "house")
    return over


def _begin_anew(story: NoDrawStory) -> None:
    """33: the round goes on with its cards and full time."""
    playing = story.state.round
    if playing is None or playing.until is None:
        return
    if playing.phase == "betting":
        story.tell(AntesExtended(until=story.now + story.rules.timing.betting_ms))
    elif playing.phase == "deciding":
        ask(story, again=True)


def lapse(story: NoDrawStory) -> None:
    """A round that was stopped for too long is void (33), a session that was warned for long enough is over (42)."""
    _void_if_stopped(story)
    _void_if_interrupted(story)
    _end_warned(story, partial(ran_out, story))


def _deal(story: NoDrawStory) -> None:
    _void_if_stopped(story)
    playing = story.state.round
    if playing is None or playing.phase != "closed" or story.state.paused:
        return
    fresh = fresh_or_pause(story, Shuffle)
    if fresh is not None:
        deal_out(story, fresh)


def _void_if_stopped(story: NoDrawStory) -> None:
    playing = story.state.round
    if playing is not None and playing.phase == "closed" and story.state.paused and story.is_due(_clock(story.state)):
        void(story, STOPPED, "house")


def _end_idle(story: NoDrawStory, outage: bool) -> None:
    """Single player: invited and warned, and a minute later, if the house stood, the session is over (41.a, 42)."""
    _end_warned(story, partial(ran_out, story, outage=outage))
    for sitter in _sitters_between_rounds(story.state):
        if story.is_due(idle_due(story.rules, sitter)):
            invite_and_warn(story, sitter, "idle")


def _end_warned(story: NoDrawStory, over: Callable[[int | None], bool]) -> None:
    for sitter in _sitters_between_rounds(story.state):
        if is_warned(sitter) and over(idle_due(story.rules, sitter)):
            take_home(story, sitter, "inactivity")
            after_round(story)


def _sitters_between_rounds(state: NoDrawTable) -> list[IdleSitter]:
    """Time inside a running round does not count (reading of 41.a)."""
    if state.round is not None and state.round.phase != "betting":
        return []
    return [sitter for _, sitter in sorted(state.seats.items())]
