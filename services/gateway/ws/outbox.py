"""Connections with frames to write: each writes once in a turn of the event loop, however many it has."""

import asyncio
from collections import deque
from typing import Protocol

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
