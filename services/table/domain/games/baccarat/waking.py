"""When something of a coup falls due, and what is done then (pt-812-2015 16, 27, 29, 35, 36)."""

from collections.abc import Callable, Sequence
from functools import partial

from libs.contracts.baccarat_events import CoupLapsed, ShoeStarted
from libs.contracts.facts import taken
from libs.contracts.table_events import STANDSTILL
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import ShoeShuffle, Shuffle
from services.table.domain.games.baccarat.decide import open_betting
from services.table.domain.games.baccarat.finishing import finish
from services.table.domain.games.baccarat.state import BaccaratStory, BaccaratTable, Coup
from services.table.domain.games.banked.evolve import running
from services.table.domain.games.banked.idling import idle_due, is_warned
from services.table.domain.games.banked.rounds import opens_at, void
from services.table.domain.table.after_round import after_round
from services.table.domain.table.closing import fresh_or_pause
from services.table.domain.table.departing import end_breaks, invite_and_warn, send_home
from services.table.domain.table.standstill import interrupted, ran_out


def dues(state: BaccaratTable) -> Sequence[int | None]:
    """First milliseconds at which something is due. What arrives at a deadline is too late."""
    return [opens_at(state), close_due(state), *(_idle_due(state, seat) for seat in state.seats)]


def close_due(state: BaccaratTable) -> int | None:
    """The betting closes at its deadline; a single player's stakes are dealt for him who can't any more (34)."""
    coup = state.round
    if coup is None or coup.until is not None:
        return coup.until if coup is not None else None
    staker_goes = any(state.seats[seat].leaving is not None for seat in coup.stakes)
    return coup.alive_at if coup.stakes and (staker_goes or state.status == "closing") else None


def _idle_due(state: BaccaratTable, seat: int) -> int | None:
    """Time inside a running round does not count (reading of 35.a)."""
    sitter = state.seats[seat]
    return None if state.is_bound(sitter) else idle_due(state.rules, sitter)


def wake(story: BaccaratStory, outage: bool) -> None:
    supplied = wants_shoe(story.state) and not isinstance(story.fresh, Shuffle)  # that one was for the waiting list
    if not _void_if_interrupted(story) and story.is_due(close_due(story.state)):
        close(story)
    end_breaks(story)
    _end_idle(story, outage)
    if story.is_due(opens_at(story.state)) and (supplied or not story.state.needs_shoe):
        _open(story)


def wants_shoe(state: BaccaratTable) -> bool:
    """Whether a wake brings a new shoe; the one that ends a shoe's last coup does not, the next, due at once, does."""
    return state.needs_shoe and opens_at(state) is not None


def close(story: BaccaratStory) -> None:
    """The bets are closed: dealt and paid, however late within the limit; no round if nobody bet."""
    coup: Coup = running(story.state)
    if not coup.stakes:
        story.tell(CoupLapsed())
        after_round(story)
    else:
        finish(story)


def _void_if_interrupted(story: BaccaratStory) -> bool:
    """29: the score was not determined within the limit."""
    over = interrupted(story, close_due(story.state))
    if over:
        void(story, STANDSTILL, "house")
    return over


def lapse(story: BaccaratStory) -> None:
    """A coup that lay for too long is void (29), a session that was warned for long enough is over (36)."""
    _void_if_interrupted(story)
    _end_warned(story, partial(ran_out, story))


def _end_idle(story: BaccaratStory, outage: bool) -> None:
    """Single player: invited and warned, and a minute later, if the house stood, the session is over (35.a, 36)."""
    _end_warned(story, partial(ran_out, story, outage=outage))
    for seat, sitter in sorted(story.state.seats.items()):
        if story.is_due(_idle_due(story.state, seat)):
            invite_and_warn(story, sitter, "idle")


def _end_warned(story: BaccaratStory, over: Callable[[int | None], bool]) -> None:
    for seat, sitter in sorted(story.state.seats.items()):
        if is_warned(sitter) and over(_idle_due(story.state, seat)):
            send_home(story, seat, "inactivity")
            story.game.seats_changed(story)


def _open(story: BaccaratStory) -> None:
    """With a new shoe where one is due: the whole order is sealed and committed to before the first bet on it."""
    if story.state.needs_shoe:
        fresh, dealing = fresh_or_pause(story, ShoeShuffle), story.rules.dealing
        if fresh is None:
            return
        assert fresh.shoe.decks == dealing.decks, "the shoe that was drawn is the one that the rules ask for"
        number, root = story.state.shoes + 1, deck_tree(fresh.shoe).root.hex()
        cards = {"cards": len(fresh.shoe.cards), "cut": dealing.cut_cards, "burned": list(range(dealing.burn_cards))}
        story.tell(taken(ShoeStarted, dealing, fresh, shoe=number, deck_root=root, **cards), deck=fresh.shoe)
    open_betting(story)
