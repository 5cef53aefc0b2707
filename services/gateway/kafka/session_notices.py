"""Notices about sessions over Kafka: acknowledged before they count, marked as gateways' like every record."""

import asyncio
import time

import msgspec
from prometheus_client import Counter

from libs.contracts.session_notices import SessionNotice
from libs.contracts.topics import SESSIONS, partition_of
from libs.edge.problems import Problem
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogUnavailable, OutRecord
from libs.telemetry import get_logger
from services.gateway.app.standing import Standing
from services.gateway.kafka.reads_topic import TopicReader

NOTICES = Counter(
    "croupier_gateway_session_notices", "Notices about sessions read, by what became of them", ("result",)
)
FORGET_EVERY_S = 3600.0
_log = get_logger(__name__)


class SessionNotices:
    """Tells and hears."""

    def __init__(self, log: KafkaLog, prefix: str, standing: Standing) -> None:
        self.reader = TopicReader(log, SESSIONS, prefix, "beginning")
        self._log = log
        self._topic = prefix + SESSIONS.name
        self._standing = standing
        self._publisher: KafkaPublisher | None = None
        self._sending = asyncio.Lock()
        self._soon: set[asyncio.Task[None]] = set()

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
        try:
            await self._send(self.record(notice.key, notice.encoded()))
        except LogUnavailable:
            raise Problem(
                503, "busy", "This can't be told to all gateways right now.", headers={"retry-after": "1"}
            ) from None
        self._standing.hear(notice)

    def tell_soon(self, notice: SessionNotice) -> None:
        task = asyncio.ensure_future(self._tell_quietly(notice))
        self._soon.add(task)
        task.add_done_callback(self._soon.discard)

    async def _tell_quietly(self, notice: SessionNotice) -> None:
        try:
            await self._send(self.record(notice.key, notice.encoded()))
        except LogUnavailable as wrong:
            _log.warning("a session's use was not told", error=type(wrong).__name__)

    def record(self, key: str, value: bytes | None) -> OutRecord:
        return OutRecord(self._topic, key.encode(), value, (), partition_of(key, SESSIONS.partitions))

    async def _send(self, record: OutRecord) -> None:
        async with self._sending:
            if self._publisher is None:
                self._publisher = await self._log.publisher(self._topic)
            try:
                await (await self._publisher.send([record]))
            except LogUnavailable:
                await self._publisher.abandon()
                self._publisher = None
                raise

    async def hear(self) -> None:
        """Runs until cancelled."""
        async for batch in self.reader.batches():
            for record in batch:
                hear_notice(record.value, self._standing)

    async def forget(self) -> None:
        """Runs until cancelled: what concerns sessions that are over anyway leaves the topic."""
        while True:
            await asyncio.sleep(FORGET_EVERY_S)
            for key in self._standing.forget(time.time_ns() // 1_000_000):
                try:
                    await self._send(self.record(key, None))
                except LogUnavailable:
                    break  # the next gateway that reads it forgets it


def hear_notice(value: bytes | None, standing: Standing) -> None:
    """Nothing is left of what was forgotten; what is no notice is counted and told."""
    if value is None:
        return
    try:
        notice = SessionNotice.decoded(value)
    except msgspec.MsgspecError:
        NOTICES.labels("undecodable").inc()
        _log.error("a record on the sessions topic is no notice")
        return
    NOTICES.labels("heard").inc()
    standing.hear(notice)
