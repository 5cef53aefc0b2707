"""From a table to all who watch it: the events of a commit become one frame once, however many there are."""

import asyncio
import time
from collections.abc import Sequence

from libs.contracts.messages import PublicEvent
from libs.telemetry import joined
from services.gateway import metrics
from services.gateway.ws.connection import AT_ONCE, Connection
from services.gateway.ws.frames import events_frame, hole_cards_frame

_EVENT_FRAMES = metrics.FRAMES.labels("events")
_CARD_FRAMES = metrics.FRAMES.labels("hole_cards")


REFRESH_SECONDS = 1.0
_TOURNAMENT = "tournament/"
"""No id has a stroke in it, so this is no table."""


def watched(tournament: str) -> str:
    """What it is called among the tables that somebody watches."""
    return f"{_TOURNAMENT}{tournament}"


def tournament_in(table: str) -> str | None:
    """Whose name this is; None: a table's own."""
    return table.removeprefix(_TOURNAMENT) if table.startswith(_TOURNAMENT) else None


class FanOut:
    """Who watches which table, and which tournament."""

    def __init__(self) -> None:
        self._watching: dict[str, set[Connection]] = {}
        self._due: set[str] = set()
        """Tournaments that are shown anew within a second."""

    def watch(self, table: str, connection: Connection) -> None:
        self._watching.setdefault(table, set()).add(connection)

    def unwatch(self, table: str, connection: Connection) -> None:
        watching = self._watching.get(table)
        if watching is None:
            return
        watching.discard(connection)
        if not watching:
            del self._watching[table]

    def leave(self, connection: Connection) -> None:
        for table in connection.tables:
            self.unwatch(table, connection)

    def tell_events(self, table: str, events: Sequence[PublicEvent]) -> None:
        watching = self._watching.get(table)
        if not watching:
            return
        started = time.time_ns()
        frame = events_frame(table, events)
        for connection in watching:
            connection.offer(table, frame)
        joined("show", ((event.traceparent, event.id) for event in events), started)
        _EVENT_FRAMES.inc(len(watching))

    def tell_tournament(self, tournament: str) -> None:
        """Within a second, and not per event: thousands may watch what changes hundreds of times in it."""
        if watched(tournament) in self._watching and tournament not in self._due:
            self._due.add(tournament)
            asyncio.get_running_loop().call_later(REFRESH_SECONDS, self._refresh, tournament)

    def _refresh(self, tournament: str) -> None:
        self._due.discard(tournament)
        shown = watched(tournament)
        self._show(shown, list(self._watching.get(shown, ())))

    def _show(self, shown: str, waiting: list[Connection]) -> None:
        """A few at a time; then others run."""
        for connection in waiting[:AT_ONCE]:
            connection.refresh(shown)
        if len(waiting) > AT_ONCE:
            asyncio.get_running_loop().call_soon(self._show, shown, waiting[AT_ONCE:])

    def tell_cards(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None:
        """Own cards go to that player's own connections and to nobody else (pt-811-2015 2.d)."""
        for connection in self._watching.get(table, ()):
            if connection.session.player == player:
                connection.offer(table, hole_cards_frame(table, hand, seat, cards))
                _CARD_FRAMES.inc()
