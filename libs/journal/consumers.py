"""Ending a Kafka consumer, whatever it was doing."""

import asyncio

from aiokafka import AIOKafkaConsumer


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stops it.

    aiokafka 0.14 (pinned) awaits its fetches after cancelling them: one that was cancelled before its first step, or
    while it waits for a broker that is away, would raise that cancellation here, look like one of ours, and leave
    the connection open. So the fetches are ended first, from outside, and their cancellations stay in them.
    """
    await asyncio.sleep(0)
    fetcher = consumer._fetcher
    if fetcher is not None and not consumer._closed:
        fetcher._fetch_task.cancel()
        await asyncio.wait([fetcher._fetch_task])
        fetches = list(fetcher._pending_tasks)
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)
        fetcher._pending_tasks.clear()
    await consumer.stop()
