"""From a command's sending to its reply's reading, at a given rate: our runners, and the raw loop, heard alike."""

import asyncio
import time
from collections.abc import Sequence

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from libs.broker import Broker
from libs.journal.kafka_group import stop_consumer
from libs.journal.names import Names
from tests.bench.core.accounts import Load, turns
from tests.bench.core.broker import Answered, Bytes, raw_loops, runners, send_all, topics
from tests.testkit.marks import GATEWAY, written_by
from tests.testkit.partitions import PARTITIONS

Asked = list[list[tuple[float, str]]]
"""By partition: when, and the command's id."""
Heard = list[list[tuple[float, bytes]]]
"""By partition: when, and the reply."""
_WARM = 0.2
"""Share of the commands at the beginning that is not counted."""


class _Id(msgspec.Struct):
    command_id: str


class _Command(msgspec.Struct):
    id: str


async def ours(broker: Broker, load: Load, rate: float) -> list[float]:
    """Seconds, one for each command after the first fifth."""
    async with topics(broker) as names:
        await send_all(broker, names.commands, load.opening)
        answered = Answered(sum(map(len, load.opening)))
        async with runners(broker, names, answered) as made:
            await answered.all.wait()
            for each in made:
                await each._out.flushed()  # so that no answer to an opening is heard below
            sent, heard = await _talk(broker, names, load, rate)
    told = {msgspec.json.decode(value, type=_Id).command_id: at for partition in heard for at, value in partition}
    return _counted([(at, told[command]) for partition in sent for at, command in partition])


async def raw(broker: Broker, load: Load, written: Bytes, rate: float) -> list[float]:
    """The same commands through the raw loop; its replies come in the order of the commands."""
    async with topics(broker) as names, raw_loops(broker, names, written) as loops:
        running = [asyncio.create_task(each.run(len(load.deposits[each.partition]))) for each in loops]
        sent, heard = await _talk(broker, names, load, rate)
        await asyncio.gather(*running)
    pairs = [(at, when) for p in range(PARTITIONS) for (at, _), (when, _) in zip(sent[p], heard[p], strict=True)]
    return _counted(pairs)


async def _talk(
    broker: Broker, names: Names, load: Load, rate: float
) -> tuple[list[list[tuple[float, str]]], list[list[tuple[float, bytes]]]]:
    hearing = [await _ear(broker, names.replies, partition) for partition in range(PARTITIONS)]
    heard: Heard = [[] for _ in range(PARTITIONS)]
    listening = [
        asyncio.create_task(_listen(consumer, len(load.deposits[p]), heard[p])) for p, consumer in enumerate(hearing)
    ]
    sent = await _send(broker, names, load, rate)
    async with asyncio.timeout(120):
        await asyncio.gather(*listening)
    for consumer in hearing:
        await stop_consumer(consumer)
    return sent, heard


async def _ear(broker: Broker, topic: str, partition: int) -> AIOKafkaConsumer:
    consumer = AIOKafkaConsumer(**broker.options(), group_id=None, enable_auto_commit=False)
    await consumer.start()
    place = TopicPartition(topic, partition)
    consumer.assign([place])
    consumer.seek(place, (await consumer.end_offsets([place]))[place])
    return consumer


async def _listen(consumer: AIOKafkaConsumer, count: int, into: list[tuple[float, bytes]]) -> None:
    while len(into) < count:
        for records in (await consumer.getmany(timeout_ms=500)).values():
            now = time.perf_counter()
            into += [(now, record.value) for record in records]


async def _send(broker: Broker, names: Names, load: Load, rate: float) -> Asked:
    sent: Asked = [[] for _ in range(PARTITIONS)]
    async with AIOKafkaProducer(**broker.options(), acks="all", linger_ms=0) as producer:
        began = time.perf_counter()
        for count, (partition, key, value) in enumerate(turns(load)):
            due = began + count / rate
            if due > time.perf_counter():
                await asyncio.sleep(due - time.perf_counter())
            sent[partition].append((time.perf_counter(), msgspec.json.decode(value, type=_Command).id))
            await producer.send(**written_by(GATEWAY, names.commands, partition, key, value))
        await producer.flush()
    return sent


def _counted(pairs: Sequence[tuple[float, float]]) -> list[float]:
    in_order = sorted(pairs)
    return [told - asked for asked, told in in_order[int(_WARM * len(in_order)) :]]
