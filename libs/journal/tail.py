"""Reading a journal on from where a fold stands, never without looking whether it is still the same log."""

import asyncio
from collections.abc import Callable

from libs.journal.commit import digest
from libs.journal.fold import AnyFold, Position
from libs.journal.log import Fetched, Log, LogRecord, LogRewritten, OffsetOutOfRange, Reader

_PAGE = 100
"""Records handed over in one go, while nothing else runs on the event loop."""
_WAIT_MS = 50


class Tail:
    """A journal reader that compares the last folded record before it reads on (journal 21).

    Runner and follower share one: each read says where it begins, and one is under way at a time.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, log: Log, topic: str, partition: int) -> "Tail":
        return cls(await log.reader(topic, partition))

    async def verify(self, position: Position) -> None:
        """Raises `LogRewritten` if the last record folded is not where it was."""
        async with self._turn:
            if await self._reader.end() < position.next:
                raise LogRewritten("the journal ends before what was folded")
            if position.last < 0:
                return
            while True:
                fetched = await self._fetch(position.last, 1, _WAIT_MS)
                if fetched.records:
                    break
            self._reader.rest()
        record = fetched.records[0]
        if record.offset != position.last or digest(record.value or b"") != position.digest:
            raise LogRewritten("the journal holds another record where the last one folded was")

    async def end(self) -> int:
        async with self._turn:
            return await self._reader.end()

    def behind(self, position: int) -> int:
        """Records known to lie at or above `position`, as of the last fetch."""
        return max(0, self._reader.known_end() - position)

    async def read(self, position: int, wait_ms: int, max_records: int = _PAGE) -> Fetched:
        async with self._turn:
            return await self._fetch(position, max_records, wait_ms)

    async def page(self, fold: AnyFold, take: Callable[[LogRecord], None]) -> None:
        """Hands over the next records, if there are any yet, and moves the fold over what holds none (journal 4d)."""
        fetched = await self.read(fold.position.next, _WAIT_MS)
        for record in fetched.records:
            take(record)
        fold.skip_to(fetched.position)

    def rest(self) -> None:
        """Nothing is to be read soon."""
        self._reader.rest()

    async def close(self) -> None:
        await self._reader.close()

    async def _fetch(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        try:
            return await self._reader.read(offset, max_records, wait_ms)
        except OffsetOutOfRange:
            raise LogRewritten("the journal no longer holds an offset that was folded") from None


async def end_of(log: Log, topic: str, partition: int) -> int:
    """Offset that the next record of this partition will get."""
    reader = await log.reader(topic, partition)
    try:
        return await reader.end()
    finally:
        await reader.close()
