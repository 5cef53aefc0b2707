"""What one command causes, told event by event: each is folded at once, so that the next sees its effect."""

from typing import Any, Generic, TypeVar

from libs.decider import Given
from services.table.domain.games.game import Fresh, Game
from services.table.domain.table.configuration import Configuration
from services.table.domain.table.events import Event
from services.table.domain.table.folding import fold
from services.table.domain.table.state import Table

TableT = TypeVar("TableT", bound=Table)
RulesT_co = TypeVar("RulesT_co", bound=Configuration, covariant=True)
Supply = Fresh | None
"""Fresh entropy; None for commands that may not draw, or when the source is unhealthy."""


class Story(Generic[TableT, RulesT_co]):
    """The events so far and the state after them, at a table of one game."""

    __slots__ = ("events", "fresh", "game", "now", "state")

    def __init__(self, state: TableT, given: Given[Supply], game: Game) -> None:
        self.state = state
        self.events: list[Event] = []
        self.now = given.now
        self.fresh = given.fresh
        self.game = game

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self.state = fold(self.game, self.state, event)

    @property
    def table(self) -> str:
        return self.state.table

    @property
    def rules(self) -> RulesT_co:
        return self.state.rules  # type: ignore[return-value]  # a game's table has the game's configuration


AnyStory = Story[Any, Any]
"""A story at a table of whichever game."""
