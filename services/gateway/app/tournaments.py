"""Every tournament by its public events, each folded version by version; a gap is ignored and said (journal 20).

Those that are over, and have been quiet for a day, lie undecoded on disk (`services/gateway/views/put_by.py`): what a
list costs goes by its page, and what a start costs by what goes on.
"""

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.versions import Accepted, accepts
from libs.edge.problems import Problem
from libs.telemetry import get_logger
from libs.views.tournament import UNPUBLISHED, TournamentView, fold_tournament
from libs.views.tournament_accounts import lines_of
from services.gateway.views.put_by import OVER, PutBy, kept_in, kept_of, lists_of, tournament_row, view_in

_log = get_logger(__name__)
RESULT_S = 5.0
MAX_PAGES = 500
"""Kept as they were written, the oldest going first; one of thousands of entrants has some 200 kB."""
MAX_RESULTS = 100
"""Likewise of texts that few ask for, and some 500 kB each."""
QUIET_MS = 86_400_000
"""So long after its last event one that is over is at hand, by the newest event of all."""
FORGOTTEN_MS = 92 * 86_400_000
"""So long after its last event one that is over is known here: three months. Whoever asks later asks the auditor."""
MAX_LOADED = 20
"""Decoded ones that are put by, the oldest going first; one of thousands of entrants has some 10 MB."""
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


