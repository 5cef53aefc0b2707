"""Poker at a tournament table: everybody with a chip is dealt in, whoever is away too, and nobody is sent home.

The hand is poker's own. What differs is what cash tables do with absence: no waiting for a blind, no invitation to
leave. The house acts at once for who is away (pt-810-2015 26, 27, 43).
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from msgspec.structs import replace

from libs.contracts.commands import OUTAGE_MS
from libs.contracts.facts import TableEvent, taken
from libs.contracts.poker_events import BetPlaced, HandEnded, HandStarted, HandVoided, PlayerChecked, PlayerFolded
from libs.contracts.table_events import (
    ConfigurationActivated,
    ConnectionLost,
    ConnectionRestored,
    PlayerSatIn,
    PlayerSatOut,
)
from libs.contracts.tournament_events import EntrantSeated, HandsAllowed, TableStood
from services.table.domain.games.game import Fold, then
from services.table.domain.games.poker.acting import act_for, asked_at, awaited, fold_for
from services.table.domain.games.poker.decide import hand_due
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.game import Poker
from services.table.domain.games.poker.progress import await_decision
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerStory


def _nobody_waits(before: PokerTable, state: PokerTable, event: TableEvent) -> PokerTable:
    """Everybody is dealt in and posts what falls on the seat; who has no chip waits until the tournament decides."""
    free = {"waiting": False, "newcomer": False, "owes_small": False, "owes_big": False, "short_since": None, "idle": 0}
    return replace(state, seats={seat: replace(sitter, **free) for seat, sitter in state.seats.items()})


def _bars_begin(before: PokerTable, state: PokerTable, event: HandEnded | HandVoided) -> PokerTable:
    """Who was excluded in the hand has played it to its end."""
    seats = {
        seat: replace(sitter, away=True) if sitter.barred is not None and not sitter.away else sitter
        for seat, sitter in state.seats.items()
    }
    return replace(state, seats=seats)


def _seen(before: PokerTable, state: PokerTable, event: BetPlaced | PlayerChecked | PlayerFolded) -> PokerTable:
    """Whoever decides is there."""
    sitter = state.seats.get(event.seat)
    if sitter is None or not sitter.unseen or getattr(event, "actor", "player") != "player":
        return state
    return replace(state, seats={**state.seats, event.seat: replace(sitter, unseen=False)})


class TournamentPoker(Poker):
    """Named as poker is: a snapshot and a configuration of it are poker's."""

    folds: ClassVar[Mapping[type[TableEvent], Fold]] = {
        **Poker.folds,
        HandStarted: then(Poker.folds[HandStarted], _nobody_waits),
        **{event: then(then(Poker.folds[event], _nobody_waits), _bars_begin) for event in (HandEnded, HandVoided)},
        **{event: then(Poker.folds[event], _seen) for event in (BetPlaced, PlayerChecked, PlayerFolded)},
    }

    def entrant(self, state: PokerTable, event: EntrantSeated) -> PokerSitter:
        return taken(
            PokerSitter, event, stack=event.chips, time_bank=state.rules.timing.time_bank_ms,
            away=event.away not in ("", "unseen"), unseen=event.away in ("unseen", "not_connected"),
            barred="excluded" if event.away == "excluded" else None,
        )  # fmt: skip

    def follow(self, state: PokerTable, event: TableEvent) -> PokerTable:
        after = super().follow(state, event)
        if isinstance(event, HandsAllowed):
            return replace(after, allowed=event.through, allowed_until=event.until)
        if isinstance(event, ConfigurationActivated):
            return _nobody_waits(state, after, event)
        if isinstance(event, PlayerSatOut | PlayerSatIn):
            away = isinstance(event, PlayerSatOut)
            unseen = isinstance(event, PlayerSatOut) and event.reason == "not_connected"
            sitter = replace(after.seats[event.seat], out="", out_at=None, break_until=None, away=away, unseen=unseen)
            return replace(after, seats={**after.seats, event.seat: sitter})
        if isinstance(event, ConnectionLost | ConnectionRestored) and not after.seats[event.seat].away:
            return replace(after, seats={**after.seats, event.seat: replace(after.seats[event.seat], unseen=False)})
        return after

    def connected(self, story: PokerStory, sitter: PokerSitter) -> None:
        """Who was not there at the start needs no more than this to be back (pt-810-2015 26)."""
        if sitter.away and sitter.unseen:
            story.tell(PlayerSatIn(player=sitter.player, seat=sitter.seat, posts_big_blind=False))

    def may_act(self, story: PokerStory, sitter: PokerSitter) -> bool:
        """Who is away has left the decision to the house."""
        return not sitter.away and super().may_act(story, sitter)

    def dues(self, state: PokerTable) -> Sequence[int | None]:
        return [*super().dues(state), _away_due(state)]

    def wake(self, story: PokerStory, outage: bool) -> None:
        before, asked = len(story.events), asked_at(story.state)
        super().wake(story, outage)
        if outage and asked is not None:
            _go_on(story, asked)
        _leave_to_the_house(story, story.events[before:])
        while _away_due(story.state) is not None:
            turn = running(story.state).turn
            assert turn is not None, "somebody's turn is due"
            sitter = story.state.seats[turn.seat]
            if sitter.barred == "disqualified":
                fold_for(story, sitter)
            else:
                act_for(story, turn, sitter.time_bank)
        if story.is_due(hand_due(story.state)) and story.is_due(story.state.allowed_until):  # or it is due for ever
            story.tell(HandsAllowed(tournament=story.rules.tournament, through=story.state.hands))

    def after_round(self, story: PokerStory) -> None:
        """Absence has no consequences here."""


def _go_on(story: PokerStory, asked: int) -> None:
    """The same turn has all its time once more, unless the hand is void by now, and the tournament's clock stood still
    (pt-810-2015 FP-15)."""
    since = max(asked, story.stood.since) if story.stood is not None else asked
    if story.now - since <= OUTAGE_MS:
        return
    if asked_at(story.state) == asked:
        await_decision(story, awaited(story.state).seat)
    story.tell(TableStood(tournament=story.rules.tournament, since=since, until=story.now))


def _away_due(state: PokerTable) -> int | None:
    """From when the decision of somebody who is away was awaited: the house acts at once."""
    turn = state.hand.turn if state.hand is not None else None
    if turn is None or not state.seats[turn.seat].away:
        return None
    return turn.until - state.rules.timing.decision_ms


def _leave_to_the_house(story: PokerStory, told: Sequence[TableEvent]) -> None:
    """Whose time has run out is away from then on (pt-810-2015 43)."""
    for event in told:
        if not isinstance(event, PlayerFolded | PlayerChecked) or event.reason != "timeout":
            continue
        sitter = story.state.seats.get(event.seat)  # gone, if with the hand the tournament ended
        if sitter is not None and not sitter.away:
            reason: Literal["timeout", "not_connected"] = "not_connected" if sitter.unseen else "timeout"
            story.tell(PlayerSatOut(player=event.player, seat=event.seat, reason=reason))
