"""What is remembered of a table: everything that decides, and nothing else. Values are shared, never changed."""

from typing import Literal

import msgspec

from services.table.domain.games.poker.state import Hand
from services.table.domain.table.configuration import Configuration
from services.table.domain.table.events import LeaveReason, Notice

Status = Literal["new", "open", "closing", "closed"]


class Notified(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation to leave and, once `warned`, its last word (pt-811-2015 70, 71)."""

    reason: Notice
    warned: bool
    at: int
    hand: int
    """Number of the last hand started when it was given."""
    during_hand: bool
    absent: int
    """Absent hands in a row when it was given."""


class TopUp(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    amount: int
    stage: Literal["requested", "due", "funded"]


class Sitter(msgspec.Struct, frozen=True, kw_only=True):
    """A player on a seat."""

    seat: int
    player: str
    reservation: str
    stack: int
    time_bank: int
    out: Literal["", "player", "break", "timeout"] = ""
    break_until: int | None = None
    waiting: bool = False
    """Missed a hand or came between hands: comes in with the big blind, or a free post (pt-811-2015 21)."""
    posts: bool = False
    leaving: LeaveReason | None = None
    top_up: TopUp | None = None
    absent: int = 0
    short_since: int | None = None
    notice: Notified | None = None


class Reserved(msgspec.Struct, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    amount: int
    until: int


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that waits for the running hand to end."""

    configuration: Configuration
    rulebook_hash: str
    by: str


class Departure(msgspec.Struct, frozen=True):
    stack: int
    at: int


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """Running totals for the check that chips are neither made nor lost (`check.py`)."""

    brought: int = 0
    left: int = 0
    raked: int = 0
    owed: int = 0
    """Refunds of a void hand to players who have left already, paid out by the next `PlayerLeft`."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """`version` counts the events folded. `configuration` is there from `TableOpened` on."""

    table: str
    version: int = 0
    status: Status = "new"
    paused: bool = False
    name: str = ""
    configuration: Configuration | None = None
    rulebook_hash: str = ""
    announced: Announced | None = None
    seats: dict[int, Sitter] = {}
    reserved: dict[str, Reserved] = {}
    used_ids: frozenset[str] = frozenset()
    """Reservations and top-ups ever named: they count once, for ever (journal 4b)."""
    departures: dict[str, Departure] = {}
    hand: Hand | None = None
    hands: int = 0
    """Number of the last hand started."""
    running: bool = False
    """Between the first hand of a start and the next suspension: the button rotates and is not drawn."""
    button: int = 0
    button_stays: bool = False
    """The last hand was void: it counts as not played (pt-811-2015 64)."""
    ended_at: int = 0
    books: Books = Books()

    @property
    def rules(self) -> Configuration:
        """The configuration of a table that has been opened."""
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    def sitter_of(self, player: str) -> Sitter | None:
        for sitter in self.seats.values():
            if sitter.player == player:
                return sitter
        return None

    def reserved_by(self, player: str) -> Reserved | None:
        for reserved in self.reserved.values():
            if reserved.player == player:
                return reserved
        return None

    def in_running_hand(self, sitter: Sitter) -> bool:
        """Dealt in and not folded."""
        if self.hand is None:
            return False
        player = self.hand.players.get(sitter.seat)
        return player is not None and player.reservation == sitter.reservation and not player.folded
