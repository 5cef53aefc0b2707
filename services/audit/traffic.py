"""Reads what no other part of the auditor reads: commands, replies, private deals, snapshots, parked records.

Of most of it only the marks are looked at; commands and replies are held against the commits, and wait for these. So
what is none of either has a reader of its own: days behind, too, the auditor knows at once who is blocked.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from aiokafka.errors import KafkaError, OffsetOutOfRangeError

from libs.contracts.topics import Topic
from libs.journal.fold import Position
from libs.journal.foreign import Foreign
from libs.journal.kafka_fetch import Followed
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogRecord, LogUnavailable
from libs.journal.marks import writer_of
from libs.projecting import Part, Partition, Pool
from services.audit.foreign import Foreigners
from services.audit.incidents import record
from services.audit.readers import Stored, move, moved, stored
from services.audit.reconciling import Reconciliation
from services.audit.restrictions import keep, unreadable
from services.audit.told_aside import told_aside
from services.audit.verifying.findings import Finding, Kind

READER = "traffic"
MOST_TOLD = 1_000
"""New incidents an hour of what one service tells on its parked topic: who has its login and keys writes there what he
likes. That there was more is an incident itself."""
_PAGE = 500
_PATIENCE_S, _ASK_S = 1.0, 0.1
"""So long commands wait for answers that are there and did not come yet: who fills that topic with what is foreign does
not keep us from the others."""


_NOT_READ = (
    "{:,} records were gone before the auditor had read them: it stood for longer than the topic keeps them, or "
    "somebody took them away"
)


class Traffic:
    """One reader of some topics; its positions are kept as it goes. After an exception, `run` again."""

    def __init__(
        self,
        log: KafkaLog,
        pool: Pool,
        of_house: int,
        prefix: str,
        topics: Sequence[Topic],
        partitions: Sequence[int],
        reconciled: Mapping[str, Reconciliation],
        foreign: Foreigners,
        on_finding: Callable[[Finding], None] = lambda finding: None,
        part: Part | None = None,
    ) -> None:
        """Those `partitions` of each topic that it has in a house of `of_house`. `reconciled`: by service. `part` is
        told of each step."""
        self._log = log
        self._pool = pool
        self._kinds = {prefix + each.name: each for each in topics}
        self._places = [
            (prefix + each.name, number)
            for each in topics
            for number in partitions
            if number < each.partitions(of_house)
        ]
        self._reconciled = reconciled
        self._foreign = foreign
        self._on_finding = on_finding
        self._part = part or Part(READER)
        self._met: dict[Partition, int] = {}
        """Behind the last record that came, looked at or not."""
        self._arrived = asyncio.Event()
        self._set_aside = 0
        self._told: dict[str, tuple[int, int]] = {}
        """By parked topic the last hour in which something new was told, and how much."""

    def told(self) -> str | None:
        """What `ready` says of notices that were set aside since this process reads."""
        return f"{self._set_aside} notices of sessions are set aside, see the incidents" if self._set_aside else None

    async def run(self) -> None:
        """Until cancelled. Raises `LogUnavailable`, `PositionLost`, and what the database says."""
        self._part.begin()
        followed = [self._log.followed(place, self._arrived.set) for place in self._places]
        try:
            await self._log.cluster.join()
        except KafkaError as wrong:
            raise LogUnavailable(type(wrong).__name__) from wrong
        lines = []
        try:
            for topic in self._kinds:
                await self._log.cluster.partitions(topic)
            positions = await self._positions(followed)
            lines = [self._log.follow(each) for each in followed]
            while True:
                self._part.begin()
                while (each := await self._next(followed)) is not None:
                    if page := await self._page(each):
                        lines[followed.index(each)].taken()
                        new = self._met[each.place] = page[-1].offset + 1
                        await self._look(each.place, page)
                        positions[each.place] = await self._move(each.place, positions[each.place], new)
                        self._tell(positions)
                        self._part.begin()
                self._tell(positions)
                await self._arrived.wait()
        except KafkaError as wrong:
            raise LogUnavailable(type(wrong).__name__) from wrong
        finally:
            for line, each in zip(lines, followed, strict=False):
                line.remove(each)
            self._log.cluster.leave()

    def _tell(self, positions: Mapping[Partition, Stored]) -> None:
        """A step has ended where everything that came is passed: a round without records after a fault is no end."""
        if all((positions[place].position or Position()).next >= met for place, met in self._met.items()):
            self._part.end()

    async def _positions(self, followed: Sequence[Followed]) -> dict[Partition, Stored]:
        """Where to go on; the earliest that is left where nothing was read, retention took what comes next, or somebody
        else has written the position."""
        beginnings = await self._log.cluster.offsets(self._places, -2)
        async with self._pool.acquire() as connection:
            rows = await stored(connection, self._log.marks, READER, self._places)
        anew = "all that is there is read again"
        told = [moved(place, row.next, anew) for place, row in rows.items() if row.position is None]
        read = {place: row.position.next for place, row in rows.items() if row.position is not None}
        await self._foreign.add([*told, *self._gone(read, beginnings)])
        for each in followed:
            position = rows.get(each.place, Stored()).position or Position()
            each.seek(max(position.next, beginnings[each.place]))
        return {place: rows.get(place, Stored()) for place in self._places}

    def _gone(self, read: Mapping[Partition, int], beginnings: Mapping[Partition, int]) -> list[Finding]:
        """Of each place that begins beyond what was `read` of it: nobody will hold that against anything any more."""
        return [
            Finding(
                Kind.NOT_READ, topic, _NOT_READ.format(beginnings[topic, number] - next_), None, topic, number, next_
            )
            for (topic, number), next_ in read.items()
            if next_ < beginnings[topic, number]
        ]

    async def _next(self, followed: Sequence[Followed]) -> Followed | None:
        """Of what has come, what was written first; None: nothing has.

        So an answer is heard soon after its command, also where much is caught up with: read one after the other,
        thousands of commands would seem to wait that were answered long ago.
        """
        self._arrived.clear()
        until = time.monotonic() + _PATIENCE_S
        while news := [each for each in followed if each.has_news]:
            first = min(news, key=lambda each: each.records[0].timestamp if each.records else 0)
            if time.monotonic() > until or not self._waits_for_answers(first, followed):
                return first
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), _ASK_S)
            self._arrived.clear()
        return None

    def _waits_for_answers(self, first: Followed, followed: Sequence[Followed]) -> bool:
        """Whether it is commands, of which many are open already, and answers are on their way here."""
        topic, partition = first.place
        if self._kinds[topic].kind != "commands" or not self._many_open(topic, partition):
            return False
        answers = [each for each in followed if self._kinds[each.place[0]].kind == "replies"]
        return any(not each.has_news and each.position < each.end for each in answers)

    def _many_open(self, topic: str, partition: int) -> bool:
        return any(each.undecided.many(partition) for name, each in self._reconciled.items() if f".{name}." in topic)

    async def _page(self, each: Followed) -> list[LogRecord]:
        try:
            return each.take(_PAGE)
        except OffsetOutOfRangeError:
            beginning = await self._log.cluster.offsets([each.place], -2)
            await self._foreign.add(self._gone({each.place: each.position}, beginning))
            each.seek(beginning[each.place])
            return []

    async def _look(self, place: Partition, page: Sequence[LogRecord]) -> None:
        topic, partition = place
        kind = self._kinds[topic].kind
        found: list[Finding] = []
        for service, reconciliation in self._reconciled.items():
            if kind == "commands" and f".{service}." in topic:
                for each in page:
                    reconciliation.command(partition, each)
            elif kind == "replies":
                theirs = [each for each in page if writer_of(each.headers) == service]
                found += await reconciliation.replies(topic, partition, theirs)
        if kind == "parked":
            found += self._bounded(topic, told_aside(page))
        kept = kind == "sessions"
        if found or kept:
            async with self._pool.acquire() as connection, connection.transaction():
                found += await keep(connection, topic, partition, page, self._log.marks) if kept else []
                self._set_aside += sum(kept and finding.kind is Kind.SET_ASIDE for finding in found)
                new = await record(connection, found, int(time.time() * 1000), self._log.marks)
            if kind == "parked":
                hour = _hour()
                self._told[topic] = hour, self._new_in(topic, hour) + len(new)
            for finding in new:
                self._on_finding(finding)
        for each in page if kept else ():
            if unreadable(each):
                why, writer = "it is no notice of sessions", writer_of(each.headers)
                self._foreign.tell(Foreign(topic, partition, each.offset, why, writer, each.timestamp))

    def _bounded(self, topic: str, told: list[Finding]) -> list[Finding]:
        if not told or self._new_in(topic, _hour()) < MOST_TOLD:
            return told
        return [
            Finding(Kind.PASSED_OVER, topic, f"more than {MOST_TOLD} new things an hour are told here", None, topic)
        ]

    def _new_in(self, topic: str, hour: int) -> int:
        last, count = self._told.get(topic, (hour, 0))
        return count if last == hour else 0

    async def _move(self, place: Partition, old: Stored, new: int) -> Stored:
        await self._foreign.write()
        async with self._pool.acquire() as connection:
            return await move(connection, self._log.marks, READER, place, old, Position(new))


def _hour() -> int:
    return int(time.time()) // 3600
