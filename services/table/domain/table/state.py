"""What is remembered of any table: everything that decides, and nothing else. Values are shared, never changed.

So none can refer back to itself, and the garbage collector need not look at them (`gc=False`). A game extends `Table`
and, where it remembers more of a player, `Sitter`, in `domain/games/<game>/state.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Self

import msgspec
from msgspec.structs import replace

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.bank_events import Direction
from libs.contracts.configurations import Configuration
from libs.contracts.table_events import LeaveReason, Notice
from libs.contracts.tournament_events import Bar

Status = Literal["new", "open", "closing", "closed"]


USED_KEPT = 1_000


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


class TopUp(msgspec.Struct, frozen=True):
    id: str
    amount: int
    stage: Literal["requested", "due", "funded"]


class Sitter(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A player on a seat."""

    seat: int
    player: str
    reservation: str
    stack: int
    out: Literal["", "player", "break", "timeout", "fee_unpaid", "not_connected"] = ""
    out_at: int | None = None
    """Since when the player sits out."""
    sat_out_ms: int = 0
    """How long the player has sat out between rounds, up to the last return; a game may begin anew."""
    break_until: int | None = None
    leaving: LeaveReason | None = None
    top_up: TopUp | None = None
    uncharged: int = 0
    """Commission on what the player has brought that was rounded off, in ten-thousandths of a minor unit."""
    absent: int = 0
    """Rounds missed in a row, as the game counts them."""
    notice: Notified | None = None
    lifted_at: int | None = None
    """When a warning for betting nothing was first taken off, since the last invitation or bet that stood."""
    offline: bool = False
    """Known to have lost the connection."""
    away: bool = False
    """At a tournament table: not deciding, and dealt in all the same."""
    unseen: bool = False
    """At a tournament table: has not been there since the start, so that a connection ends an absence."""
    barred: Bar | None = None
    """At a tournament table: away to the end, if excluded in a hand, from the end of that one on."""
    bought: tuple[tuple[str, int], ...] = ()
    """Payments and their chips, which come when the running hand of a tournament is over."""

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
    protected: int = 0
    """So often the clock had left the player's hand all-in: who comes back at once goes on from there."""
    seat: int = 0
    """Where the player sat; 0: of before that was kept."""
    owes_small: bool = False
    owes_big: bool = False
    """Blinds that went past the player, or past the seat since."""
    moved: bool = False
    """Had moved past a blind, and waited for the next big one."""
    due_big: bool = False
    """Was next to have the big blind when the table stopped for want of players."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """One wish for a seat, in the order of asking. `seat` is the one wished for; None: any."""

    entry: str
    player: str
    kind: Literal["entry", "seat_change"]
    at: int
    seat: int | None = None
    offered: int | None = None
    """Seat that is kept for the player until `until`."""
    until: int | None = None


LATELY_MS = 3_600_000
"""How long it is remembered that a kept seat was let go by."""


class WaitingList(msgspec.Struct, frozen=True, kw_only=True):
    entries: tuple[Waiting, ...] = ()
    touched: int = 0
    """When seats or the list last changed: offers are due from then on."""
    draws: int = 0
    """Number of the last draw by lot."""
    lapsed: Mapping[str, int] = {}
    """Player to when a kept seat was last let go by, of late."""
    places: Mapping[str, str] = {}
    """Player to table, where a draw of suits has assigned it (pt-217-2007 25)."""
    drawn_by: str = ""
    """Who called the last draw of suits here; empty: nobody has, or it was in a snapshot of before that was kept."""

    def entry_of(self, player: str) -> Waiting | None:
        return next((each for each in self.entries if each.player == player), None)

    def offered_seats(self) -> dict[int, str]:
        """Seats that are kept, and for whom."""
        return {each.offered: each.player for each in self.entries if each.offered is not None}


class UsedIds(msgspec.Struct, frozen=True):
    """Ids that count once (journal 4b), the last thousand of them at the least.

    Older ones can't come again: the gateway makes an id of a command that has long expired by then (journal 13), and
    the wallet knows every sitting and top-up that is over. With all of them a table would grow for ever.
    """

    recent: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()

    def __contains__(self, used: object) -> bool:
        return used in self.recent or used in self.before

    def __len__(self) -> int:
        return len(self.recent) + len(self.before)

    def and_(self, used: str) -> "UsedIds":
        if len(self.recent) < USED_KEPT:
            return UsedIds(self.recent | {used}, self.before)
        return UsedIds(frozenset({used}), self.recent)


class Withheld(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits for the end of the round. It is sealed: this service can't read it."""

    message: str
    player: str
    sealed: str


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    withheld: tuple[Withheld, ...] = ()
    used: UsedIds = UsedIds()
    """Of messages."""
    muted: frozenset[str] = frozenset()
    blocked: Mapping[str, int] = {}
    """Blocked messages of each player in `blocked_in`, a round."""
    blocked_in: int = 0


