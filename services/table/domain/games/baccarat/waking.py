"""When something of a coup falls due, and what is done then (pt-812-2015 16, 27, 29, 35, 36)."""

from collections.abc import Sequence

from libs.sealing.shuffle import ShoeShuffle
from services.table.domain.games.baccarat.betting import lapse, open_betting, opens_at
from services.table.domain.games.baccarat.finishing import finish
from services.table.domain.games.baccarat.shoes import needs_shoe, start_shoe
from services.table.domain.games.baccarat.state import BaccaratTable, Coup
from services.table.domain.games.baccarat.story import BaccaratStory
from services.table.domain.games.baccarat.voiding import void
from services.table.domain.games.banked import idle_due, is_warned
from services.table.domain.table.after_round import after_round
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks, invite_and_warn, send_home

STANDSTILL = "the house stood still longer than the resume limit"


def dues(state: BaccaratTable) -> Sequence[int | None]:
    """First milliseconds at which something is due. What arrives at a deadline is too late."""
    return [opens_at(state), close_due(state), *(_idle_due(state, seat) for seat in state.seats)]


def close_due(state: BaccaratTable) -> int | None:
    """The betting closes at its deadline; a single player's stakes are dealt for him who can't any more (34)."""
    coup = state.coup
    if coup is None or coup.until is not None:
        return coup.until if coup is not None else None
    staker_goes = any(state.seats[seat].leaving is not None for seat in coup.stakes)
    return coup.alive_at if coup.stakes and (staker_goes or state.status == "closing") else None


def _idle_due(state: BaccaratTable, seat: int) -> int | None:
    """Time inside a running round does not count (reading of 35.a)."""
    sitter = state.seats[seat]
    return None if state.is_bound(sitter) else idle_due(state.rules, sitter)


def wake(story: BaccaratStory, down_since: int | None = None) -> None:
    """`down_since`: from when the house was down, where that is known."""
    supplied = wants_shoe(story.state)
    if story.is_due(close_due(story.state)):
        close(story, down_since)
    end_breaks(story)
    _end_idle(story)
    if story.is_due(opens_at(story.state)) and (supplied or not needs_shoe(story.state)):
        _open(story)


def wants_shoe(state: BaccaratTable) -> bool:
    """Whether a wake brings a new shoe; the one that ends a shoe's last coup does not, the next, due at once, does."""
    return needs_shoe(state) and opens_at(state) is not None


def close(story: BaccaratStory, down_since: int | None = None) -> None:
    """The bets are closed: dealt and paid, however late within the limit; void beyond it; nothing if nobody bet."""
    coup = story.state.coup
    assert coup is not None, "what closes is open"
    if not coup.stakes:
        lapse(story)
        after_round(story)
    elif story.now - _waiting_since(coup, down_since) >= coup.rules.timing.resume_ms:
        void(story, STANDSTILL, "house")
    else:
        finish(story)


def _waiting_since(coup: Coup, down_since: int | None) -> int:
    """From when a failure kept the coup: the standstill where it is known, or else the moment the deal was due (29)."""
    since = down_since if down_since is not None else coup.until
    return max(since, coup.alive_at) if since is not None else coup.alive_at


def _end_idle(story: BaccaratStory) -> None:
    """Single player: invited and warned, and a minute later the session is over (35.a, 36)."""
    for seat, sitter in sorted(story.state.seats.items()):
        if not story.is_due(_idle_due(story.state, seat)):
            continue
        if is_warned(sitter):
            send_home(story, seat, "inactivity")
            story.game.seats_changed(story)
        else:
            invite_and_warn(story, sitter, "idle")


def _open(story: BaccaratStory) -> None:
    """With a new shoe where one is due: its order is committed to before the first bet."""
    if needs_shoe(story.state):
        fresh = fresh_or_pause(story, ShoeShuffle)
        if fresh is None:
            return
        start_shoe(story, fresh)
    open_betting(story)
