"""From a real topic, with repetitions and nonsense in it, over restarts: nothing missing and nothing twice."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import OffsetOutOfRangeError

from libs.broker import Broker
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import TableClosed
from libs.projecting import (
    Connection,
    KafkaSource,
    Partition,
    Projector,
    Told,
    books_log,
    completeness,
    migrate,
    open_gaps,
    open_pool,
    parked_count,
)
from libs.projecting.acceptance import Accepted, rolled
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack
TOPIC = "croupier.table.events.v1"
NAME = "counting"


async def lag(connection: Connection, projection: str, ends: Mapping[Partition, int]) -> dict[Partition, int]:
    """Records not read yet, per partition. Negative: the position is ahead of the log, which was cut or replaced."""
    rows = await connection.fetch("select topic, partition, position from positions where projection = $1", projection)
    stored = {(row["topic"], row["partition"]): int(row["position"]) for row in rows}
    return {partition: end - stored.get(partition, 0) for partition, end in ends.items()}


class Counting:
    """Counts facts per stream, so that a lost or doubled one shows."""

    name = NAME

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        await connection.executemany(
            "insert into counted (stream, version) values ($1, $2)", [(e.stream, e.version) for e, _ in facts]
        )


def event(stream: str, version: int) -> PublicEvent:
    return PublicEvent(
        stream=stream, version=version, type="croupier.table.table_closed.v1", time=version, causation="c",
        data=encode_fact(TableClosed(table=stream))[1])  # fmt: skip


async def publish(kafka: Broker, topic: str, events: list[PublicEvent | None]) -> None:
    async with AIOKafkaProducer(**kafka.options(), linger_ms=5) as producer:
        for each in events:
            if each is None:
                await producer.send(topic, b"{", key=b"?", partition=0)
            else:
                key, value, headers = to_record(each)
                await producer.send(topic, value, key, partition_of(each.stream, 2), headers=list(headers))


async def test_over_restarts_and_repetitions_complete(kafka: Broker, topics: str, database: str) -> None:
    log = [event(stream, version) for version in range(1, 1001) for stream in ("table-1", "table-2", "table-3")]
    await publish(kafka, topics + TOPIC, [*log[:1500], None, *log[900:2100], *log[2000:]])
    await migrate(database, "counts")
    pool = await open_pool(database, "counts")
    await pool.execute("create table counted (stream text, version bigint, primary key (stream, version))")
    partitions = [(topics + TOPIC, 0), (topics + TOPIC, 1)]

    started, restarts, dice = time.perf_counter(), 0, Random(7)
    while True:
        source = KafkaSource(books_log(kafka, UNMARKED), partitions, wait_ms=50)
        progressed = asyncio.Event()

        def on_batch(batch: Accepted, seconds: float, told: asyncio.Event = progressed) -> None:
            told.set()

        projector = Projector(pool, NAME, [Counting()], source, limit=200, on_batch=on_batch)
        running = asyncio.create_task(projector.run())
        with suppress(TimeoutError):
            await asyncio.wait_for(progressed.wait(), 2)
        await asyncio.sleep(dice.random() * 0.01)
        running.cancel()  # wherever it is, also in the middle of a transaction
        await asyncio.gather(running, return_exceptions=True)
        async with pool.acquire() as connection:
            behind = await lag(connection, NAME, await source.ends())
        await source.close()
        restarts += 1
        if not any(behind.values()) or time.perf_counter() - started > 30:
            break

    assert restarts > 1
    assert await pool.fetchval("select count(*) from counted") == len(log)
    digests = {partition: b"" for _, partition in partitions}
    for each in log:
        digests[partition_of(each.stream, 2)] = rolled(digests[partition_of(each.stream, 2)], each)
    async with pool.acquire() as connection:
        assert {c.partition: c.digest for c in await completeness(connection, NAME)} == {
            partition: digest.hex() for partition, digest in digests.items()
        }
        assert await open_gaps(connection, NAME) == []
        assert await parked_count(connection, NAME) == 1
    await pool.close()


async def test_a_position_ahead_of_the_log_is_not_glossed_over(kafka: Broker, topics: str, database: str) -> None:
    await publish(kafka, topics + TOPIC, [event("table-1", 1)])
    await migrate(database, "counts")
    pool = await open_pool(database, "counts")
    await pool.execute("insert into positions values ($1, $2, 0, 99, 99)", NAME, topics + TOPIC)
    source = KafkaSource(books_log(kafka, UNMARKED), [(topics + TOPIC, 0)], wait_ms=50)
    with pytest.raises(OffsetOutOfRangeError):
        async with asyncio.timeout(60):
            await Projector(pool, NAME, [Counting()], source).run()
    async with pool.acquire() as connection:
        assert min((await lag(connection, NAME, await source.ends())).values()) < 0
    await source.close()
    await pool.close()
