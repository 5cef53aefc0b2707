"""Ending producers: what nobody waits for any more is no error in the log."""

import asyncio
from typing import Any

import pytest
from aiokafka.errors import NodeNotReadyError

from libs.journal.kafka_log import KafkaLog

pytestmark = pytest.mark.stack


async def test_the_failure_of_an_append_that_was_given_up_is_not_left_unread(kafka: str, topics: str) -> None:
    """As when the broker is away and the runner starts over: asyncio would log an error for each unread failure."""
    appender = await KafkaLog(kafka).appender(topics + "croupier.wallet.journal.v1", 0)
    accumulator = appender._producer._message_accumulator
    asked = asyncio.Event()

    async def not_ready(*_: object, **__: object) -> Any:
        asked.set()
        raise NodeNotReadyError

    appender._producer.client.send = not_ready
    appending = asyncio.create_task(appender.append([(b"k", b"1")]))
    await asyncio.wait_for(asked.wait(), 60)
    batches = [*accumulator._pending_batches, *(batch for queue in accumulator._batches.values() for batch in queue)]
    appending.cancel()
    await asyncio.wait([appending])
    await appender.abandon()
    assert appender._closing is not None
    await asyncio.wait_for(appender._closing, 60)

    (batch,) = batches
    told = [batch.future, batch._drain_waiter]
    assert all(future.done() for future in told)
    assert not any(future._log_traceback for future in told)
