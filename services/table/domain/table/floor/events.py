"""What happens around the play. What players write stays sealed; only the gateway opens it, when it may be read."""

from typing import Literal

import msgspec

from services.table.domain.table.configuration import Kind as KindOfTable
from services.table.domain.table.events import Event
from services.table.domain.table.floor.state import Kind


class MessageSent(Event, frozen=True, kw_only=True):
    message: str
    player: str
    sealed: str


class MessageWithheld(Event, frozen=True, kw_only=True):
    """Written while a round runs: nobody gets it before that is over. `names_cards`: it looked like cards."""

    message: str
    player: str
    sealed: str
    round: int
    names_cards: bool = False


class MessageBlocked(Event, frozen=True, kw_only=True):
    """Never delivered."""

    message: str
    player: str
    sealed: str
    round: int
    reason: Literal["round_running", "muted"]
    names_cards: bool = False


class ConductWarned(Event, frozen=True, kw_only=True):
    """A measure: who warned whom, under which rule and why. `count` is the player's number of warnings in this game."""

    player: str
    rule: str
    cause: str
    by: str
    count: int
    grave: bool = False


class PlayerMuted(Event, frozen=True, kw_only=True):
    player: str
    by: str
    cause: str


class WaitingListJoined(Event, frozen=True, kw_only=True):
    entry: str
    player: str
    kind: Kind
    seat: int | None = None


class WaitingListLeft(Event, frozen=True, kw_only=True):
    entry: str
    player: str
    reason: Literal["player", "seated", "moved", "lapsed", "closed"]


class SeatOffered(Event, frozen=True, kw_only=True):
    """A seat is kept for the next on the list."""

    entry: str
    player: str
    seat: int
    until: int


class SeatChanged(Event, frozen=True, kw_only=True):
    player: str
    reservation: str
    from_seat: int
    to_seat: int


class DrawnSeat(msgspec.Struct, frozen=True):
    player: str
    seat: int


class SeatsDrawn(Event, frozen=True, kw_only=True):
    """A draw of seats by lot; `waiting` are those for whom there was none, in the order in which they wait."""

    draw: int
    seats: list[DrawnSeat]
    waiting: list[str]
    generator: str
    by: str


class DrawnTable(msgspec.Struct, frozen=True):
    player: str
    suit: Literal["s", "h", "d", "c"]
    of_table: str


class TablesDrawn(Event, frozen=True, kw_only=True):
    """Who plays at which table, one card each: the suit decides (pt-217-2007 25)."""

    draw: int
    tables: list[str]
    cards: list[DrawnTable]
    generator: str
    by: str


class PlacesAssigned(Event, frozen=True, kw_only=True):
    """What a draw at another table means for this one."""

    cards: list[DrawnTable]
    drawn_at: str


class TableChangeGranted(Event, frozen=True, kw_only=True):
    player: str
    to_table: str


class SessionStarted(Event, frozen=True, kw_only=True):
    number: int
    until: int


class SessionFeeDue(Event, frozen=True, kw_only=True):
    """To be taken from the player's account, not from the stack."""

    fee: str
    session: int
    player: str
    seat: int
    reservation: str
    amount: int
    currency: str
    kind: KindOfTable
    rulebook: str


class SessionEnded(Event, frozen=True, kw_only=True):
    number: int


class DealerTipped(Event, frozen=True, kw_only=True):
    """Out of the stack into the slot for tips: never part of a pot or of the commission (pt-217-2007 9.d)."""

    player: str
    seat: int
    reservation: str
    amount: int
    stack: int
    currency: str


class RestRefused(Event, frozen=True, kw_only=True):
    """Rested too often in this game: refused, and a warning (pt-217-2007 13)."""

    player: str
    seat: int
    rests: int


class GameResumed(Event, frozen=True, kw_only=True):
    """Enough players again within the time (pt-217-2007 24)."""

    players: int


FloorEvent = (
    MessageSent | MessageWithheld | MessageBlocked | ConductWarned | PlayerMuted | WaitingListJoined | WaitingListLeft
    | SeatOffered | SeatChanged | SeatsDrawn | TablesDrawn | PlacesAssigned | TableChangeGranted | SessionStarted
    | SessionFeeDue | SessionEnded | DealerTipped | RestRefused | GameResumed
)  # fmt: skip
