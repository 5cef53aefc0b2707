"""Public events of draws by lot: seats among players, players among tables."""

from typing import Literal

from libs.contracts.facts import Part, Seat, TableEvent


class DrawnSeat(Part):
    player: str
    seat: Seat


class SeatsDrawn(TableEvent):
    """A draw of seats by lot; `waiting` are those for whom there was none, in the order in which they wait."""

    draw: int
    seats: list[DrawnSeat]
    waiting: list[str]
    generator: str
    by: str


class DrawnTable(Part):
    player: str
    suit: Literal["s", "h", "d", "c"] | None
    of_table: str


class TablesDrawn(TableEvent):
    """Who plays at which table, one card each: the suit decides (pt-217-2007 25)."""

    draw: int
    tables: list[str]
    cards: list[DrawnTable]
    generator: str
    by: str


class PlacesAssigned(TableEvent):
    """What a draw, or a change that was granted, at another table means for this one."""

    cards: list[DrawnTable]
    drawn_at: str


class TableChangeGranted(TableEvent):
    """The player may change to another table of the session (pt-217-2007 26)."""

    player: str
    to_table: str
