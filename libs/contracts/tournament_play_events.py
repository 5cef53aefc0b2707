"""Public events of a running tournament: what it decides about its tables, and what it has heard of them.

Tables are named by their number (`libs/contracts/tournament_tables.py`), from 1.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import Values
from libs.contracts.facts import Moment, Part, Seat, TournamentEvent
from libs.contracts.tournament_events import Absence
from libs.contracts.tournaments import Chips, Money
from libs.contracts.tournaments_events import TournamentMoney

TableNumber = Annotated[int, msgspec.Meta(ge=1, description="number of a table in its tournament: 1, 2, 3 …")]
HandNumber = Annotated[int, msgspec.Meta(ge=0, description="number of the hand at its table: 1, 2, 3 …; 0: none yet")]
Place = Annotated[int, msgspec.Meta(ge=1, description="place: 1 is the winner")]


class StartDrawn(TournamentEvent):
    """The start draw: who sits where follows, table by table (39)."""

    generator: str
    """Name and version of the random generator."""
    tables: int
    clock_from: Moment
    """When the first level began: the hour set for the start."""


class TableSetUp(TournamentEvent):
    """The tournament opens a table."""

    table: TableNumber
    rulebook: str
    configuration: Values
    """At the level of the time."""


class EntryAt(TournamentEvent):
    """An entry and a seat. `sitting` names its time there, once for ever."""

    entry: str
    player: str
    table: TableNumber
    seat: Seat
    sitting: str


class EntrySeated(EntryAt):
    """At the start, late, or from another table with the chips brought along."""

    chips: Chips
    away: Absence = ""


class ChipsGranted(EntryAt):
    """Bought and paid: the table adds them between hands (FP-2, FP-3)."""

    payment: str
    chips: Chips


class RebuyOffered(TournamentEvent):
    """Without chips, and still in: a rebuy or an add-on may be bought until then. Who goes out later has no place
    before that is decided (31)."""

    entry: str
    player: str
    until: Moment
    """As the clock stands: where the window ends first, time made good makes it later; a pause does not."""


class RebuyDeclined(TournamentEvent):
    """Nothing is bought: out, with the hand in which the chips were lost (31, 44)."""

    entry: str
    player: str
    reason: Literal["asked", "time"]


class EntryMoves(EntryAt):
    """Away from this seat, with all chips, to one drawn by lot (48); by order of the staff to one as far from the big
    blind."""

    to_table: TableNumber
    to_seat: Seat
    reason: Literal["balance", "broken_table", "final_table", "staff"]
    generator: str


class MoveLapsed(TournamentEvent):
    """What the staff had ordered can't be done by now: the tables have changed."""

    entry: str
    player: str


class ChipsOutOfPlay(EntryAt):
    """A disqualified entrant's, once the hand was over (FP-16)."""

    chips: Chips


class AbsenceHeard(TournamentEvent):
    """A table tells that somebody is away, or back (26, 27, 43)."""

    entry: str
    player: str
    away: Absence


class EverybodyAway(TournamentEvent):
    """Nobody who is still in decides any more: the house plays all stacks, and the staff look at it."""

    left: int


class EntryEliminated(EntryAt):
    """Out, without chips. From `first` to `last`: tied in all these places (51)."""

    hand: HandNumber
    first: Place
    last: Place
    disqualified: bool = False


class TableBroken(TournamentEvent):
    """Nobody sits there any more."""

    table: TableNumber
    cancelled: bool = False
    """With the whole tournament: a hand that runs there is void (36.b)."""


class LevelBegan(TournamentEvent):
    """From the next hand on (45, 46)."""

    level: Annotated[int, msgspec.Meta(ge=1)]
    began: Moment
    """By the tournament's clock."""
    configuration: Values
    """Of every table, as its rulebook takes it."""
    tables: list[TableNumber]


class BreakBegan(TournamentEvent):
    """Running hands are finished, none begins before its end (FP-14)."""

    after_level: Annotated[int, msgspec.Meta(ge=1)]
    began: Moment
    until: Moment


