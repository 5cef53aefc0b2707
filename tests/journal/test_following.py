"""What one process follows, on the real broker, which holds a request for five seconds where nothing comes."""

import asyncio
from typing import Any

import pytest
from aiokafka.client import AIOKafkaClient

from libs.contracts.topics import topic
from libs.journal.kafka_log import KafkaLog
from libs.stack import Stack
from tests.testkit.marks import WALLET

SLOW_S = 0.3


@pytest.fixture
def slow_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a login on a busy machine: one that is made takes a while, and is not there before."""
    real = AIOKafkaClient._get_conn

    async def slowly(self: Any, node: int, **more: Any) -> Any:
        lane = more.get("group")
        if str(lane).startswith("follow") and (node, lane) not in self._conns:
            await asyncio.sleep(SLOW_S)
        return await real(self, node, **more)

    monkeypatch.setattr(AIOKafkaClient, "_get_conn", slowly)


@pytest.mark.stack
@pytest.mark.usefixtures("slow_connections")
@pytest.mark.parametrize("after_s", [0.1, SLOW_S + 0.2], ids=["as it is made", "as it is made anew"])
async def test_who_comes_while_a_connection_is_made_waits_for_nobody_elses_silence(
    stack: Stack, topics: str, after_s: float
) -> None:
    """A gateway that started took five seconds, or ten, where the last that it followed was left out of a request."""
    log, name = KafkaLog(stack.admin, WALLET), topics + topic("wallet", "journal").name
    appender = await log.appender(name, 2)
    readers = [await log.reader(name, number) for number in range(3)]
    reading = []
    for number, reader in enumerate(readers):
        reading.append(asyncio.create_task(reader.read(0, 1, 10_000)))
        await asyncio.sleep((after_s, 0.1, SLOW_S + 0.3)[number])
    try:
        async with asyncio.timeout(2):
            await appender.append([(b"k", b"v")])
            fetched = await reading[2]
        assert [record.value for record in fetched.records] == [b"v"]
    finally:
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        for reader in readers:
            await reader.close()
        await appender.abandon()
