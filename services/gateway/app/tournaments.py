"""Every tournament by its public events, each folded version by version; a gap is ignored and said (journal 20).

Those that are over, and have been quiet for a day, lie undecoded on disk (`services/gateway/views/put_by.py`): what a
list costs goes by its page, and what a start costs by what goes on.
"""

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import TypeVar

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.versions import Accepted, accepts
from libs.edge.problems import Problem
from libs.telemetry import get_logger
from libs.views.tournament import UNPUBLISHED, Status, TournamentView, fold_tournament
from services.gateway.views.put_by import OVER, PutBy, is_in, kept_in, kept_of, tournament_row, view_in

_log = get_logger(__name__)
RESULT_S = 5.0
MAX_PAGES = 500
"""Kept as they were written, the oldest going first; one of thousands of entrants has some 200 kB."""
MAX_RESULTS = 100
"""Likewise of texts that few ask for, and some 500 kB each."""
QUIET_MS = 86_400_000
"""So long after its last event one that is over is at hand, by the newest event of all."""
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

    _listed: dict[Status, list[str]] = field(default_factory=dict)
    """Those that are held, by name."""
    _over: dict[str, int] = field(default_factory=dict)
    """When the last event of each that is over and held was (ms, UTC), about in that order."""
    _newest: int = 0
    """When the newest event was (ms, UTC)."""
    _put_by: PutBy = field(default_factory=PutBy, compare=False)
    _loaded: dict[str, TournamentView] = field(default_factory=dict, compare=False)
    """Of those that are put by."""

    def __post_init__(self) -> None:
        for name, view in self.held.items():
            self._move(name, None, view)

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
                self.gaps.discard(event.stream)
                self._hold(view, event.time)
                self.tell(event.stream)
        self._put_quiet_by()

    def _hold(self, view: TournamentView, at: int) -> None:
        """As of its event of that time."""
        name, before = view.tournament, self.held.get(view.tournament)
        if before is None and self._put_by.version(name):
            self._drop(name)
        self.held[name] = view
        self._move(name, before, view)
        self._newest = max(self._newest, at)
        self._over.pop(name, None)
        if view.status in OVER:
            self._over[name] = at

    def _move(self, name: str, before: TournamentView | None, now: TournamentView | None) -> None:
        """In the lists: what has no rules, for its first event is of a later build, is in none."""
        was, becomes = (each.status if each is not None and each.definition else None for each in (before, now))
        if was == becomes:
            return
        if was is not None:
            names = self._listed[was]
            del names[bisect_left(names, name)]
        if becomes is not None:
            names = self._listed.setdefault(becomes, [])
            names.insert(bisect_left(names, name), name)

    def _put_quiet_by(self) -> None:
        """Two at the most, so that no event waits for many of them."""
        for name, at in list(islice(self._over.items(), 2)):
            if self._newest - at <= QUIET_MS:
                return
            del self._over[name]
            view = self.held[name]
            if name in self.gaps or view.definition is None:
                continue  # its next event takes it up again
            try:
                _, state = self.kept(name)
            except (OverflowError, TypeError, ValueError) as wrong:  # a number that no format holds: it stays at hand
                _log.error("a tournament can't be put by", stream=name, why=type(wrong).__name__)
                continue
            self._put_by.put(kept_in(state), state)
            self._move(name, self.held.pop(name), None)

    def _drop(self, name: str) -> None:
        """Of what is put by."""
        found = self._put_by.get(name)
        self._loaded.pop(name, None)
        self._put_by.drop(name, kept_in(found[1]).players if found is not None else ())

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

    def names(self, statuses: Collection[Status], after: str, limit: int) -> list[str]:
        """Of those that are held, by name; what it costs goes by `limit` and not by how many there are."""
        pages = []
        for names in (self._listed.get(status, []) for status in statuses):
            first = bisect_right(names, after)
            pages.append(names[first : first + limit])
        return list(merge(*pages))[:limit]

    def rows(self, statuses: Collection[Status], after: str, limit: int) -> list[tuple[str, bytes]]:
        """Of all, by name, each as JSON; nothing is decoded for it."""
        put_by = [self._put_by.listed(status, after, limit) for status in statuses if status in OVER]
        held: list[tuple[str, bytes]] = [(name, b"") for name in self.names(statuses, after, limit)]
        found = list(merge(held, *put_by, key=itemgetter(0)))[:limit]
        return [(name, row or msgspec.json.encode(tournament_row(self.held[name]))) for name, row in found]

    def own(self, player: str, after: str, limit: int) -> list[str]:
        """Names of those that the player takes part in, took part in, or tried to."""
        held = [
            name
            for name, view in self.held.items()
            if name > after and view.status not in UNPUBLISHED and is_in(view, player)
        ]
        return list(merge(sorted(held), self._put_by.own(player, after, limit)))[:limit]

    def kept(self, tournament: str) -> tuple[int, bytes]:
        """The version that is folded, and the view for gateways that start later. KeyError: it is not known."""
        found = self._put_by.get(tournament) if tournament not in self.held else None
        if found is not None:
            return found
        view = self.held[tournament]
        return view.version, msgspec.msgpack.encode(kept_of(view))

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these at these versions: what is over is put by. ValueError for what is none of them, and none
        is taken."""
        taken = [(name, version, kept_in(state), state) for name, version, state in kept]
        if any((of.tournament, of.version) != (name, version) for name, version, of, _ in taken):
            raise ValueError("a kept view of something else")
        views = [view_in(of) for _, _, of, _ in taken if not of.row]
        for _, _, of, state in taken:
            if of.row:
                self._put_by.put(of, state)
        for view in views:
            self._hold(view, 0)

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
