"""Who has come and has not proven a login yet: only so many at once, and no address keeps another one out."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from libs.door.frames import MOST_WAITING, Refused
from libs.telemetry.figures import gauge

_WAITING = gauge("croupier_door_waiting")


class Waiting:
    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._places: dict[asyncio.Timeout, str] = {}
        """To the address, the oldest first."""
        self._steps: dict[asyncio.Timeout, int] = {}
        """How far each login has come."""

    @asynccontextmanager
    async def place(self, address: str) -> AsyncIterator[Callable[[int], None]]:
        """There is always one: where all are taken, one of the address that has most is out (`Refused`); of several
        such who has come least far with the login, of those the oldest. The younger ones, three of four, are left to
        come further: it takes several round trips, and strangers come by hundreds a second. What it yields is told each
        step."""
        place = asyncio.timeout(None)
        _WAITING.inc()
        try:
            async with place:
                self._places[place], self._steps[place] = address, 0
                if len(self._places) > self._most:
                    self._crowd_out()

                def came_to(step: int) -> None:
                    self._steps[place] = step

                yield came_to
        except TimeoutError:
            if place.expired():
                raise Refused("crowded_out") from None
            raise
        finally:
            _WAITING.dec()
            self._places.pop(place, None)
            self._steps.pop(place, None)

    def _crowd_out(self) -> None:
        held = Counter(self._places.values())
        older = list(self._places)[: max(2, self._most // 4)]
        out = max(older, key=lambda place: (held[self._places[place]], -self._steps[place]))  # the first of them
        del self._places[out]
        out.reschedule(asyncio.get_running_loop().time())
