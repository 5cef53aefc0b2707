"""Every tournament by its public events, each folded version by version; a gap is ignored and said (journal 20)."""

import asyncio
import time
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
    _pages: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The page of each version that was shown last."""
    _results: dict[tuple[str, str], tuple[int, float, str]] = field(default_factory=dict)
    """By tournament and format: what was written last, of which version, and when (the clock of `monotonic`)."""

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
