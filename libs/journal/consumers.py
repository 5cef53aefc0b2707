"""Ending a Kafka consumer, whatever it was doing."""

import asyncio

from aiokafka import AIOKafkaConsumer


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stops it.

    aiokafka 0.14 awaits its own tasks after cancelling them; one that was cancelled before its first step would raise
    that cancellation here and leave the connection open. So each of them gets its first step.
    """
    await asyncio.sleep(0)
    await consumer.stop()
