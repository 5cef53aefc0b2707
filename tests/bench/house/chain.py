"""A raw aiokafka chain with the hops and bytes of an act: what the broker and its client take without any house.

Two processes. The edge writes a command; the desk reads it, appends to the journal, and once that is acknowledged
writes the answer and the events, both of which the edge reads. Nothing is decided, checked, folded or encoded.
"""

import asyncio
import json
import random
import sys
import time
from typing import Any

import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from libs.broker import Broker, BrokerSettings
from tests.testkit.partitions import PARTITIONS


async def _producer(broker: Broker) -> AIOKafkaProducer:
    producer = AIOKafkaProducer(**broker.options(), acks="all", enable_idempotence=True, linger_ms=0)
    await producer.start()
    return producer


async def _consumer(broker: Broker, topics: list[str]) -> AIOKafkaConsumer:
    consumer = AIOKafkaConsumer(**broker.options(), group_id=None, enable_auto_commit=False)
    await consumer.start()
    places = [TopicPartition(topic, partition) for topic in topics for partition in range(PARTITIONS)]
    consumer.assign(places)
    await consumer.seek_to_end(*places)
    return consumer


async def desk(job: dict[str, Any]) -> None:
    """Until its input ends."""
    producer = await _producer(BrokerSettings().broker)
    consumer = await _consumer(BrokerSettings().broker, [job["prefix"] + "commands"])
    payload = {hop: bytes(max(1, job["bytes"][hop] - 16)) for hop in job["bytes"]}

    async def decided(partition: int, key: bytes) -> None:
        await (await producer.send(job["prefix"] + "journal", payload["journal"], key, partition))
        for hop in ("replies", "events"):
            await producer.send(job["prefix"] + hop, payload[hop], key, partition)

    async def serve() -> None:
        tasks: set[asyncio.Task[None]] = set()
        while True:
            for place, records in (await consumer.getmany(timeout_ms=500)).items():
                for record in records:
                    task = asyncio.create_task(decided(place.partition, record.key))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)

    serving = asyncio.create_task(serve())
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await consumer.stop()
    await producer.stop()


async def edge(job: dict[str, Any]) -> None:
    """Sends `rate` commands a second for `seconds`, at random moments; prints each with its times.

    It ends with its input."""
    producer = await _producer(BrokerSettings().broker)
    answers = await _consumer(BrokerSettings().broker, [job["prefix"] + "replies"])
    events = await _consumer(BrokerSettings().broker, [job["prefix"] + "events"])
    sent: dict[bytes, float] = {}
    heard: dict[str, dict[bytes, float]] = {"replies": {}, "events": {}}

    async def listen(consumer: AIOKafkaConsumer, into: dict[bytes, float]) -> None:
        while True:
            for records in (await consumer.getmany(timeout_ms=500)).values():
                now = time.monotonic()
                into.update((record.key, now) for record in records)

    listening = [
        asyncio.create_task(listen(answers, heard["replies"])), asyncio.create_task(listen(events, heard["events"])),
    ]  # fmt: skip
    payload, dice = bytes(max(1, job["bytes"]["commands"] - 16)), random.Random(1)
    began = due = time.monotonic()
    print("ready", flush=True)
    number = 0
    while due - began < job["seconds"]:
        await asyncio.sleep(due - time.monotonic())
        key = number.to_bytes(16, "big")
        sent[key] = time.monotonic()
        await producer.send(job["prefix"] + "commands", payload, key, number % PARTITIONS)
        number += 1
        due += dice.expovariate(job["rate"])
    await asyncio.sleep(0.5)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    rows = [(at, heard["replies"].get(key), heard["events"].get(key)) for key, at in sent.items()]
    print(json.dumps(rows), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # whoever measures may still read our time
    await asyncio.gather(answers.stop(), events.stop(), producer.stop())


if __name__ == "__main__":
    uvloop.run({"desk": desk, "edge": edge}[sys.argv[1]](json.loads(sys.argv[2])))
