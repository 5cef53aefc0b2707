"""Notices about sessions over Kafka: acknowledged before they count, marked as gateways' like every record.

The topic is compacted, and who administers the broker can have a true notice compacted away behind a foreign record of
its key, cut the topic, or make it anew. What a gateway has heard it still knows: it tells it again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from random import random
from typing import TypeVar

import httpx
import msgspec
from aiokafka.errors import KafkaError

from libs.contracts.session_notices import KeptNotice, SessionNotice
from libs.contracts.topics import SESSIONS, partition_of
from libs.edge.problems import Problem
from libs.journal.foreign import Foreign
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogRecord, LogUnavailable, OutRecord
from libs.journal.marks import RETIRED, Marking, Place
from libs.telemetry import get_logger
from libs.telemetry.figures import counter
from services.gateway.app.standing import Standing
from services.gateway.kafka.reads_topic import TopicReader

NOTICES = counter("croupier_gateway_session_notices")
FORGET_EVERY_S = 3600.0
_SLACK_MS = 60_000
"""No gateway's clock is so far behind another's that it still needs what was over so long ago."""
_LEFT_MS = 3 * 3_600_000
"""After this what another gateway told, and has not taken out, has nobody else to do it."""
AT_ONCE = 500
"""Records that are acknowledged together; a player's logout waits behind so many."""
LOOK_EVERY_S = 5.0
"""Far less than it takes until a foreign record makes a true one go: segments are closed once in a minute."""
_ANYWHERE = 2**62
"""Where a kept record lay nobody proves, so none counts for being older than the house's marks."""
_log = get_logger(__name__)
T = TypeVar("T")
Kept = Callable[[str | None], Awaitable[tuple[list[SessionNotice], str | None]]]
"""A page of what the auditor has kept, behind a place, and where the next one begins."""


class _Page(msgspec.Struct):
    notices: list[KeptNotice]
    next_after: str | None = None


class BlocksKept:
    """The auditor's memory of who is kept out. Of it only what bears a gateway's true mark counts: who has the
    auditor's database makes none."""

    def __init__(self, audit: httpx.AsyncClient, marks: Marking) -> None:
        self._audit = audit
        self._marks = marks

    async def page(self, after: str | None) -> tuple[list[SessionNotice], str | None]:
        """What holds, behind a page's end (None: from the beginning), and where the next one begins; None: there is
        none. Raises httpx.HTTPError, msgspec.MsgspecError."""
        where = {} if after is None else {"after": after}
        answer = await self._audit.get("/v1/restrictions/holding", params=where)
        answer.raise_for_status()
        said = msgspec.convert(answer.json(), _Page)
        proved = [each for each in said.notices if self._is_ours(each)]
        if len(proved) < len(said.notices):
            NOTICES.labels("unproved").inc(len(said.notices) - len(proved))
            _log.critical(
                "the auditor's trail of blocks holds what no gateway told", rows=len(said.notices) - len(proved)
            )
        return [notice for each in proved if (notice := _notice(each.value)) is not None], said.next_after

    def _is_ours(self, kept: KeptNotice) -> bool:
        if not kept.topic.endswith(SESSIONS.name):
            return False
        record = LogRecord(_ANYWHERE, kept.key, kept.value, kept.headers)
        # A block outlives the key under which it was told.
        return self._marks.why_foreign((kept.topic, kept.partition), record) in (None, RETIRED)


