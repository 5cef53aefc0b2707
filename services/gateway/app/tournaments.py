"""Every tournament by its public events, each folded version by version; a gap is ignored and said (journal 20)."""

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.versions import Accepted, accepts
from libs.edge.problems import Problem
from libs.telemetry import get_logger
from libs.views.tournament import UNPUBLISHED, TournamentView, fold_tournament
from libs.views.tournament_accounts import lines_of

_log = get_logger(__name__)
RESULT_S = 5.0
MAX_PAGES = 500
"""Kept as they were written, the oldest going first; one of thousands of entrants has some 200 kB."""
MAX_RESULTS = 100
"""Likewise of texts that few ask for, and some 500 kB each."""
KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
_KEPT = msgspec.msgpack.Decoder(TournamentView)


@dataclass(slots=True)
class Tournaments:
    held: dict[str, TournamentView] = field(default_factory=dict)
    gaps: set[str] = field(default_factory=set)
    tell: Callable[[str], None] = lambda tournament: None
    """Whoever watches it."""
    _listed: dict[str, list[str]] = field(default_factory=dict)
    """By status, and by `player/` and player whose money or ticket is or was in it: names in their order. A house has
    tens of thousands that are over, and anybody may ask for the lobby."""
    _pages: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The page of each version that was shown last."""
    _results: dict[tuple[str, str], tuple[int, float, str]] = field(default_factory=dict)
    """By tournament and format: what was written last, of which version, and when (the clock of `monotonic`)."""

    def __post_init__(self) -> None:
        self._listed.clear()
        for name, view in sorted(self.held.items()):
            players = {f"player/{player}" for held in view.by_player for player in held}
            for of in (view.status, *players):
                self._listed.setdefault(of, []).append(name)

    def on_events(self, events: Sequence[tuple[PublicEvent, Fact | None]]) -> None:
        """Events of one tournament in their order."""
        for event, fact in events:
            view = self.held.get(event.stream) or TournamentView(event.stream)
            accepted = accepts(view.version, event.version)
            if accepted is Accepted.GAP:
                self.gaps.add(event.stream)
                _log.error("gap in public events", stream=event.stream, version=event.version)
            elif accepted is Accepted.YES:
                try:
                    self.held[event.stream] = fold_tournament(view, fact, event.version)
                except Exception as wrong:  # whatever breaks: the others are in the same reader
                    self.gaps.add(event.stream)
                    of = {"stream": event.stream, "version": event.version}
                    _log.error("no view of an event", **of, error=type(wrong).__name__)
                    continue
                self._list(view, self.held[event.stream], fact)
                self.gaps.discard(event.stream)
                self.tell(event.stream)

    def kept(self, tournament: str) -> tuple[int, bytes]:
        """The version that is folded, and the view for gateways that start later."""
        view = self.held[tournament]
        return view.version, msgspec.msgpack.encode(view)

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these at these versions. ValueError for what is none of them, and none is taken."""
        views = [(tournament, version, _KEPT.decode(state)) for tournament, version, state in kept]
        if any((view.tournament, view.version) != (name, version) for name, version, view in views):
            raise ValueError("a kept view of something else")
        self.held |= {name: view for name, _, view in views}
        self.__post_init__()

    def listed_after(self, tournament: str, limit: int, *of: str) -> list[TournamentView]:
        """Those of these statuses, or of one player (`player/` and the id), by name; what it costs goes by `limit` and
        not by how many there are."""
        found: list[str] = []
        for each in of:
            names = self._listed.get(each, [])
            first = bisect_right(names, tournament)
            found += names[first : first + limit]
        return [self.held[name] for name in sorted(found)[:limit]]

    def _list(self, before: TournamentView, view: TournamentView, fact: Fact | None) -> None:
        """After an event: where it stands, and under whose name, if that changed."""
        name = view.tournament
        if before.status != view.status or not before.version:
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

    def known(self, tournament: str) -> TournamentView:
        """`Problem` 404 for one that there is not: no stream is made up by a typing error."""
        view = self.held.get(tournament)
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
        while (view := self.held.get(tournament)) is None or view.version < version:
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
