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
        self._silent: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def place(self, address: str) -> AsyncIterator[Callable[[], None]]:
        """There is always one: where all are taken, the oldest of the address that has most is out (`Refused`); of
        several such, who has said nothing yet. What it yields is called once a whole request has come."""
        place = asyncio.timeout(None)
        _WAITING.inc()
        try:
            async with place:
                self._places[place] = address
                self._silent.add(place)
                if len(self._places) > self._most:
                    self._crowd_out()
                yield lambda: self._silent.discard(place)
        except TimeoutError:
            if place.expired():
                raise Refused("crowded_out") from None
            raise
        finally:
            _WAITING.dec()
            self._places.pop(place, None)
            self._silent.discard(place)

    def _crowd_out(self) -> None:
        held = Counter(self._places.values())
        *before, _ = self._places  # who has just come is silent, and yet to be heard
        oldest = max(before, key=lambda place: (held[self._places[place]], place in self._silent))  # the first of them
        del self._places[oldest]
        oldest.reschedule(asyncio.get_running_loop().time())
