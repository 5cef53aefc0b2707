"""One player's connection: a bounded queue of frames, and a fresh view for whoever falls behind."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from services.gateway import metrics
from services.gateway.app.sessions import Session

Send = Callable[[str], Awaitable[None]]
RenderView = Callable[[str, str], str | None]
"""Table and player to the `view` frame that this player may see."""


class Connection:
    """Frames leave in order. A table whose events find the queue full is left out until the queue has drained, then
    the player gets its present view instead (never unbounded memory)."""

    def __init__(self, session: Session, send: Send, render: RenderView, limit: int) -> None:
        self.session = session
        self.tables: set[str] = set()
        self._send = send
        self._render = render
        self._limit = limit
        self._queue: deque[str] = deque()
        self._stale: set[str] = set()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()

    def offer(self, table: str, frame: str) -> None:
        """A frame that a fresh view may replace: an event, or the player's own cards."""
        if table in self._stale:
            return
        if len(self._queue) < self._limit:
            self.push(frame)
            return
        self._stale.add(table)
        metrics.RESYNCS.inc()

    def push(self, frame: str) -> None:
        """A frame that must arrive: an answer to this player. The reader waits in `room`, so these are bounded too."""
        self._queue.append(frame)
        self._wake.set()
        self._idle.clear()
        if len(self._queue) >= self._limit:
            self._drained.clear()

    def show(self, table: str) -> bool:
        """Queues the present view; False for a table that does not exist."""
        frame = self._render(table, self.session.player)
        if frame is None:
            return False
        self.tables.add(table)
        self._stale.discard(table)
        self.push(frame)
        return True

    async def room(self) -> None:
        """Returns once the queue is below its limit: nobody is read who does not read."""
        await self._drained.wait()

    async def write(self) -> None:
        """Sends what is queued until cancelled or the peer is gone."""
        while True:
            while self._queue:
                await self._send(self._queue.popleft())
                if not self._drained.is_set() and len(self._queue) < self._limit:
                    self._drained.set()
            if self._stale:
                stale, self._stale = self._stale, set()
                for table in stale & self.tables:
                    self.show(table)
                continue
            self._wake.clear()
            self._idle.set()
            await self._wake.wait()

    async def flush(self, within: float = 1.0) -> None:
        """Gives the writer a moment to send the last words."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._idle.wait()

    @property
    def queued(self) -> int:
        return len(self._queue)
