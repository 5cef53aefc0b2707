"""From a table to all who watch it: the events of a commit become one frame once, however many there are."""

import time
from collections.abc import Sequence

from libs.contracts.messages import PublicEvent
from libs.telemetry import joined
from services.gateway import metrics
from services.gateway.ws.connection import Connection
from services.gateway.ws.frames import events_frame, hole_cards_frame

_EVENT_FRAMES = metrics.FRAMES.labels("events")
_CARD_FRAMES = metrics.FRAMES.labels("hole_cards")


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
        for connection in self._watching.get(watched(tournament), ()):
            connection.refresh(watched(tournament))

    def tell_cards(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None:
        """Own cards go to that player's own connections and to nobody else (pt-811-2015 2.d)."""
        for connection in self._watching.get(table, ()):
            if connection.session.player == player:
                connection.offer(table, hole_cards_frame(table, hand, seat, cards))
                _CARD_FRAMES.inc()