class SessionNotices:
    """Tells and hears."""

    def __init__(self, log: KafkaLog, partitions: int, prefix: str, standing: Standing) -> None:
        self.reader = TopicReader(log, SESSIONS, partitions, prefix, "beginning")
        self._log = log
        self._topic = prefix + SESSIONS.name
        self._partitions = partitions
        self._standing = standing
        self._publisher: KafkaPublisher | None = None
        self._sending = asyncio.Lock()
        self._soon: set[asyncio.Task[None]] = set()
        self._own: set[str] = set()
        """Keys that were told here, and end by themselves: who told them takes them out."""
        self._bounds: dict[Place, tuple[int, int]] = {}
        """Beginning and end of each partition when they were last looked at."""
        self._foreign = False

    async def start(self) -> None:
        self._publisher = await self._log.publisher(self._topic)
        await self.reader.start()
        self._standing.tell, self._standing.tell_soon = self.tell, self.tell_soon

    async def stop(self) -> None:
        await self.reader.stop()
        if self._publisher is not None:
            await self._publisher.abandon()

    async def tell(self, notice: SessionNotice) -> None:
        """`Problem` 503 when the broker does not take it; then it may come into force later, or not at all."""
        await self._tell_all([notice])

    async def _tell_all(self, notices: Sequence[SessionNotice]) -> None:
        try:
            await self._send([self._said(notice) for notice in notices])
        except LogUnavailable:
            self._own.difference_update(notice.key for notice in notices)
            raise Problem(
                503, "busy", "This can't be told to all gateways right now.", headers={"retry-after": "1"}
            ) from None
        for notice in notices:
            self._standing.hear(notice)

    def _said(self, notice: SessionNotice) -> OutRecord:
        if notice.until:
            self._own.add(notice.key)
        return self.record(notice.key, notice.encoded())

    def tell_soon(self, notice: SessionNotice) -> None:
        task = asyncio.ensure_future(self._tell_quietly(notice))
        self._soon.add(task)
        task.add_done_callback(self._soon.discard)

    async def _tell_quietly(self, notice: SessionNotice) -> None:
        try:
            await self._send([self._said(notice)])
        except LogUnavailable as wrong:
            self._own.discard(notice.key)
            _log.warning("a session's use was not told", error=type(wrong).__name__)

    def record(self, key: str, value: bytes | None) -> OutRecord:
        return OutRecord(self._topic, key.encode(), value, (), partition_of(key, self._partitions))

    async def _send(self, records: Sequence[OutRecord]) -> None:
        """In their order, `AT_ONCE` acknowledged together."""
        for part in _parts(records):
            async with self._sending:
                if self._publisher is None:
                    self._publisher = await self._log.publisher(self._topic)
                try:
                    await (await self._publisher.send(part))
                except LogUnavailable:
                    await self._publisher.abandon()
                    self._publisher = None
                    raise

    async def hear(self) -> None:
        """Runs until cancelled."""
        async for batch in self.reader.batches():
            for record in batch:
                if record.value is None and record.key is not None:
                    self._hear_gone(record.key.decode(errors="replace"))
                else:
                    hear_notice(record.value, self._standing)

    def _hear_gone(self, key: str) -> None:
        self._standing.hear_gone(key)
        if not self._standing.is_known(key):
            self._own.discard(key)

    def foreign(self, foreign: Foreign) -> None:
        """Told of every foreign record that this process reads."""
        if foreign.topic == self._topic:
            self._foreign = True

    async def keep(self, every_s: float = LOOK_EVERY_S) -> None:
        """Runs until cancelled: tells again what holds, where the topic may say it no more."""
        await self.reader.catch_up()
        while True:
            try:
                await self._look()
            except (KafkaError, LogUnavailable) as wrong:
                _log.warning("the sessions topic was not looked at", error=type(wrong).__name__)
            await asyncio.sleep(every_s)

    async def _look(self) -> None:
        foreign, self._foreign = self._foreign, False
        try:
            bounds = await self.reader.bounds()
            shrunk = [place for place, now in bounds.items() if _has_lost(self._bounds.get(place, (0, 0)), now)]
            if foreign or shrunk:
                holding = self._standing.holding()
                _log.critical("what holds of sessions is told again", notices=len(holding), cut=len(shrunk))
                await self._send([self.record(notice.key, notice.encoded()) for notice in holding])
            self._bounds = bounds
        except BaseException:
            self._foreign |= foreign
            raise

    async def restore(self, kept: Kept | None) -> None:
        """Once, as soon as the auditor answers: what keeps players out and the topic lost while no gateway lived. Page
        by page; after a failure it goes on with the page that failed."""
        await self.reader.catch_up()
        after, missed, last = None, 0, kept is None
        while kept is not None and not last:
            try:
                notices, behind = await kept(after)
                lost = self._standing.lost(notices)
                await self._tell_all(lost)
            except (httpx.HTTPError, msgspec.MsgspecError, Problem) as wrong:
                _log.warning("the auditor's trail of blocks can't be read", error=type(wrong).__name__)
                await asyncio.sleep(LOOK_EVERY_S)
                continue
            missed, after, last = missed + len(lost), behind, behind is None
        if missed:
            _log.critical("the sessions topic had lost what keeps players out; it is told again", notices=missed)

    async def forget(self) -> None:
        """Runs until cancelled: what concerns sessions that are over anyway leaves the topic."""
        await self.reader.catch_up()
        await asyncio.sleep(FORGET_EVERY_S * random())  # noqa: S311 - gateways that start together do not do it together
        while True:
            try:
                await self.take_out(time.time_ns() // 1_000_000)
            except LogUnavailable as wrong:
                _log.warning("sessions that are over stay on their topic for now", error=type(wrong).__name__)
            await asyncio.sleep(FORGET_EVERY_S)

    async def take_out(self, now: int) -> int:
        """Records that it took: for what was told here and is over at `now` (ms), and for what others told and have
        left. All gateways hear it, this one, too, and forget. Raises LogUnavailable."""
        taken = 0
        for part in _parts(self._standing.over(self._own, now - _SLACK_MS, now - _LEFT_MS)):
            keys = [key for key in part if self._standing.is_known(key)]  # another may have come before
            await self._send([self.record(key, None) for key in keys])
            taken += len(keys)
        return taken


def _parts(several: Sequence[T]) -> Iterator[Sequence[T]]:
    return (several[at : at + AT_ONCE] for at in range(0, len(several), AT_ONCE))


def hear_notice(value: bytes | None, standing: Standing) -> None:
    """Nothing is left of what was forgotten; what is no notice is counted and told."""
    if value is None or (notice := _notice(value)) is None:
        return
    NOTICES.labels("heard").inc()
    standing.hear(notice)


def _notice(value: bytes) -> SessionNotice | None:
    try:
        return SessionNotice.decoded(value)
    except msgspec.MsgspecError:
        NOTICES.labels("undecodable").inc()
        _log.error("a record of sessions is no notice")
        return None


def _has_lost(before: tuple[int, int], now: tuple[int, int]) -> bool:
    """Compaction moves neither beginning nor end."""
    return now[0] > before[0] or now[1] < before[1]
