"""All tables, each folded version by version; a gap is ignored and said (journal 20).

Those that are closed lie undecoded on disk: memory goes by what is open, and a start by what has not been quiet.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from libs.contracts.conduct_events import MessageSent
from libs.contracts.facts import Fact, HandEvent, TableEvent
from libs.contracts.table_events import PlayerLeft
from libs.contracts.versions import Accepted, accepts
from libs.telemetry import get_logger
from libs.views.records import Record, fold_records
from libs.views.table import TableView, fold_table
from services.gateway.views.kept_table import Table, front_in, slimmed, state_of, table_in
from services.gateway.views.undecoded import Undecoded

_log = get_logger(__name__)
MAX_RECALLS = 200
"""Players per table whose last hand is kept: who is there, or left within `GONE_MS`; the most recent ones."""
MAX_REMOVED = 10_000
GONE_MS = 1_200_000
"""How long (ms) who left a table still has something to do with it: twice the time in which a command may be repeated,
so that whoever asks again what was decided while they sat there gets that answer."""
FORGOTTEN_MS = 7 * 86_400_000
"""So long after its last event a closed table is known here (nothing follows a table's closing). The auditor has it."""


@dataclass(slots=True)
class Tables:
    """Every table by id, and those whose events have a gap."""

    held: dict[str, Table] = field(default_factory=dict)
    """Those that are not put by; whoever means any asks by name."""
    listed: list[str] = field(default_factory=list)
    """Those that are not closed, by name."""
    gaps: set[str] = field(default_factory=set)
    forgotten: Callable[[str], None] = field(default=lambda table: None, compare=False)
    """Nobody recalls anything of it any more."""
    _whole: dict[str, int] = field(default_factory=dict)
    """When the last event was (ms) of each that is put by and not slim."""
    _put_by: Undecoded = field(default_factory=Undecoded, compare=False)
    """Closed ones, each as it is kept."""

    def accept(self, table: str, event: Fact | None, version: int) -> Accepted:
        """Raises what the event breaks; the table stands at the event before it."""
        accepted = accepts(self.version(table), version)
        if accepted is Accepted.GAP:
            self.gaps.add(table)
        if accepted is not Accepted.YES:
            return accepted
        known = self._of(table)
        was_listed = known is not None and not known.closed
        entry = known or Table(TableView(table))
        before = entry.view
        try:
            _fold(entry, event, version)
        except Exception:
            entry.view = before  # it stands there, as before an event that is missing
            self.gaps.add(table)
            raise
        self._hold(table, entry)
        if was_listed == entry.closed:
            place = bisect_left(self.listed, table)
            self.listed[place : place + was_listed] = [] if was_listed else [table]
        self.gaps.discard(table)
        return Accepted.YES

    def _hold(self, table: str, entry: Table) -> None:
        self._whole.pop(table, None)
        if entry.closed:
            try:
                self._put_by.put(table, entry.view.version, state_of(entry), at=entry.at)
            except (OverflowError, TypeError, ValueError) as wrong:  # a number that no format holds: it stays at hand
                _log.error("a table can't be put by", stream=table, why=type(wrong).__name__)
            else:
                self.held.pop(table, None)
                self._whole[table] = entry.at
                return
        if table not in self.held:
            self._put_by.drop(table)
            self.held[table] = entry

    def _of(self, table: str) -> Table | None:
        """Decoded for whoever asks, if it is put by."""
        entry = self.held.get(table)
        if entry is None and (found := self._put_by.get(table)) is not None:
            entry = table_in(found[1])
        return entry

    def quiet(self, now: int) -> list[str]:
        """Closed ones whose last event was `GONE_MS` before `now` (ms), and that are not slim so far."""
        return [table for table, at in self._whole.items() if now - at >= GONE_MS]

    def kept(self, table: str, now: int = 0) -> tuple[int, bytes]:
        """The version that is folded, and all that a gateway has to know to go on from it; one that is quiet by `now`
        (ms) gets slim. KeyError: it is not known."""
        entry = self.held.get(table)
        if entry is not None:
            return entry.view.version, state_of(entry)
        if now - self._whole.get(table, now) >= GONE_MS:
            self._slim(table)
        found = self._put_by.get(table)
        if found is None:
            raise KeyError(table)
        return found

    def _slim(self, table: str) -> None:
        entry = self._of(table)
        if entry is not None:
            self._put_by.put(table, entry.view.version, state_of(slimmed(entry), slim=True), at=entry.at)
        del self._whole[table]
        self.forgotten(table)

    def over(self, now: int) -> list[str]:
        """Those that were closed for `FORGOTTEN_MS` at `now` (ms)."""
        return [table for table in self._put_by.until(now - FORGOTTEN_MS) if table not in self.gaps]

    def forget(self, table: str) -> None:
        """One of them."""
        self._put_by.drop(table)
        if self._whole.pop(table, None) is not None:
            self.forgotten(table)

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these tables at these versions: what is closed is put by. ValueError for what is none of them,
        and none is taken."""
        taken = [(table, version, front_in(state), state) for table, version, state in kept]
        if any((front.table, front.version) != (table, version) for table, version, front, _ in taken):
            raise ValueError("a kept view of something else")
        self.held |= {table: table_in(state) for table, _, front, state in taken if not front.closed}
        for table, version, front, state in taken:
            if front.closed:
                self._put_by.put(table, version, state, at=front.at)
                if not front.slim:
                    self._whole[table] = front.at
        self.listed = sorted(table for table, entry in self.held.items() if not entry.closed)

    def listed_after(self, table: str, limit: int) -> list[TableView]:
        """Those that are not closed, by name; what it costs goes by `limit` and not by how many there are."""
        first = bisect_right(self.listed, table)
        return [self.held[each].view for each in self.listed[first : first + limit]]

    def version(self, table: str) -> int:
        """0: it is not known."""
        entry = self.held.get(table)
        return entry.view.version if entry is not None else self._put_by.version(table)

    def is_closed(self, table: str) -> bool:
        entry = self.held.get(table)
        return entry.closed if entry is not None else self._put_by.version(table) > 0

    def view(self, table: str) -> TableView | None:
        entry = self._of(table)
        return entry.view if entry else None

    def last_played(self, table: str, player: str) -> Record | None:
        """The player's last completed hand or round here, never the running one (pt-811-2015 65)."""
        entry = self._of(table)
        return entry.last.get(player) if entry else None

    def is_stranger(self, table: str, player: str, now: int) -> bool:
        """Whether the player certainly has nothing to do with the table, as of the version that is folded: no seat,
        reservation or place on the list, none within `GONE_MS` of `now` (ms), and no last hand."""
        entry = self._of(table)
        if entry is None or table in self.gaps:
            return False
        left = entry.gone.get(player)
        recently = left is not None and now - left < GONE_MS
        return not recently and player not in entry.last and player not in _people(entry.view)

    def removed_at(self, table: str, player: str) -> int | None:
        """When staff last took the player off the table (ms)."""
        entry = self._of(table)
        return entry.removed.get(player) if entry else None

    def messages(self, table: str) -> list[MessageSent]:
        """What players wrote and everybody at the table may read, oldest first."""
        entry = self._of(table)
        return list(entry.messages) if entry else []

    def recallable(self, table: str) -> tuple[set[int], int]:
        """Hands or rounds that somebody may still recall, and the number of the last completed one."""
        entry = self.held.get(table)
        if entry is not None:
            return {record.number for record in entry.last.values()}, entry.last_completed
        found = self._put_by.get(table)
        if found is None:
            return set(), 0
        front = front_in(found[1])  # a start asks for each private deal of a day
        return set(front.hands), front.last_completed

    def cards_since(self, now: int) -> dict[str, int]:
        """Tables of which somebody may ask for cards that were dealt before `now` (ms), and since when; 0: any."""
        since = dict.fromkeys(self.gaps, 0)  # what stands goes on from an event that may come yet
        for table in (*self.held, *self._whole):
            if table not in since and (entry := self._of(table)) is not None:
                at = [record.started_at for record in entry.last.values()]
                running = entry.records.record or entry.view.hand
                if running is not None and running.number > entry.last_completed:
                    at.append(running.started_at)
                if at and min(at) < now:
                    since[table] = min(at)
        return since


def _fold(entry: Table, event: Fact | None, version: int) -> None:
    before_it, entry.view = entry.view, fold_table(entry.view, event, version)
    if isinstance(event, TableEvent):
        entry.at = max(entry.at, event.at)
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
