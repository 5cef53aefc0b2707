"""How many WebSockets a player has: with one too many the oldest goes, for its player may have lost it long ago."""

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol


class Ends(Protocol):
    def end(self, code: int) -> None:
        """Closes it with this code."""

    def move(self, url: str | None) -> None:
        """Asks its player to connect elsewhere, and closes it once every answer is out."""


REPLACED = 4409
"""Close code of a WebSocket whose player has opened too many since."""
MOVES_S = 3.0
"""So long answers are waited for when the gateway ends; who still has none asks again elsewhere."""


@dataclass(slots=True)
class Sockets:
    most: int
    _of: dict[str, deque[Ends]] = field(default_factory=dict, repr=False)
    _all_gone: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def enter(self, player: str, socket: Ends) -> None:
        self._all_gone.clear()
        held = self._of.setdefault(player, deque())
        held.append(socket)
        if len(held) > self.most:
            held.popleft().end(REPLACED)

    def leave(self, player: str, socket: Ends) -> None:
        held = self._of.get(player)
        if held is not None and socket in held:
            held.remove(socket)
            if not held:
                del self._of[player]
        if not self._of:
            self._all_gone.set()

    async def move(self, url: str | None, most_s: float = MOVES_S) -> None:
        """Everybody; returns once all are gone, or after `most_s`."""
        for held in list(self._of.values()):
            for socket in list(held):
                socket.move(url)
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s if self._of else 0):
                await self._all_gone.wait()
