"""One player's connection: frames leave in order, and who falls behind gets the present view of a table.

Each connection writes once in a turn of the event loop, however many frames it has.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from libs.edge.wire import HIGH, Wire
from libs.identity.access import Session
from services.gateway import metrics

AT_ONCE = 200
"""Connections written to in a row (about a millisecond); then others run."""


class Flushes(Protocol):
    def flush(self) -> None: ...


class Outbox:
    """Connections in the order in which they got their first frame."""

    def __init__(self) -> None:
        self._waiting: deque[Flushes] = deque()

    def add(self, connection: Flushes) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._write)
        self._waiting.append(connection)

    def _write(self) -> None:
        now = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._write)
        for connection in now:
            connection.flush()


RenderView = Callable[[str, str], bytes | None]
"""Table (or tournament, `services/gateway/ws/fan_out.py`) and player to the frame that this player may see."""


class Connection:
    """Writes to its wire once in a turn of the loop. A table whose events find it full is left out until there is room,
    then the player gets its present view instead (never unbounded memory)."""

    def __init__(self, session: Session, wire: Wire, outbox: Outbox, render: RenderView) -> None:
        self.session = session
        self.tables: set[str] = set()
        self._wire = wire
        self._outbox = outbox
        self._render = render
        self._pending: list[bytes] = []
        self._size = 0
        self._stale: set[str] = set()
        wire.on_room = self._catch_up

    def offer(self, table: str, frame: bytes) -> None:
        """A frame that a fresh view may replace: events, or the player's own cards."""
        if table in self._stale:
            return
        if self._full:
            self._stale.add(table)
            metrics.RESYNCS.inc()
        else:
            self.push(frame)

    def refresh(self, shown: str) -> None:
        """Shows it anew as soon as there is room."""
        if shown in self.tables:
            self._stale.add(shown)
            self._catch_up()

    def push(self, frame: bytes) -> None:
        """A frame that must arrive: an answer to this player, and bounded, for a full wire hears no more questions."""
        if not self._pending:
            self._outbox.add(self)
        self._pending.append(frame)
        self._size += len(frame)

    def show(self, table: str) -> bool:
        """Sends the present view; False for a table that does not exist."""
        frame = self._render(table, self.session.player)
        if frame is None:
            return False
        self.tables.add(table)
        self._stale.discard(table)
        self.push(frame)
        return True

    def relieve(self) -> None:
        """Hands the wire what it can't be late for: a full wire hears nothing more of a player who does not read."""
        if self._full:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        if self._pending:
            self._wire.put(b"".join(self._pending))
            self._pending.clear()
            self._size = 0
        if self._stale and not self._wire.full:
            asyncio.get_running_loop().call_soon(self._catch_up)

    @property
    def waiting(self) -> int:
        """Bytes that are not yet the kernel's."""
        return self._size + self._wire.transport.get_write_buffer_size()

    @property
    def _full(self) -> bool:
        return self._wire.full or self._size > HIGH

    def _catch_up(self) -> None:
        while self._stale and not self._full:
            table = self._stale.pop()
            if table in self.tables:
                self.show(table)
