"""Where a projector's events come from: a port, and the adapter for events that a rebuild reads from journals."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from libs.contracts.messages import PublicEvent

Partition = tuple[str, int]
"""Topic and partition number."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """One record of a public topic: an event, or the reason why it is none."""

    topic: str
    partition: int
    offset: int
    event: PublicEvent | None
    reason: str = ""
    key: bytes | None = None
    """Raw bytes, kept only of a record that is no event."""
    value: bytes | None = None


class SourceAway(Exception):
    """The log can't be read at the moment. Asking again later is all that helps."""


class Source(Protocol):
    """Raises `SourceAway` while the log can't be reached; any other exception is a fault and stops the reader."""

    @property
    def partitions(self) -> Sequence[Partition]: ...

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        """The next batch starts at these offsets."""
        ...

    async def batch(self, limit: int) -> Sequence[Arrived] | None:
        """What has arrived, at most `limit`, in order per partition; may be empty. None: a finite source has ended."""
        ...

    async def ends(self) -> Mapping[Partition, int]:
        """End offset of every partition, as of now."""
        ...

    async def close(self) -> None: ...


class StreamedSource:
    """Events that an async generator brings, for a rebuild from journals that don't fit in memory. Read once."""

    def __init__(self, events: AsyncIterator[tuple[str, int, PublicEvent]], partitions: Sequence[Partition]) -> None:
        self._events = events
        self._partitions = list(partitions)
        self._offsets = dict.fromkeys(self._partitions, 0)
        self._skip: Mapping[Partition, int] = {}

    @property
    def partitions(self) -> Sequence[Partition]:
        return self._partitions

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        if any(self._offsets.values()):
            raise RuntimeError("this source can be read once only")
        self._skip = dict(positions)

    async def batch(self, limit: int) -> Sequence[Arrived] | None:
        taken: list[Arrived] = []
        async for topic, partition, event in self._events:
            offset = self._offsets[topic, partition]
            self._offsets[topic, partition] = offset + 1
            if offset >= self._skip.get((topic, partition), 0):
                taken.append(Arrived(topic, partition, offset, event))
            if len(taken) >= limit:
                break
        return taken or None

    async def ends(self) -> Mapping[Partition, int]:
        return dict(self._offsets)

    async def close(self) -> None:
        return None
