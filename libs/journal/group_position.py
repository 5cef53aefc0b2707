"""One partition's position in a group, as its owner writes it and reads it again."""

from time import time_ns

from libs.journal.kafka_group import KafkaGroup
from libs.journal.marks import Marking
from libs.journal.positions import Found, Position, beside, found


class GroupPosition:
    """Whoever writes says when, and never before what stands there: the clock of another machine may be ahead."""

    def __init__(self, group: KafkaGroup, marks: Marking, partition: int) -> None:
        self._group = group
        self._marks = marks
        self._partition = partition
        self._place = (group.name, group.topic, partition)
        self._wrote = 0

    async def look(self) -> Found:
        """Raises `LogUnavailable`."""
        there = found(self._marks, *self._place, *await self._group.committed(self._partition))
        if there.position is not None:
            self._wrote = max(self._wrote, there.position.at)
        return there

    async def write(self, offset: int, sign: int | None = None) -> None:
        """Raises `LogUnavailable`."""
        self._wrote = max(time_ns() // 1_000_000, self._wrote + 1)
        position = Position(offset, self._wrote, sign)
        await self._group.commit(self._partition, offset, beside(self._marks, *self._place, position))
