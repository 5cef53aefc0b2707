"""What is remembered of any table: everything that decides, and nothing else. Values are shared, never changed.

So none can refer back to itself, and the garbage collector need not look at them (`gc=False`). A game extends `Table`
and, where it remembers more of a player, `Sitter`, in `domain/games/<game>/state.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from libs.contracts.configurations import AnyConfiguration, Configuration
from libs.contracts.table_events import LeaveReason, Notice
from services.table.domain.table.bank.state import BankOffice
from services.table.domain.table.floor.state import Floor

Status = Literal["new", "open", "closing", "closed"]


class Notified(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation to leave and, once `warned`, the warning after it (pt-811-2015 70, 71)."""

    reason: Notice
    warned: bool
    at: int
    round: int
    """Number of the last round started when it was given."""
    during_round: bool
    absent: int
    """Rounds missed in a row when it was given."""


class TopUp(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    amount: int
    stage: Literal["requested", "due", "funded"]


class Sitter(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A player on a seat."""

    seat: int
    player: str
    reservation: str
    stack: int
    out: Literal["", "player", "break", "timeout"] = ""
    break_until: int | None = None
    leaving: LeaveReason | None = None
    top_up: TopUp | None = None
    absent: int = 0
    """Rounds missed in a row, as the game counts them."""
    notice: Notified | None = None
    offline: bool = False
    """Known to have lost the connection."""
    away: bool = False
    """At a tournament table: not deciding, and dealt in all the same."""

    @property
    def is_out(self) -> bool:
        return bool(self.out) or self.away


class Reserved(msgspec.Struct, frozen=True, kw_only=True):
    reservation: str
    player: str
    seat: int
    amount: int
    until: int


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that waits for the running round to end."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str
    holds_from: int = 0


class Departure(msgspec.Struct, frozen=True):
    stack: int
    at: int


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """Running totals for the check that chips are neither made nor lost (`check.py`)."""

    brought: int = 0
    left: int = 0
    raked: int = 0
    owed: int = 0
    """Refunds of a void round to players who have left already, paid out by the next `PlayerLeft`."""
    tipped: int = 0
    """Tips, which have an account of their own (pt-217-2007 9.d)."""
    banked: int = 0
    """What the house has put into the table's bank, less what it has taken out."""


class Table(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`version` counts the events folded. `configuration` is there from `TableOpened` on, when the game takes over."""

    table: str
    version: int = 0
    status: Status = "new"
    paused: bool = False
    name: str = ""
    configuration: Configuration | None = None
    rulebook_hash: str = ""
    announced: Announced | None = None
    seats: Mapping[int, Sitter] = {}
    reserved: dict[str, Reserved] = {}
    used_ids: frozenset[str] = frozenset()
    """Reservations and top-ups ever named: they count once, for ever (journal 4b)."""
    departures: dict[str, Departure] = {}
    ended_at: int = 0
    """When the last round was over."""
    books: Books = Books()
    floor: Floor = Floor()
    """Lists, draws, conduct, messages: what goes on around the play."""
    office: BankOffice = BankOffice()
    """What waits for approval, and what the house risks."""
    bank: int = 0
    """Balance of the house's money at this table; nothing where players play each other."""

    @property
    def rules(self) -> Configuration:
        """The configuration of a table that has been opened."""
        assert self.configuration is not None, "a table has rules from its opening on"
        return self.configuration

    @property
    def rounds(self) -> int:
        """Number of the last round (hand, round, coup) started."""
        return 0

    @property
    def in_round(self) -> bool:
        """Whether a round runs: what has to wait for the time between rounds waits."""
        return False

    @property
    def in_play(self) -> int:
        """Chips that are neither in a stack nor in the bank: pot, stakes."""
        return 0

    @property
    def seats_in_round(self) -> Sequence[int]:
        """Seats of the running round, also of those who have left it."""
        return ()

    def is_bound(self, sitter: Sitter) -> bool:
        """Whether the running round has a claim on the sitter, who can't just go."""
        return False

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
