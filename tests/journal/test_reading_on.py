"""Reading goes on by itself after nobody led what is followed, and says meanwhile that nothing is answered."""

import asyncio
from typing import Any

import pytest
from aiokafka.errors import NodeNotReadyError

from libs.broker import Broker
from libs.broker.protocol import Ready
from libs.journal import kafka_log
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import Call, Place
from tests.journal.house import until
from tests.testkit.marks import WALLET

pytestmark = pytest.mark.stack
JOURNAL = "croupier.wallet.journal.v1"


class Stopping:
    """What a process sees of the only broker while it stops: it says that nobody leads, then it is gone."""

    def __init__(self, log: KafkaLog) -> None:
        self.away = False
        self._log = log
        self._leader, self._call = log.cluster.leader, log.cluster.call
        log.cluster.leader = self.leader  # type: ignore[method-assign]
        log.cluster.call = self.call  # type: ignore[method-assign]

    def leader(self, place: Place) -> int | None:
        return None if self.away else self._leader(place)

    async def call(self, node: int, lane: str, request: Call | Ready) -> Any:
        if self.away:
            raise NodeNotReadyError
        return await self._call(node, lane, request)


async def test_reading_goes_on_after_nobody_led_a_partition(
    kafka: Broker, topics: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_log, "SILENT_S", 0.5)
    log = KafkaLog(kafka, WALLET, fetch_wait_ms=100)
    writer = KafkaLog(kafka, WALLET)
    appender = await writer.appender(topics + JOURNAL, 0)
    await log.cluster.join()
    await log.cluster.partitions(topics + JOURNAL)
    arrived = asyncio.Event()
    followed = log.followed((topics + JOURNAL, 0), arrived.set)
    followed.seek(0)
    line = log.follow(followed)
    found: list[bytes | None] = []

    async def follow() -> None:
        """As a gateway does, which asks for nothing by itself."""
        while True:
            await arrived.wait()
            arrived.clear()
            found.extend(each.value for each in followed.take(10))

    following = asyncio.create_task(follow())
    try:
        await appender.append([(b"k", b"before")])
        await until(lambda: found == [b"before"], 10)
        assert log.why_silent() is None

        broker = Stopping(log)
        broker.away = True
        await until(lambda: log.why_silent() is not None, 10)
        assert f"{JOURNAL}/0" in (log.why_silent() or "")
        broker.away = False

        await appender.append([(b"k", b"after")])
        await until(lambda: found == [b"before", b"after"], 10)
        await until(lambda: log.why_silent() is None, 10)
    finally:
        following.cancel()
        await asyncio.wait([following])
        line.remove(followed)
        log.cluster.leave()
        await appender.abandon()
