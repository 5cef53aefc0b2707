"""The story of one decision: each event is stamped and evolved at once, so that the next sees its effect."""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from msgspec.structs import force_setattr

from libs.contracts.configurations import Configuration
from libs.contracts.facts import TableEvent, taken
from libs.contracts.table_events import NoticeLifted
from libs.decider import Decided, Given
from libs.sealing.deck import ShuffledCards
from services.table.domain.games.game import Fresh, Game
from services.table.domain.table.evolve import evolve_in
from services.table.domain.table.state import Table

TableT_co = TypeVar("TableT_co", bound=Table, covariant=True)
RulesT_co = TypeVar("RulesT_co", bound=Configuration, covariant=True)
GameT_co = TypeVar("GameT_co", bound=Game, covariant=True)
Supply = Fresh | None
"""Fresh entropy; None for commands that may not draw, or when the source is unhealthy."""


class Story(Generic[TableT_co, RulesT_co, GameT_co]):
    """The events so far and the state after each, at a table of one game."""

    __slots__ = ("by", "deck", "events", "fresh", "game", "now", "role", "state", "states", "stood")

    def __init__(self, state: TableT_co, given: Given[Supply], game: GameT_co) -> None:
        self.state = state
        self.events: list[TableEvent] = []
        self.states: list[TableT_co] = []
        self.deck: ShuffledCards | None = None
        """What is sealed beside the events: the deck that starts with one of them."""
        self.now = given.now
        self.fresh = given.fresh
        self.stood = given.stood
        self.by = given.by.id
        """Id of who asks."""
        self.role = given.by.kind
        self.game = game

    def tell(self, event: TableEvent, deck: ShuffledCards | None = None) -> None:
        """Stamps time, table and the number of the running hand or round, evolves the state.

        `deck` starts with this event. A notice that the event lifts is told lifted first: nobody else has to guess.
        """
        force_setattr(event, "at", self.now)
        force_setattr(event, "table", self.state.table)
        numbered = event.numbered
        if numbered and not getattr(event, numbered):
            force_setattr(event, numbered, self.state.rounds)
        state = evolve_in(self.game, self.state, event)
        if type(event) is not NoticeLifted and (lifted := [*_lifted(self.state, state)]):
            for each in lifted:
                self.tell(each)
            state = evolve_in(self.game, self.state, event)
        if deck is not None:
            assert self.deck is None, "one decision starts one deck"
            self.deck = deck
            state = self.game.with_deck(state, deck)  # type: ignore[assignment]  # the game's own table
        self.state = state
        self.events.append(event)
        self.states.append(state)

    def is_due(self, time: int | None) -> bool:
        """Whether that moment, milliseconds since the epoch, has come; None never comes."""
        return time is not None and time <= self.now

    @property
    def decided(self) -> Decided[TableT_co, TableEvent]:
        return Decided(self.events, self.states, self.deck)

    @property
    def table(self) -> str:
        return self.state.table

    @property
    def rules(self) -> RulesT_co:
        return self.state.configuration  # type: ignore[return-value]  # a game's table has the game's configuration


def _lifted(before: Table, after: Table) -> Iterator[NoticeLifted]:
    """Notices (pt-811-2015 70, 71) of who is still seated that the fold of an event has ended."""
    if after.seats is before.seats:
        return
    for seat, sitter in before.seats.items():
        if sitter.notice is not None and (there := after.seats.get(seat)) is not None and there.notice is None:
            yield taken(NoticeLifted, sitter, reason=sitter.notice.reason)


AnyStory = Story[Any, Any, Any]
"""A story at a table of whichever game."""
