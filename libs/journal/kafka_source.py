"""What one partition's owner reads: from its group's position on, as far as that is true (journal 12)."""

import logging

from libs.journal.group_position import GroupPosition
from libs.journal.interest import Interest
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog, KafkaReader
from libs.journal.log import Fetched, OffsetOutOfRange
from libs.journal.positions import Decided, Found, Moved, Otherwise, begin, behind
from libs.telemetry.figures import counter

_log = logging.getLogger(__name__)
_MOVED = counter("croupier_positions_moved")


class KafkaSource:
    """Commands of one partition from the group's offset on, if it bears our mark; keeps `CommandSource`."""

    def __init__(
        self,
        log: KafkaLog,
        group: KafkaGroup,
        partition: int,
        interest: Interest | None = None,
        lived: dict[int, int] | None = None,
    ) -> None:
        """`lived`: by partition the last sign of life that this process gave, which nobody can take back."""
        self._log = log
        self._interest = interest
        self._group = group
        self._partition = partition
        self._position = GroupPosition(group, log.marks, partition)
        self._reader: KafkaReader | None = None
        self._lived = {} if lived is None else lived
        self._there = Found()
        self._at = 0
        self.began = 0
        """Where it has gone on, after `begin`."""
        self.sign: int | None = None

    async def learn(self) -> None:
        """How far the group has come, as far as that is true."""
        self._there = await self._position.look()
        there, lived = self._there.position, self._lived.get(self._partition)
        signs = [each for each in (there.sign if there is not None else None, lived) if each is not None]
        self.sign = max(signs, default=None)

    async def begin(self, decided: Decided) -> Moved | None:
        return await self.begin_at(behind(decided))

    async def begin_at(self, otherwise: Otherwise) -> Moved | None:
        """`otherwise`: where there is no true position. Read from the earliest that is left: never latest."""
        if self._reader is None:
            self._reader = await self._log.reader(self._group.topic, self._partition, self._interest)
        self._at, wrong = await begin(self._reader, self._there, otherwise)
        self.began = self._at
        if wrong is None:
            return None
        offset = self._there.offset
        assert offset is not None, "only what is there is wrong"
        moved = Moved(self._group.name, self._group.topic, self._partition, offset, self._at, wrong)
        _log.critical("the offset of the group is not ours: %s", moved)
        _MOVED.labels(moved.group).inc()
        return moved

    async def read(self, max_records: int, wait_ms: int) -> Fetched:
        """Raises `OffsetOutOfRange` where the log ends before what was read."""
        assert self._reader is not None, "`begin` comes first"
        try:
            fetched = await self._reader.read(self._at, max_records, wait_ms)
        except OffsetOutOfRange:
            earliest = await self._reader.beginning()
            if self._at > earliest:
                raise
            self._at = earliest
            return Fetched((), earliest)
        self._at = fetched.position
        return fetched

    async def commit(self, offset: int, sign: int | None = None) -> None:
        await self._position.write(offset, sign)
        if sign is not None:
            self._lived[self._partition] = sign

    async def renew(self) -> None:
        """Says once more what stands there, if that is true: somebody owns the partition."""
        if (there := (await self._position.look()).position) is not None:
            await self.commit(there.offset, there.sign)

    async def close(self) -> None:
        if self._reader is not None:
            await self._reader.close()
