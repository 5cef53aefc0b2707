"""Who has come and has not proven a login yet: only so many at once, and no address keeps another one out."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.door.frames import MOST_WAITING, Refused
from libs.telemetry.figures import gauge

_WAITING = gauge("croupier_door_waiting")


class Waiting:
    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._places: dict[asyncio.Timeout, str] = {}
        """To the address, the oldest first."""

    @asynccontextmanager
    async def place(self, address: str) -> AsyncIterator[None]:
        """There is always one: where all are taken, the oldest of the address that has most is out (`Refused`)."""
        place = asyncio.timeout(None)
        _WAITING.inc()
        try:
            async with place:
                self._places[place] = address
                if len(self._places) > self._most:
                    self._crowd_out()
                yield
        except TimeoutError:
            if place.expired():
                raise Refused("crowded_out") from None
            raise
        finally:
            _WAITING.dec()
            self._places.pop(place, None)

    def _crowd_out(self) -> None:
        held = Counter(self._places.values())
        oldest = max(self._places, key=lambda place: held[self._places[place]])  # the first of those with most
        del self._places[oldest]
        oldest.reschedule(asyncio.get_running_loop().time())
