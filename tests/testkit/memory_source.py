"""Events at hand as a projector's source."""

from collections.abc import Iterable, Mapping, Sequence

from libs.contracts.messages import PublicEvent
from libs.projecting import Arrived, Partition


class MemorySource:
    """Events at hand, in the order of the log; offsets count from zero per partition."""

    def __init__(self, events: Iterable[tuple[str, int, PublicEvent]]) -> None:
        self._records: list[Arrived] = []
        self._ends: dict[Partition, int] = {}
        for topic, partition, event in events:
            offset = self._ends.get((topic, partition), 0)
            self._records.append(Arrived(topic, partition, offset, event))
            self._ends[topic, partition] = offset + 1
        self._rest = self._records

    @property
    def partitions(self) -> Sequence[Partition]:
        return list(self._ends)

    async def seek(self, positions: Mapping[Partition, int]) -> None:
        self._rest = [r for r in self._records if r.offset >= positions.get((r.topic, r.partition), 0)]

    async def batch(self, limit: int) -> Sequence[Arrived] | None:
        taken, self._rest = self._rest[:limit], self._rest[limit:]
        return taken or None

    async def ends(self) -> Mapping[Partition, int]:
        return dict(self._ends)

    async def close(self) -> None:
        return None
