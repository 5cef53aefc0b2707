"""What happened to the entrants of a tournament at one of its tables. Chips are counted and have no currency."""

from services.table.domain.table.events import Event


class EntrantEvent(Event, frozen=True, kw_only=True):
    tournament: str
    reservation: str
    player: str
    seat: int


class EntrantSeated(EntrantEvent, frozen=True, kw_only=True):
    chips: int


class EntrantEliminated(EntrantEvent, frozen=True, kw_only=True):
    """Without a chip left."""


class EntrantMoved(EntrantEvent, frozen=True, kw_only=True):
    """The chips go along, to `to_table`."""

    chips: int
    to_table: str


class EntrantFinished(EntrantEvent, frozen=True, kw_only=True):
    """Still in with these chips when the tournament ended."""

    chips: int


TournamentEvent = EntrantSeated | EntrantEliminated | EntrantMoved | EntrantFinished
