"""Looks wishes of players, and of people for a bank, up in the commands of tables and tournaments."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import PublicEvent, time_of
from libs.contracts.topics import partition_of, topic
from libs.journal.log import Fetched, LogUnavailable, OffsetOutOfRange
from libs.journal.machine import MAX_SKEW_MS
from libs.journal.marks import Marking
from services.wallet.machine import HORIZON_MS
from services.wallet.policies.wishes import Wished, id_in, wish_behind, wish_in

_REMEMBERED = 20_000
_PAGE = 500
_WAIT_MS = 50
_BEFORE_MS = 5_000
"""Most wishes are decided at once: their event has the time of their command."""
_MOST = 100_000
"""Records in one stretch of which one event makes us look through two, a few seconds of them."""
_PATIENCE_S = 120.0
_HOUR_MS = 3_600_000


class Reader(Protocol):
    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched: ...
    async def end(self) -> int: ...
    async def since(self, ms: int) -> int: ...
    async def close(self) -> None: ...


class Log(Protocol):
    async def reader(self, topic: str, partition: int) -> Reader: ...


class Wishes:
    """Of one service's commands. A wish comes before the event that follows from it, in the log as in time."""

    def __init__(
        self, log: Log, marks: Marking, service: str, partitions: int, prefix: str = "",
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:  # fmt: skip
        self._log = log
        self._marks = marks
        self._partitions = partitions
        self._topic = prefix + topic(service, "commands").name
        self._now = now
        self._known: OrderedDict[str, Wished] = OrderedDict()
        self._passed: dict[int, int] = {}
        """By partition: so far commands were read last."""

    async def why_not(self, event: PublicEvent, fact: Fact) -> str | None:
        """Why nothing may follow from this event, in a few words; None: nobody has to be asked, or the player did.

        What is so old that the wallet decides it no more is left to the wallet. Raises `LogUnavailable`.
        """
        if isinstance(fact, TableEvent) and fact.table != event.stream:
            return "it speaks of another table"
        wanted = wish_behind(event, fact)
        if (
            wanted is None
            or (wanted.amount == 0 and not wanted.change)
            or event.time < self._now() - HORIZON_MS - _HOUR_MS
        ):
            return None
        if id_in(wanted.named) is None:
            return "it names no command"
        async with asyncio.timeout(_PATIENCE_S):
            found = self._known.get(wanted.named) or await self._look(wanted, event.time)
        if found is None:
            return "no gateway has brought such a wish"
        if found != wanted:
            return "people have asked for something else" if wanted.change else "the player has wished something else"
        return None

    async def _look(self, wanted: Wished, at: int) -> Wished | None:
        partition = partition_of(wanted.stream, self._partitions)
        reader = await self._log.reader(self._topic, partition)
        try:
            end = await reader.end()
            start = max(self._passed.get(partition, 0), await reader.since(at - _BEFORE_MS))
            found = await self._read(reader, partition, start, end, wanted.named)
            self._passed[partition] = max(end, self._passed.get(partition, 0))
            if found is None and (asked := id_in(wanted.named)) is not None:
                # It waited for a hand to end, or this process has not read so far back. It says itself when it was
                # made: it lies near there, however much came behind it; one whose key is older lies nearer to its end.
                begin = await reader.since(time_of(asked) - MAX_SKEW_MS)
                near = min(begin + _MOST, start)
                found = await self._read(reader, partition, begin, near, wanted.named)
                if found is None:
                    found = await self._read(reader, partition, max(near, start - _MOST), start, wanted.named)
            return found
        finally:
            await reader.close()

    async def _read(self, reader: Reader, partition: int, start: int, end: int, named: str) -> Wished | None:
        """Remembers every wish from `start` on, to `end` or to the one that is looked for."""
        position = start
        while position < end and named not in self._known:
            try:
                fetched = await reader.read(position, _PAGE, _WAIT_MS)
            except OffsetOutOfRange:
                raise LogUnavailable("retention was faster") from None
            for record in fetched.records:
                wish = wish_in(record.value or b"")
                if wish is not None and self._marks.why_not_asked((self._topic, partition), record) is None:
                    self._known[wish.named] = wish
                    if len(self._known) > _REMEMBERED:
                        self._known.popitem(last=False)
            position = fetched.position
        return self._known.get(named)
