"""Replies and parked records on their way out: at least once, retried until the log takes them."""

import asyncio
from collections import deque

from libs.journal.log import Log, LogUnavailable, OutRecord, Publisher

_RECORDS = 500
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0


class OutLine:
    """A queue in front of one publisher. A repeated reply is identical by construction (journal 10)."""

    def __init__(self, log: Log, patience_s: float) -> None:
        self._log = log
        self._patience_s = patience_s
        self._queue: deque[OutRecord] = deque()
        self._put = 0
        self._acknowledged = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._wake = asyncio.Event()
        self._publisher: Publisher | None = None

    def put(self, record: OutRecord) -> None:
        self._queue.append(record)
        self._put += 1
        self._wake.set()

    async def flushed(self) -> None:
        """Returns when everything put so far is acknowledged."""
        if self._acknowledged >= self._put:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((self._put, future))
        await future

    async def run(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            while not self._queue:
                self._wake.clear()
                await self._wake.wait()
            batch = [self._queue[i] for i in range(min(len(self._queue), _RECORDS))]
            try:
                await self._send(batch)
            except LogUnavailable:
                await self.abandon()
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
                continue
            pause = _FIRST_PAUSE_S
            for _ in batch:
                self._queue.popleft()
            self._acknowledge(len(batch))

    async def abandon(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            await publisher.abandon()

    async def _send(self, batch: list[OutRecord]) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                if self._publisher is None:
                    self._publisher = await self._log.publisher()
                await (await self._publisher.send(batch))
        except TimeoutError:
            raise LogUnavailable("no answer within the own patience") from None

    def _acknowledge(self, count: int) -> None:
        self._acknowledged += count
        while self._waiting and self._waiting[0][0] <= self._acknowledged:
            future = self._waiting.popleft()[1]
            if not future.done():
                future.set_result(None)
