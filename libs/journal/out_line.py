"""Records on their way out, in order, at least once: again from the first without acknowledgement (journal 19)."""

import asyncio
import time
from collections import deque
from itertools import islice

from libs.journal.log import Log, LogUnavailable, OutRecord, Publisher
from libs.telemetry.traces import joined, traceparent_in

_RECORDS = 500
_BYTES = 4 * 2**20
"""Sent at once, or a single record: what is on its way has to be there within the patience."""
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0
_STANDS = 10
"""Failures of one batch in a row, some fifteen seconds, after which it is said."""


class OutLine:
    """A queue in front of one publisher. What is sent again is the same to the byte."""

    def __init__(self, log: Log, patience_s: float) -> None:
        self._log = log
        self._patience_s = patience_s
        self._queue: deque[OutRecord] = deque()
        self._put = 0
        self._acknowledged = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._wake = asyncio.Event()
        self._publisher: Publisher | None = None
        self._failed = 0
        self._why = ""

    @property
    def pending(self) -> int:
        """Records that are not acknowledged."""
        return self._put - self._acknowledged

    def why_stands(self) -> str | None:
        """What keeps the first records from going out, where that has lasted; None: they go."""
        return f"what goes out has failed {self._failed} times: {self._why}" if self._failed >= _STANDS else None

    def put(self, *records: OutRecord) -> None:
        self._queue.extend(records)
        self._put += len(records)
        self._wake.set()

    async def flushed(self, but: int = 0) -> None:
        """Returns when everything put so far is acknowledged, or all `but` so many of the last."""
        due = self._put - but
        if self._acknowledged >= due:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((due, future))
        await future

    async def run(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            while not self._queue:
                self._wake.clear()
                await self._wake.wait()
            batch = self._next()
            try:
                await self._send(batch)
            except LogUnavailable as wrong:
                # Never go on behind a failed batch: a reader that skips what is not newer would miss it for ever.
                self._failed, self._why = self._failed + 1, str(wrong)
                await self.abandon()
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                continue
            pause, self._failed = _FIRST_PAUSE_S, 0
            for _ in batch:
                self._queue.popleft()
            self._acknowledge(len(batch))

    def _next(self) -> list[OutRecord]:
        batch, size = list[OutRecord](), 0
        for record in islice(self._queue, _RECORDS):
            size += len(record.value or b"")
            if batch and size > _BYTES:
                break
            batch.append(record)
        return batch

    async def abandon(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            await publisher.abandon()

    async def _send(self, batch: list[OutRecord]) -> None:
        started = time.time_ns()
        try:
            async with asyncio.timeout(self._patience_s):
                if self._publisher is None:
                    self._publisher = await self._log.publisher()
                await (await self._publisher.send(batch))
        except TimeoutError:
            raise LogUnavailable("no answer within the own patience") from None
        for topic in {record.topic for record in batch}:
            sent = (record for record in batch if record.topic == topic)
            joined(f"send {topic}", ((traceparent_in(record.headers), topic) for record in sent), started)

    def _acknowledge(self, count: int) -> None:
        self._acknowledged += count
        for entry in [entry for entry in self._waiting if entry[0] <= self._acknowledged]:
            self._waiting.remove(entry)
            if not entry[1].done():
                entry[1].set_result(None)
