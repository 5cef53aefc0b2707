"""What one command causes, told event by event: each is folded at once, so that the next sees its effect."""

from libs.decider import Given
from libs.sealing.shuffle import Shuffle
from services.table.domain.table.configuration import Configuration
from services.table.domain.table.evolve import evolve
from services.table.domain.table.happenings import TableEvent
from services.table.domain.table.state import Table

Supply = Shuffle | None
"""Fresh entropy; None for commands that may not draw, or when the source is unhealthy."""


class Story:
    """The events so far and the state after them."""

    __slots__ = ("events", "fresh", "now", "state")

    def __init__(self, state: Table, given: Given[Supply]) -> None:
        self.state = state
        self.events: list[TableEvent] = []
        self.now = given.now
        self.fresh = given.fresh

    def tell(self, event: TableEvent) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)

    @property
    def table(self) -> str:
        return self.state.table

    @property
    def rules(self) -> Configuration:
        return self.state.rules
