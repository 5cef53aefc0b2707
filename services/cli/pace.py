"""How far a long walk is, and how long it will still take at the pace it has had so far."""

import asyncio
import time

from services.cli.surroundings import Tell

_EVERY = 500


class Pace:
    def __init__(self, total: int, tell: Tell) -> None:
        self._total, self._tell = total, tell
        self._done, self._began = 0, time.monotonic()

    async def step(self, where: str, count: int = 1) -> None:
        """So many records more are done."""
        before, self._done = self._done, self._done + count
        if before // _EVERY != self._done // _EVERY:
            left_s = (time.monotonic() - self._began) * max(0, self._total - self._done) / self._done
            self._tell(f"{where}: {self._done:,} of {self._total:,} records, {left_s / 60:,.1f} minutes to go")
            await asyncio.sleep(0)
