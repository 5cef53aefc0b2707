"""Public events around the play at any table: lists, draws, sessions, conduct, messages.

`sealed` is what a player wrote, closed by the gateway: it alone opens it, for those who may read it and when they may.
Amounts are minor units of `currency`.
"""

from typing import Literal

from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, Moment, Part, Seat, TableEvent


class MessageSent(TableEvent):
    """A player's message, delivered to the table."""

    message: str
    player: str
    sealed: str


class MessageWithheld(TableEvent):
    """Written while a round runs: nobody gets it before that is over. `names_cards`: it looked like cards."""

    message: str
    player: str
    sealed: str
    round: int
    names_cards: bool = False


class MessageBlocked(TableEvent):
    """Written while a round runs, or by a muted player: it is never delivered."""

    message: str
    player: str
    sealed: str
    round: int
    reason: Literal["round_running", "muted"]
    names_cards: bool = False


class ConductWarned(TableEvent):
    """A measure: who warned whom, under which rule and why. `count` is the player's number of warnings in this game."""

    player: str
    rule: str
    cause: str
    by: str
    count: int
    grave: bool = False


class PlayerMuted(TableEvent):
    """Staff took the player's right to write at this table."""

    player: str
    by: str
    cause: str


class WaitingListJoined(TableEvent):
    """A player waits for a seat, or for another one."""

    entry: str
    player: str
    kind: Literal["entry", "seat_change"]
    seat: Seat | None = None


class WaitingListLeft(TableEvent):
    """A player is no longer on the list."""

    entry: str
    player: str
    reason: Literal["player", "seated", "moved", "lapsed", "closed"]


class SeatOffered(TableEvent):
    """A seat is kept for the next on the list."""

    entry: str
    player: str
    seat: Seat
    until: Moment


class SeatChanged(TableEvent):
    """A player moved to another seat of this table (pt-217-2007 12.a)."""

    player: str
    reservation: str
    from_seat: Seat
    to_seat: Seat


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
    suit: Literal["s", "h", "d", "c"]
    of_table: str


class TablesDrawn(TableEvent):
    """Who plays at which table, one card each: the suit decides (pt-217-2007 25)."""

    draw: int
    tables: list[str]
    cards: list[DrawnTable]
    generator: str
    by: str


class PlacesAssigned(TableEvent):
    """What a draw at another table means for this one."""

    cards: list[DrawnTable]
    drawn_at: str


class TableChangeGranted(TableEvent):
    """The player may change to another table of the session (pt-217-2007 26)."""

    player: str
    to_table: str


class SessionStarted(TableEvent):
    """An hour begins that is charged for (pt-217-2007 7.b, 74)."""

    number: int
    until: Moment


class SessionFeeDue(TableEvent):
    """To be taken from the player's account, not from the stack."""

    fee: str
    session: int
    player: str
    seat: Seat
    reservation: str
    amount: Chips
    currency: str
    kind: Kind
    rulebook: str


class SessionEnded(TableEvent):
    """An hour that was charged for is over (pt-217-2007 7.b, 74)."""

    number: int


class DealerTipped(TableEvent):
    """Out of the stack into the slot for tips: never part of a pot or of the commission (pt-217-2007 9.d)."""

    player: str
    seat: Seat
    reservation: str
    amount: Chips
    stack: Chips
    currency: str


class RestRefused(TableEvent):
    """Rested too often in this game: refused, and a warning (pt-217-2007 13)."""

    player: str
    seat: Seat
    rests: int


class GameResumed(TableEvent):
    """Enough players again within the time (pt-217-2007 24)."""

    players: int
