"""All tables, each folded version by version; a gap is ignored and said (journal 20)."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from libs.contracts.conduct_events import MessageSent
from libs.contracts.facts import Fact, HandEvent, TableEvent
from libs.contracts.table_events import PlayerLeft
from libs.contracts.versions import Accepted, accepts
from libs.views.records import Record, Records, fold_records
from libs.views.table import TableView, fold_table

MAX_MESSAGES = 50
MAX_RECALLS = 200
"""Players per table whose last hand is kept: who is there, or left within `GONE_MS`; the most recent ones."""
MAX_REMOVED = 10_000
GONE_MS = 1_200_000
"""How long (ms) who left a table still has something to do with it: twice the time in which a command may be repeated,
so that whoever asks again what was decided while they sat there gets that answer."""


@dataclass(slots=True)
class Table:
    """One table: its view, the round being recorded, and each player's last completed one."""

    view: TableView
    records: Records = field(default_factory=Records)
    """Of a table against the house; a hand of poker is its own record."""
    last: dict[str, Record] = field(default_factory=dict)
    last_completed: int = 0
    messages: deque[MessageSent] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    """Delivered ones, still sealed."""
    removed: dict[str, int] = field(default_factory=dict)
    """Whom staff took off the table, and when; the last ones."""
    gone: dict[str, int] = field(default_factory=dict)
    """Who left, lost a reservation or stopped waiting within `GONE_MS`, and when; the first one first."""


class KeptTable(msgspec.Struct, frozen=True, array_like=True):
    """A `Table` as it is kept for gateways that start later; each record stands there once, however many recall it."""

    view: TableView
    records: Records
    recalled: tuple[Record, ...]
    last: dict[str, int]
    """Player to the place of their record."""
    last_completed: int
    messages: tuple[MessageSent, ...]
    removed: dict[str, int]
    gone: dict[str, int]


_KEPT = msgspec.msgpack.Decoder(KeptTable)


