"""Records of nobody of this house, whichever topic they lie on: an incident each, or one for each flood of them; beyond
so many within an hour one for all that a topic has more of."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import time

from libs.contracts.facts import MAX_MOMENT
from libs.journal.foreign import Foreign, noticed
from libs.journal.kafka_log import KafkaLog
from libs.projecting import Arrived, KafkaSource, Partition, Pool
from libs.projecting.row_marks import Marks
from services.audit.incidents import record
from services.audit.reconciling import Reconciliation
from services.audit.verifying.findings import Finding, Kind

PLACED = 50
"""Incidents of one topic within an hour that name their place. What comes in small batches is many floods, and would
bury what else is told. As many again are kept for records of another writer, reason or partition than any before: what
is forged behind a flood of something else is named all the same."""
_HOUR_MS = 3_600_000


_Class = tuple[str, int, str, str]
"""Topic, partition, writer, why."""


@dataclass(slots=True)
class _Seen:
    first: Foreign
    last: int
    count: int


@dataclass(slots=True)
class Foreigners:
    """Holds what was told until it is written. Whoever moves a position beyond such a record writes first."""

    pool: Pool
    marks: Marks
    on_finding: Callable[[Finding], None] = lambda finding: None
    now: Callable[[], int] = lambda: int(time() * 1000)
    """Milliseconds since the epoch."""
    _hour: int = 0
    """Whose incidents are counted, in hours since the epoch."""
    _named: Counter[_Class] = field(default_factory=Counter)
    """Incidents of this hour that name their place."""
    _held: dict[_Class, _Seen] = field(default_factory=dict)

    def tell(self, foreign: Foreign) -> None:
        noticed(foreign)
        last = foreign.offset + foreign.count - 1
        place = (foreign.topic, foreign.partition, foreign.writer, foreign.why)
        seen = self._held.setdefault(place, _Seen(foreign, last, 0))
        seen.count += foreign.count
        seen.last = max(seen.last, last)

    async def write(self) -> None:
        if not self._held:
            return
        held, self._held = self._held, {}
        hour = self.now() // _HOUR_MS
        named = Counter(self._named if hour == self._hour else ())
        try:
            await self.add([_one_of(named, of, seen, hour) for of, seen in held.items()])
            self._hour, self._named = hour, named
        except BaseException:
            for place, seen in held.items():
                since = self._held.setdefault(place, seen)
                if since is not seen:
                    since.first, since.count = seen.first, since.count + seen.count
            raise

    async def add(self, findings: Sequence[Finding]) -> None:
        if not findings:
            return
        async with self.pool.acquire() as connection, connection.transaction():
            new = await record(connection, findings, self.now(), self.marks)
        for finding in new:
            self.on_finding(finding)


class ToldSource(KafkaSource):
    """Gives out nothing before what was foreign in it, or decided by no commit, is written."""

    def __init__(
        self,
        log: KafkaLog,
        partitions: Sequence[Partition],
        foreign: Foreigners,
        reconciled: Mapping[str, Reconciliation],
    ) -> None:
        """`reconciled`: by topic."""
        super().__init__(log, partitions)
        self._foreign = foreign
        self._reconciled = reconciled

    async def batch(self, limit: int) -> Sequence[Arrived]:
        found = await super().batch(limit)
        await self._foreign.write()
        wrong: list[Finding] = []
        for topic, reconciliation in self._reconciled.items():
            wrong += await reconciliation.events([each for each in found if each.topic == topic])
        await self._foreign.add(wrong)
        return found


def _one_of(named: Counter[_Class], of: _Class, seen: _Seen, hour: int) -> Finding:
    topic = of[0]
    if sum(count for each, count in named.items() if each[0] == topic) < (PLACED if of in named else 2 * PLACED):
        named[of] += 1
        return _finding(seen)
    since = datetime.fromtimestamp(hour * _HOUR_MS // 1000, UTC).isoformat()
    detail = f"more foreign records than {PLACED} incidents of the hour since {since} tell of; they count for nothing"
    return Finding(Kind.FOREIGN, topic, detail, topic=topic)


def _finding(seen: _Seen) -> Finding:
    first = seen.first
    at = datetime.fromtimestamp(min(max(0, first.time), MAX_MOMENT) / 1000, UTC).isoformat(timespec="milliseconds")
    who = f"says {first.writer} has written it" if first.writer else "names nobody of this house"
    more = f"; {seen.count} of them up to offset {seen.last}" if seen.count > 1 else ""
    detail = f"a foreign record counts for nothing: {first.why}, {who}, the broker took it in at {at}{more}"
    return Finding(Kind.FOREIGN, first.topic, detail, None, first.topic, first.partition, first.offset)
