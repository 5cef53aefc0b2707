"""When something of a round falls due, and what is done then (pt-803-2015 14, 31 to 33, 35, 41, 42)."""

from collections.abc import Sequence

from libs.contracts.no_draw_poker_events import AntesExtended, HandsWarned
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.banked.idling import idle_due, is_warned
from services.table.domain.games.banked.rounds import opens_at, void
from services.table.domain.games.no_draw_poker.antes import close_betting, open_betting, surrender, take_home
from services.table.domain.games.no_draw_poker.dealing import ask, deal_out
from services.table.domain.games.no_draw_poker.finishing import finish_if_decided
from services.table.domain.games.no_draw_poker.state import NoDrawStory, NoDrawTable
from services.table.domain.table.after_round import after_round
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import invite_and_warn

STANDSTILL = "the house stood still"


def dues(state: NoDrawTable) -> Sequence[int | None]:
    """First milliseconds at which something is due. What arrives at a deadline is too late."""
    return [opens_at(state), _clock(state), *_idle(state)]


def _clock(state: NoDrawTable) -> int | None:
    playing = state.round
    if playing is None:
        return None
    if playing.phase == "closed":  # The deal follows at once; a table that may not deal gives the stakes back in time.
        return playing.alive_at if not state.paused else playing.alive_at + state.rules.timing.resume_ms
    return playing.until


def _idle(state: NoDrawTable) -> list[int | None]:
    """Time inside a running round does not count (reading of 41.a)."""
    if state.round is not None and state.round.phase != "betting":
        return []
    return [idle_due(state.rules, sitter) for sitter in state.seats.values()]


def wake(story: NoDrawStory, outage: bool, down_since: int | None = None) -> None:
    if outage:
        _after_standstill(story, down_since)
    else:
        tick(story)
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


def _after_standstill(story: NoDrawStory, down_since: int | None) -> None:
    """33: within the resume limit the round goes on with its cards and full time; after it, it is void."""
    playing, rules = story.state.round, story.rules
    if playing is None or (playing.phase == "betting" and playing.until is None):
        return  # A single player's ante waits for the player.
    since = playing.alive_at if down_since is None else max(down_since, playing.alive_at)
    if story.now - since >= rules.timing.resume_ms and story.state.in_round:
        void(story, STANDSTILL, "house")
    elif playing.phase == "betting":
        story.tell(AntesExtended(until=story.now + rules.timing.betting_ms))
    elif playing.phase == "deciding":
        ask(story, again=True)


def _deal(story: NoDrawStory) -> None:
    playing = story.state.round
    if playing is None or playing.phase != "closed":
        return
    if story.state.paused:
        if story.now - playing.alive_at >= story.rules.timing.resume_ms:
            void(story, "the table was stopped before the deal", "house")
        return
    fresh = fresh_or_pause(story, Shuffle)
    if fresh is not None:
        deal_out(story, fresh)


def _end_idle(story: NoDrawStory, outage: bool) -> None:
    """Single player: invited and warned, and a minute later, if the house stood, the session is over (41.a, 42)."""
    if story.state.round is not None and story.state.round.phase != "betting":
        return
    for _, sitter in sorted(story.state.seats.items()):
        if not story.is_due(idle_due(story.rules, sitter)):
            continue
        if is_warned(sitter) and not outage:
            take_home(story, sitter, "inactivity")
            after_round(story)
        else:
            invite_and_warn(story, sitter, "idle")