@dataclass(slots=True)
class Tables:
    """Every table by id, and those whose events have a gap."""

    held: dict[str, Table] = field(default_factory=dict)
    listed: list[str] = field(default_factory=list)
    """Those that are not closed, by name."""
    gaps: set[str] = field(default_factory=set)

    def accept(self, table: str, event: Fact | None, version: int) -> Accepted:
        """Raises what the event breaks; the table stands at the event before it."""
        entry = self.held.get(table)
        accepted = accepts(entry.view.version if entry else 0, version)
        if accepted is Accepted.GAP:
            self.gaps.add(table)
        if accepted is not Accepted.YES:
            return accepted
        was_listed = entry is not None and entry.view.status != "closed"
        entry = entry or Table(TableView(table))
        before = entry.view
        try:
            _fold(entry, event, version)
        except Exception:
            entry.view = before  # it stands there, as before an event that is missing
            self.gaps.add(table)
            raise
        self.held[table] = entry
        if was_listed != (entry.view.status != "closed"):
            place = bisect_left(self.listed, table)
            self.listed[place : place + was_listed] = [] if was_listed else [table]
        self.gaps.discard(table)
        return Accepted.YES

    def kept(self, table: str) -> tuple[int, bytes]:
        """The version that is folded, and all that a gateway has to know to go on from it."""
        of = self.held[table]
        recalled = {id(record): record for record in of.last.values()}
        places = {record: place for place, record in enumerate(recalled)}
        last = {player: places[id(record)] for player, record in of.last.items()}
        whole = (of.view, of.records, tuple(recalled.values()), last, of.last_completed)
        kept = KeptTable(*whole, tuple(of.messages), of.removed, of.gone)
        return of.view.version, msgspec.msgpack.encode(kept)

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these tables at these versions. ValueError for what is none of them, and none is taken."""
        taken: dict[str, Table] = {}
        for table, version, state in kept:
            of = _KEPT.decode(state)
            if (of.view.table, of.view.version) != (table, version):
                raise ValueError("a kept view of something else")
            last = {player: of.recalled[place] for player, place in of.last.items()}
            messages = deque(of.messages, maxlen=MAX_MESSAGES)
            taken[table] = Table(of.view, of.records, last, of.last_completed, messages, of.removed, of.gone)
        self.held |= taken
        self.listed = sorted(table for table, entry in self.held.items() if entry.view.status != "closed")

    def listed_after(self, table: str, limit: int) -> list[TableView]:
        """Those that are not closed, by name; what it costs goes by `limit` and not by how many there are."""
        first = bisect_right(self.listed, table)
        return [self.held[each].view for each in self.listed[first : first + limit]]

    def version(self, table: str) -> int:
        entry = self.held.get(table)
        return entry.view.version if entry else 0

    def view(self, table: str) -> TableView | None:
        entry = self.held.get(table)
        return entry.view if entry else None

    def last_played(self, table: str, player: str) -> Record | None:
        """The player's last completed hand or round here, never the running one (pt-811-2015 65)."""
        entry = self.held.get(table)
        return entry.last.get(player) if entry else None

    def is_stranger(self, table: str, player: str, now: int) -> bool:
        """Whether the player certainly has nothing to do with the table, as of the version that is folded: no seat,
        reservation or place on the list, none within `GONE_MS` of `now` (ms), and no last hand."""
        entry = self.held.get(table)
        if entry is None or table in self.gaps:
            return False
        left = entry.gone.get(player)
        recently = left is not None and now - left < GONE_MS
        return not recently and player not in entry.last and player not in _people(entry.view)

    def removed_at(self, table: str, player: str) -> int | None:
        """When staff last took the player off the table (ms)."""
        entry = self.held.get(table)
        return entry.removed.get(player) if entry else None

    def messages(self, table: str) -> list[MessageSent]:
        """What players wrote and everybody at the table may read, oldest first."""
        entry = self.held.get(table)
        return list(entry.messages) if entry else []

    def recallable(self, table: str) -> tuple[set[int], int]:
        """Hands or rounds that somebody may still recall, and the number of the last completed one."""
        entry = self.held.get(table)
        if entry is None:
            return set(), 0
        return {record.number for record in entry.last.values()}, entry.last_completed


def _fold(entry: Table, event: Fact | None, version: int) -> None:
    before_it, entry.view = entry.view, fold_table(entry.view, event, version)
    if isinstance(event, TableEvent):
        _leave(entry, _people(before_it) - _people(entry.view), event.at)
    if isinstance(event, MessageSent):
        entry.messages.append(event)
    if isinstance(event, PlayerLeft) and event.reason == "removed":
        entry.removed.pop(event.player, None)
        entry.removed[event.player] = event.at
        if len(entry.removed) > MAX_REMOVED:
            del entry.removed[next(iter(entry.removed))]
    before = entry.records.record or before_it.hand
    if not isinstance(event, HandEvent):
        entry.records = fold_records(entry.records, event, version)
    record = entry.records.record or entry.view.hand
    if record is not None and record is not before and record.played:
        _complete(entry, record)


def _people(view: TableView) -> set[str]:
    seated = {seat.player for seat in view.seats.values()}
    return seated.union((each.player for each in view.waiting), view.offered.values())


def _leave(entry: Table, players: set[str], at: int) -> None:
    for player in players:
        entry.gone.pop(player, None)  # to the end
        entry.gone[player] = at
    while entry.gone and at - next(iter(entry.gone.values())) >= GONE_MS:
        player = next(iter(entry.gone))
        del entry.gone[player]
        if player not in _people(entry.view):
            entry.last.pop(player, None)  # the auditor has it: 23 kB each (issue 12, A1)


def _complete(entry: Table, record: Record) -> None:
    for player in record.players:
        entry.last.pop(player, None)  # to the end: the order is by recency
        entry.last[player] = record
    while len(entry.last) > MAX_RECALLS:
        del entry.last[next(iter(entry.last))]
    entry.last_completed = record.number