class Conduct(msgspec.Struct, frozen=True, kw_only=True):
    """Of each player in this game."""

    warnings: Mapping[str, int] = {}
    """Warnings (pt-217-2007 58)."""
    slow: Mapping[str, int] = {}
    """Warnings for slow play (pt-217-2007 71.a)."""
    rests: Mapping[str, int] = {}
    """How often the player has rested (pt-217-2007 13)."""


class BankChange(msgspec.Struct, frozen=True, kw_only=True):
    """Asked for by one of the staff; another has to approve it."""

    direction: Direction
    amount: int
    by: str


class AskedConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """Asked for by one of the staff; another has to approve it."""

    configuration: AnyConfiguration
    rulebook_hash: str
    by: str


class AskedVoid(msgspec.Struct, frozen=True, kw_only=True):
    """Asked for by one of the staff, of this round and no other."""

    round: int
    by: str


class BankOffice(msgspec.Struct, frozen=True, kw_only=True):
    risk_limit: int = 0
    pending: dict[str, BankChange] = {}
    alarmed: bool = False
    """An alarm was raised and no money has come since."""
    alone_asked: int = 0
    """Said by who opened; it is `alone_up_to` once another one has approved the opening."""
    alone_up_to: int = 0
    alone: int = 0
    """What one of the staff has moved without another since two last agreed, in whatever direction."""
    configuration: AskedConfiguration | None = None
    asked_version: int = 0
    """Of the last configuration that was asked for: a version means one configuration, for ever."""


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """Running totals for the check that chips are neither made nor lost (`evolve.py`)."""

    brought: int = 0
    left: int = 0
    raked: int = 0
    owed: int = 0
    """Refunds of a void round to players who have left already, paid out by `RefundSent`."""
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
    used_ids: UsedIds = UsedIds()
    """Of reservations, top-ups, entries of the waiting list, changes of the bank."""
    departures: dict[str, Departure] = {}
    ended_at: int = 0
    """When the last round was over."""
    books: Books = Books()
    waiting: WaitingList = WaitingList()
    chat: Chat = Chat()
    conduct: Conduct = Conduct()
    office: BankOffice = BankOffice()
    """What waits for approval, and what the house risks."""
    void_asked: AskedVoid | None = None
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

    def departed(self, player: str, now: int) -> Departure | None:
        """With what and when the player left, where who comes back `now` has to bring it."""
        departure = self.departures.get(player)
        late = departure is None or now - departure.at > self.rules.timing.reentry_ms
        return None if late else departure

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

    @property
    def free_seats(self) -> list[int]:
        """Ascending. The seat of somebody who left during the running round is free when that is over.

        One that is announced to go is none to sit down on.
        """
        taken = {*self.seats, *(reserved.seat for reserved in self.reserved.values()), *self.seats_in_round}
        played = self.rules.played_seats
        if self.announced is not None:
            played = min(played, self.announced.configuration.seats)
        return [seat for seat in range(1, played + 1) if seat not in taken]

    def with_sitter(self, sitter: Sitter) -> Self:
        return replace(self, seats={**self.seats, sitter.seat: sitter})

    def without_seat(self, seat: int) -> Self:
        return replace(self, seats={number: sitter for number, sitter in self.seats.items() if number != seat})
