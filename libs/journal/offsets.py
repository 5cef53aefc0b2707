"""Commits how far the owner of one partition has come, and with it that there is an owner (journal 12)."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from libs.journal.log import CommandSource, LogUnavailable
from libs.journal.out_line import OutLine
from libs.journal.owners import LIVES_S, PATIENCE_S
from libs.journal.pace import Pace
from libs.journal.signs import Signs

_log = logging.getLogger(__name__)


class Offsets:
    """Of one runner, which sets `moved` where commands were read or answered."""

    def __init__(
        self,
        source: CommandSource,
        partition: int,
        out: OutLine,
        pace: Pace,
        signs: Signs | None,
        lowest: Callable[[], int | None],
        heard: Callable[[], None],
    ) -> None:
        """`lowest`: below it every command has its verdict; None: nothing is read yet. `heard` is called when the log
        has answered."""
        self.moved = asyncio.Event()
        self._source = source
        self._partition = partition
        self._out = out
        self._pace = pace
        self._signs = signs
        self._lowest = lowest
        self._heard = heard
        self._refused: tuple[float, str] | None = None
        """Loop time since which nothing could be written, and why."""

    def why_stands(self) -> str | None:
        """Why it could not be written for so long that somebody has to know; None: it is, or may soon be."""
        if self._refused is None or asyncio.get_running_loop().time() - self._refused[0] <= PATIENCE_S:
            return None
        return f"its position can't be written: {self._refused[1]}"

    async def run(self) -> None:
        """Until cancelled. Also where nothing has moved, less often: an owner lives (`libs/journal/owners.py`)."""
        pause = self._pace.offsets_every_s
        while True:
            if self._signs is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LIVES_S):
                        await self.moved.wait()
            await asyncio.sleep(pause)
            self.moved.clear()
            low, signs = self._lowest(), self._signs
            if low is None:
                continue
            await self._out.flushed()  # answers and parked records first; a crash in between only repeats them
            try:
                await self._source.commit(low, signs.sign if signs is not None else None)
                self._heard()
                pause, self._refused = self._pace.offsets_every_s, None
            except LogUnavailable as wrong:
                since = self._refused[0] if self._refused else asyncio.get_running_loop().time()
                self._refused = since, str(wrong)
                # A refused commit makes the client join its group anew: asking again at once would keep it from that.
                pause = min(2 * pause, max(self._pace.longest_pause_s, self._pace.offsets_every_s))
                self.moved.set()
                _log.warning("%s; tried again later", wrong, extra={"partition": self._partition})
