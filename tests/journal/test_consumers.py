"""Ending consumers: what the library cancels inside must not come out as a cancellation of ours."""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import NodeNotReadyError

from libs.broker import Broker
from libs.journal.kafka_group import stop_consumer
from libs.journal.tasks import together

pytestmark = pytest.mark.stack


async def test_a_consumer_ends_while_a_fetch_waits_to_be_tried_again(kafka: Broker, topics: str) -> None:
    """As when its broker is away: the fetch sleeps before the next try, and is cancelled there."""
    consumer = AIOKafkaConsumer(**kafka.options(), group_id=None, retry_backoff_ms=60_000)
    await consumer.start()
    place = TopicPartition(topics + "croupier.wallet.journal.v1", 0)
    consumer.assign([place])
    consumer.seek(place, 0)
    fetcher = consumer._fetcher
    asleep = asyncio.Event()

    async def not_ready(*_: object, **__: object) -> None:
        asleep.set()
        raise NodeNotReadyError

    consumer._client.send = not_ready
    reading = asyncio.create_task(consumer.getmany(timeout_ms=60_000))
    await asyncio.wait_for(asleep.wait(), 60)
    await stop_consumer(consumer)
    assert fetcher._fetch_task.done()
    reading.cancel()
    await asyncio.wait([reading])


async def test_what_is_cancelled_from_within_is_a_mishap_and_no_end() -> None:
    async def mishap() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="cancelled from within"):
        await together(mishap(), asyncio.sleep(60))