class Orbit(Part):
    table: TableNumber
    seats: list[Seat]
    """Of everybody who has the button once more."""


class TimeUp(TournamentEvent):
    """Of a timed tournament: the running hands, then one more orbit at each table, then the ranking by chips (52).

    No new level, no balancing from here on.
    """

    ended: Moment
    """By the tournament's clock."""
    orbits: list[Orbit]


class HandDue(Part):
    table: TableNumber
    hand: HandNumber


class HandsReleased(TournamentEvent):
    """These tables may begin these hands, before `until`."""

    hands: list[HandDue]
    until: Moment | None = None
    """The end of the level; null: there is none."""
    round: int = 0
    """Of hand-for-hand: all these hands count as one (reading of 50); 0: each for itself."""


class HandsHeld(TournamentEvent):
    """A hand that was released and has not begun waits: chips that are being paid for lie there then (FP-2)."""

    table: TableNumber


class ClockMadeGood(TournamentEvent):
    """The house stood still, and the clock with it: since what was heard last, or the end of a break, or as one of the
    tables tells (FP-15)."""

    since: Moment
    ms: int


class SittingDue(Part):
    sitting: str
    player: str
    seat: Seat
    chips: Chips
    away: Absence = ""


class MoveDue(Part):
    sitting: str
    to_table: TableNumber


class OrdersRepeated(TournamentEvent):
    """A table does not do what it was asked: asked once more, for commands lapse where nobody takes them in time."""

    table: TableNumber
    rulebook: str
    configuration: Values
    seats: list[SittingDue]
    """Of everybody who is to sit there."""
    gone: list[str]
    """Sittings of who is out."""
    moves: list[MoveDue]
    """Of who is to leave it."""
    through: HandNumber
    """Number of the last hand allowed."""
    until: Moment | None = None
    broken: bool = False
    disqualified: list[str] = []
    """Sittings of who is to be taken off after the hand."""


class HandDealt(TournamentEvent):
    """A table tells that a hand has begun."""

    table: TableNumber
    hand: HandNumber
    button: Seat
    began: Moment = 0
    """By the table's clock; 0: when it was told. From a timed tournament's end on it is of the last orbit (52)."""


class PotWon(TournamentEvent):
    """A table tells who won a pot; only where that decides a bounty (FP-6)."""

    table: TableNumber
    hand: HandNumber
    entries: list[str]
    """Who had chips in it and had not folded."""
    winners: list[str]


class StackAfter(Part):
    entry: str
    before: Chips
    """At the start of the hand, blinds and antes included (reading of 50)."""
    chips: Chips
    """With what was bought while the hand ran."""


class HandFinished(TournamentEvent):
    """A table tells that a hand is over and paid; a void one changes no stack (FP-15)."""

    table: TableNumber
    hand: HandNumber
    stacks: list[StackAfter]
    void: bool = False


class HandForHandBegan(TournamentEvent):
    """Each table finishes its hand, then all begin together (49)."""

    left: int
    paid: int
    """Places with a prize."""


class HandForHandEnded(TournamentEvent):
    """The tables play on, each for itself."""

    left: int


class PrizesFixed(TournamentMoney):
    """No further entry is possible: pool and prizes are known (FP-18)."""

    entries: int
    pool: Money
    amount: Money
    """Part of the pool that the house adds, up to the guarantee."""
    prizes: list[Money]
    """By place, the first one first; 0 where the prize is a ticket alone."""
    tickets: int = 0
    """So many of the first places win a ticket (32)."""


class GuaranteeReturned(TournamentMoney):
    """What the house had added goes back to it: the tournament is cancelled (reading of 36.b)."""

    amount: Money


class Result(Part):
    """One line of the result; equal places are tied."""

    entry: str
    player: str
    first: Place
    last: Place
    prize: Money
    ticket: Money = 0
    """What the ticket is worth that was won."""


class TournamentCompleted(TournamentEvent):
    """One has all chips (52). For good (FP-20)."""

    results: list[Result]
    """The winner first."""
    tables: list[TableNumber]
    """That were still open."""
