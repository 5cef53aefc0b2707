"""A journal partition for reading only: audit, verify and rebuild see every record with the shared judgement."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from libs.journal.fold import Folded, Head, PartitionFold, Position
from libs.journal.log import Log
from libs.journal.machine import EventT, Machine, StateT
from libs.journal.tail import Tail

_WAIT_MS = 200


@dataclass(frozen=True, slots=True)
class Chain:
    """One stream's head as a reader without states keeps it."""

    version: int
    prev: bytes
    time: int
    last_offset: int


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Where a reader stopped, to be stored with what it wrote (journal 15, 21)."""

    next: int = 0
    last: int = -1
    digest: bytes = b""
    chains: Mapping[str, Chain] = field(default_factory=dict)
    """Stream to head; the states, where there are any, are the reader's to store."""


class JournalReader(Generic[StateT, EventT]):
    """Folds one partition from a bookmark on.

    With a machine it evolves states, and must start at offset 0 (a bookmark holds none). Without one it judges, and
    `Folded.commit.events` are the bytes as written.
    """

    def __init__(
        self,
        log: Log,
        topic: str,
        partition: int,
        partitions: int,
        journal_name: str,
        *,
        machine: Machine[StateT, Any, EventT, Any] | None = None,
        bookmark: Bookmark | None = None,
    ) -> None:
        """`journal_name`: `libs.journal.machine.journal_name(service)`, what the genesis digests are bound to."""
        self._log = log
        self._topic = topic
        self._partition = partition
        self._fold: PartitionFold[StateT, EventT] = PartitionFold(partition, partitions, journal_name, machine)
        if bookmark is not None and bookmark.next > 0:
            if machine is not None:
                raise ValueError("a reader with states starts at offset 0")
            self._fold.position = Position(bookmark.next, bookmark.last, bookmark.digest)
            self._fold.heads = {
                stream: Head(chain.version, chain.prev, chain.time, chain.last_offset)
                for stream, chain in bookmark.chains.items()
            }

    @property
    def states(self) -> Mapping[str, StateT]:
        """State of each stream as folded so far; empty without a machine."""
        return self._fold.states

    @property
    def next(self) -> int:
        """Offset of the next record."""
        return self._fold.position.next

    def bookmark(self) -> Bookmark:
        position = self._fold.position
        chains = {
            stream: Chain(head.version, head.prev, head.time, head.last_offset)
            for stream, head in self._fold.heads.items()
        }
        return Bookmark(position.next, position.last, position.digest, chains)

    def chain(self, stream: str) -> Chain | None:
        """Head of one stream, or None before its first valid commit."""
        head = self._fold.heads.get(stream)
        return Chain(head.version, head.prev, head.time, head.last_offset) if head else None

    async def read(self, until: int | None = None) -> AsyncIterator[Folded[StateT, EventT]]:
        """Every record up to offset `until` (exclusive), void and undecodable ones included; for ever, if None.

        Raises `LogRewritten` if the log is not the one that the bookmark saw.
        """
        tail = await Tail.open(self._log, self._topic, self._partition)
        try:
            await tail.verify(self._fold.position)
            while until is None or self.next < until:
                fetched = await tail.read(self.next, _WAIT_MS)
                for record in fetched.records:
                    if until is not None and record.offset >= until:
                        return
                    yield self._fold.fold(record)
                self._fold.skip_to(fetched.position)
        finally:
            await tail.close()

    async def read_to_end(self) -> AsyncIterator[Folded[StateT, EventT]]:
        """Every record that the partition holds now."""
        async for folded in self.read(await end_of(self._log, self._topic, self._partition)):
            yield folded


async def end_of(log: Log, topic: str, partition: int) -> int:
    """Offset that the next record of this partition will get."""
    reader = await log.reader(topic, partition)
    try:
        return await reader.end()
    finally:
        await reader.close()
