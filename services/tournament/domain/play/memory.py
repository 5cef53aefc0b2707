"""What a running tournament remembers: its tables, who sits where with how much, its clock, who is out.

What its events make of it stands in `services/tournament/domain/playing.py`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from rpds import HashTrieMap

from libs.contracts import tournaments_events as lives
from libs.contracts.tournament_events import Absence
from services.tournament.domain.play.clock import Clock
from services.tournament.domain.play.ranking import Bust
from services.tournament.domain.play.seating import Place, Seated

Lasting = HashTrieMap
"""What has a member for each entry. Persistent, so that seating two thousand players copies no two thousand maps."""
if TYPE_CHECKING:  # at run time it takes no parameters
    Chips = HashTrieMap[str, int]
    Places = HashTrieMap[str, Place]
    Names = HashTrieMap[str, str]
else:
    Chips = Places = Names = HashTrieMap


class AtTable(msgspec.Struct, frozen=True):
    """One table. Seats of who is on the way to it are taken."""

    entries: Mapping[int, str] = {}
    button: int = 0
    allowed: int = 0
    """Number of the last hand allowed."""
    until: int | None = None
    """From when on it may not begin."""
    gone: tuple[str, ...] = ()
    """Sittings of who went out here."""
    asked_at: int = 0
    """When it was last asked for something, milliseconds since the epoch."""
    begun: int = 0
    """Number of the last hand that we have heard the beginning of; it may be ahead of us."""
    ended: int = 0
    """Number of the last hand that is over."""
    owed: tuple[int, ...] = ()
    """Seats that have the button once more, after the time of a timed tournament is up."""
    pots: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    """Who had chips in each pot of the last hand and who won it, in their order; where there are bounties."""

    @property
    def between_hands(self) -> bool:
        """It waits for us: nothing begins there that is not allowed."""
        return self.ended == self.allowed

    @property
    def can_begin(self) -> bool:
        """A hand that it is allowed, for all that we have heard."""
        return self.allowed > self.begun and len(self.entries) > 1

    @property
    def seated(self) -> Seated:
        return Seated(self.entries, self.button)


class Play(msgspec.Struct, frozen=True):
    tables: Mapping[int, AtTable] = {}
    opened: int = 0
    """Tables ever opened."""
    stacks: Chips = Lasting()
    """By entry, after the last finished hand of its table."""
    granted: Mapping[str, int] = {}
    """Chips of these that were bought and that no hand has shown yet: the table may still have to add them."""
    places: Places = Lasting()
    """Where each entry sits, or is on the way to."""
    sittings: Names = Lasting()
    """By entry, at the table where it sits."""
    sitting_of: Names = Lasting()
    """Entry by sitting, all that ever were."""
    moving: Mapping[str, tuple[int, int]] = {}
    """Entries between two tables: the number of the old one, and when it was asked last (milliseconds)."""
    away: Mapping[str, Absence] = {}
    """By entry: who is not there, as the tables tell."""
    alarmed: bool = False
    """That everybody is away has been told, and nobody has come back."""
    disqualified: Mapping[str, str] = {}
    """By entry: by whom."""
    ordered: Mapping[str, int] = {}
    """By entry: the table that the staff want it at."""
    staff_moved: Mapping[str, int] = {}
    """By entry that the staff have moved: in which level last."""
    not_dealt: frozenset[str] = frozenset()
    """Entries that have moved and have not ended a hand since."""
    reminded: Mapping[int, int] = {}
    """By table, how often it was asked for the same once more."""
    heard_at: int = 0
    """When anything happened last, milliseconds since the epoch."""
    good_until: int = 0
    """Until when standstills have been made good, milliseconds since the epoch: several tables tell of one."""
    dealt: bool = False
    """Whether any hand has begun."""
    busts: tuple[Bust, ...] = ()
    """In the order in which their hands were over."""
    ranked: int = 0
    """So many of them have been told."""
    clock: Clock | None = None
    forward_ms: int = 0
    """How far the clock was set forward in all."""
    back_ms: int = 0
    """The same of back."""
    paused_at: int | None = None
    """Since when hands are only finished, milliseconds since the epoch."""
    first_waits: bool = False
    """The clock stands from when the first table waits; in pauses of before, from when no hand is played."""
    paused_by: str = ""
    restart: lives.RestartAnnounced | None = None
    """The end of the pause that everybody is told of."""
    alone: int = 0
    """Pauses that were ended by who had ordered them."""
    alone_ms: int = 0
    """So long the clock stood in them."""
    level: int = 0
    on_break: bool = False
    ended: int | None = None
    """When the time of a timed tournament was up, milliseconds since the epoch."""
    fixed: bool = False
    """No further entry: pool and prizes are known."""
    hand_for_hand: bool = False
    round: int = 0
    """Number of the last synchronised round begun."""
    paid: tuple[int, ...] = ()
    """Prizes by place, once they are fixed."""
    tickets: int = 0
    """So many of the first places win a ticket."""

    @property
    def time_up(self) -> bool:
        return self.ended is not None

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None or (self.clock is not None and self.clock.stopped is not None)

    @property
    def left(self) -> int:
        """Entries that have chips, or are not told to be out."""
        return len(self.places)

    @property
    def broke(self) -> tuple[Bust, ...]:
        """Without chips, and not told to be out."""
        return self.busts[self.ranked :]

    def not_shown(self, entry: str, before: int) -> int:
        """Of the chips granted, once a hand has begun with so many: what came too late for it."""
        granted = self.granted.get(entry, 0)
        return granted and self.stacks[entry] - before

    @property
    def floor(self) -> dict[int, Seated]:
        return {number: table.seated for number, table in self.tables.items()}

    @property
    def all_between_hands(self) -> bool:
        return all(table.between_hands for table in self.tables.values())

    @property
    def in_round(self) -> bool:
        """Of hand-for-hand, and a table has not ended its hand."""
        return self.hand_for_hand and self.round > 0 and not self.all_between_hands

    @property
    def leaving(self) -> list[str]:
        """Disqualified, and still at the table or on the way to it."""
        lost = {bust.entry for bust in self.broke}
        return [entry for entry in self.disqualified if entry in self.places and entry not in lost]

    def put_out_with(self, entry: str) -> int:
        """Chips that left play with who was disqualified; 0: has lost them, or has not gone yet."""
        return next((bust.stack for bust in self.busts if bust.entry == entry and bust.put_out), 0)

    def is_settled(self, number: int) -> bool:
        """Between hands, and everybody there who is to sit there."""
        table = self.tables[number]
        return table.between_hands and self.moving.keys().isdisjoint(table.entries.values())


def clock_of(play: Play) -> Clock:
    assert play.clock is not None, "a running tournament has a clock"
    return play.clock