@dataclass(slots=True)
class Tournaments:
    held: dict[str, TournamentView] = field(default_factory=dict)
    """Those that are not put by; whoever means any asks `view`."""
    gaps: set[str] = field(default_factory=set)
    tell: Callable[[str], None] = lambda tournament: None
    """Whoever watches it."""
    _pages: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The page of each version that was shown last."""
    _results: dict[tuple[str, str], tuple[int, float, str]] = field(default_factory=dict)
    """By tournament and format: what was written last, of which version, and when (the clock of `monotonic`)."""

    _listed: dict[str, list[str]] = field(default_factory=dict)
    """What is held: by status, and by `player/` and player whose money or ticket is or was in it: names in their order.
    Anybody may ask for the lobby, as often as they like."""
    _over: dict[str, int] = field(default_factory=dict)
    """When the last event of each that is over and held was (ms, UTC), about in that order."""
    _newest: int = 0
    """When the newest event was (ms, UTC)."""
    _put_by: PutBy = field(default_factory=PutBy, compare=False)
    _loaded: dict[str, TournamentView] = field(default_factory=dict, compare=False)
    """Of those that are put by."""

    def __post_init__(self) -> None:
        self._listed.clear()
        for name, view in sorted(self.held.items()):
            for of in lists_of(view):
                self._listed.setdefault(of, []).append(name)

    def on_events(self, events: Sequence[tuple[PublicEvent, Fact | None]]) -> None:
        """Events of one tournament in their order."""
        for event, fact in events:
            accepted = accepts(self.version(event.stream), event.version)
            if accepted is Accepted.GAP:
                self.gaps.add(event.stream)
                _log.error("gap in public events", stream=event.stream, version=event.version)
            elif accepted is Accepted.YES:
                try:
                    view = fold_tournament(self.view(event.stream) or TournamentView(event.stream), fact, event.version)
                except Exception as wrong:  # whatever breaks: the others are in the same reader
                    self.gaps.add(event.stream)
                    of = {"stream": event.stream, "version": event.version}
                    _log.error("no view of an event", **of, error=type(wrong).__name__)
                    continue
                self._hold(view, fact, event.time)
                self.gaps.discard(event.stream)
                self.tell(event.stream)
        self._put_quiet_by()

    def _hold(self, view: TournamentView, fact: Fact | None, at: int) -> None:
        """As it is after that event."""
        name, before = view.tournament, self.held.get(view.tournament)
        if before is not None:
            self._list(before, view, fact)
        else:
            self._loaded.pop(name, None)
            self._put_by.drop(name)
            for of in lists_of(view):
                self._place(of, name, True)
        self.held[name] = view
        self._newest = max(self._newest, at)
        self._over.pop(name, None)
        if view.status in OVER:
            self._over[name] = at

    def _put_quiet_by(self) -> None:
        """Two at the most, so that no event waits for many of them."""
        for name, at in list(islice(self._over.items(), 2)):
            if self._newest - at <= QUIET_MS:
                return
            view = self.held[name]
            try:
                _, state = self.kept(name)
            except (OverflowError, TypeError, ValueError) as wrong:  # a number that no format holds: it stays at hand
                _log.error("a tournament can't be put by", stream=name, why=type(wrong).__name__)
                state = b""
            del self._over[name]
            if not state or name in self.gaps or view.definition is None:
                continue  # its next event makes it wait for another day
            self._put_by.put_kept(kept_in(state), state)
            del self.held[name]
            for of in lists_of(view):
                self._place(of, name, False)

    def _list(self, before: TournamentView, view: TournamentView, fact: Fact | None) -> None:
        """After an event: where it stands, and under whose name, if that changed."""
        name = view.tournament
        if before.status != view.status and view.definition is not None:
            self._place(before.status, name, False)
            self._place(view.status, name, True)
        told_of = {player for player, _ in lines_of(fact)} if fact is not None else set()
        for player in told_of | {getattr(fact, "player", "")}:
            self._place(f"player/{player}", name, any(player in each for each in view.by_player))

    def _place(self, of: str, name: str, listed: bool) -> None:
        names = self._listed.setdefault(of, [])
        place = bisect_left(names, name)
        there = names[place : place + 1] == [name]
        if there != listed:
            names[place : place + there] = [name] if listed else []
        if not names:
            del self._listed[of]

    def version(self, tournament: str) -> int:
        """Up to which it is folded; 0: it is not known."""
        view = self.held.get(tournament)
        return view.version if view is not None else self._put_by.version(tournament)

    def view(self, tournament: str) -> TournamentView | None:
        """Decodes what is put by."""
        view = self.held.get(tournament) or self._loaded.get(tournament)
        if view is None and (found := self._put_by.get(tournament)) is not None:
            view = view_in(kept_in(found[1]))
            _keep(self._loaded, tournament, view, MAX_LOADED)
        return view

    def names(self, after: str, limit: int, *of: str) -> list[str]:
        """Those of these statuses, or of one player (`player/` and the id), by name; what it costs goes by `limit` and
        not by how many there are."""
        found: list[str] = []
        for each in of:
            names = self._listed.get(each, [])
            first = bisect_right(names, after)
            found += names[first : first + limit]
            found += self._put_by.names(each, after, limit)
        return sorted(found)[:limit]

    def row(self, tournament: str) -> bytes:
        """JSON of one that is listed by its status; nothing is decoded for it."""
        view = self.held.get(tournament)
        return msgspec.json.encode(tournament_row(view)) if view is not None else self._put_by.line(tournament)

    def quiet(self, now: int) -> list[str]:
        """None: all of one that is over may be asked at any time."""
        return []

    def over(self, now: int) -> list[str]:
        """Those that were over and quiet for `FORGOTTEN_MS` at `now` (ms)."""
        return [name for name in self._put_by.until(now - FORGOTTEN_MS) if name not in self.gaps]

    def forget(self, tournament: str) -> None:
        """One of them."""
        self._put_by.drop(tournament)
        self._loaded.pop(tournament, None)
        self._pages.pop(tournament, None)

    def kept(self, tournament: str, now: int = 0) -> tuple[int, bytes]:
        """The version that is folded, and the view for gateways that start later. KeyError: it is not known."""
        found = self._put_by.get(tournament) if tournament not in self.held else None
        if found is not None:
            return found
        view = self.held[tournament]
        return view.version, msgspec.msgpack.encode(kept_of(view, self._over.get(tournament, 0)))

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these at these versions: what is over is put by. ValueError for what is none of them, and none
        is taken."""
        taken = [(name, version, kept_in(state), state) for name, version, state in kept]
        if any((of.tournament, of.version) != (name, version) for name, version, of, _ in taken):
            raise ValueError("a kept view of something else")
        views = [view_in(of) for _, _, of, _ in taken if not of.row]
        for _, _, of, state in taken:
            if of.row:
                self._put_by.put_kept(of, state)
        self.held |= {view.tournament: view for view in views}
        self.__post_init__()

    def known(self, tournament: str) -> TournamentView:
        """`Problem` 404 for one that there is not: no stream is made up by a typing error."""
        view = self.view(tournament)
        if view is None:
            raise Problem(404, "unknown-tournament", "There is no such tournament.")
        return view

    def published(self, tournament: str) -> TournamentView:
        """The same, and 404 also for one that nobody has approved."""
        view = self.known(tournament)
        if view.status in UNPUBLISHED:
            raise Problem(404, "unknown-tournament", "There is no such tournament.")
        return view

    def page(self, view: TournamentView, write: Callable[[TournamentView], bytes]) -> bytes:
        """Thousands watch the same one: it is written once a version."""
        version, page = self._pages.get(view.tournament, (0, b""))
        if version != view.version:
            page = write(view)
            _keep(self._pages, view.tournament, (view.version, page), MAX_PAGES)
        return page

    def result(self, view: TournamentView, kind: str, write: Callable[[TournamentView], str]) -> str:
        """A result of thousands takes a tenth of a second to write: while it is played, what was true a moment ago."""
        version, at, text = self._results.get((view.tournament, kind), (0, 0.0, ""))
        if version != view.version and (not text or time.monotonic() - at > RESULT_S):
            text = write(view)
            _keep(self._results, (view.tournament, kind), (view.version, time.monotonic(), text), MAX_RESULTS)
        return text

    async def reaches(self, tournament: str, version: int, within_ms: int = 2_000) -> None:
        """Waits until the view has folded `version`, so that whoever proposed one reads their own write."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_ms / 1000
        while self.version(tournament) < version:
            if loop.time() > deadline:
                return
            await asyncio.sleep(0.01)

    async def approved(self, tournament: str, within_ms: int = 2_000) -> str:
        """Waits for the tournament that a satellite's tickets are for. Why that refuses them; empty: it does not."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_ms / 1000
        while (view := self.held.get(tournament)) is not None and view.status == "proposed":
            if view.asked is None or view.refusal or loop.time() > deadline:
                return view.refusal
            await asyncio.sleep(0.01)
        return ""

    def told(self) -> str | None:
        return f"{len(self.gaps)} tournaments wait for an event that is missing" if self.gaps else None


def _keep(held: dict[KeyT, ValueT], key: KeyT, value: ValueT, most: int) -> None:
    """The oldest goes first."""
    held.pop(key, None)
    held[key] = value
    if len(held) > most:
        del held[next(iter(held))]
