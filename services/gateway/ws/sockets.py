"""How many WebSockets a player has: with one too many the oldest goes, for its player may have lost it long ago."""

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol


class Ends(Protocol):
    def end(self, code: int) -> None:
        """Closes it with this code."""


REPLACED = 4409
"""Close code of a WebSocket whose player has opened too many since."""


@dataclass(slots=True)
class Sockets:
    most: int
    _of: dict[str, deque[Ends]] = field(default_factory=dict, repr=False)

    def enter(self, player: str, socket: Ends) -> None:
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
