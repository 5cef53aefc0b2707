"""What every adapter of the `Log` port keeps; run over the simulated log and over Kafka."""

import asyncio
from contextlib import suppress
from uuid import uuid4

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from libs.journal.kafka_log import KafkaLog
from libs.journal.log import AppendUnknown, LogUnavailable, OffsetOutOfRange, OutRecord
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

PARTITIONS = 2


@pytest.fixture(params=["simulated", pytest.param("kafka", marks=pytest.mark.stack)])
async def place(request):
    """(log, topic): a fresh topic with two partitions."""
    if request.param == "simulated":
        yield SimulatedLog(SimulatedBroker(PARTITIONS)), "topic"
        return
    stack = request.getfixturevalue("stack")
    topic = f"contract-{uuid4().hex[:10]}"
    admin = AIOKafkaAdminClient(**stack.admin.options())
    await admin.start()
    await admin.create_topics([NewTopic(topic, PARTITIONS, 1)])
    try:
        yield KafkaLog(stack.admin, UNMARKED, fetch_wait_ms=50), topic
    finally:
        await admin.delete_topics([topic])
        await admin.close()


async def whole(log, topic, partition=0):
    reader = await log.reader(topic, partition)
    records, position, end = [], 0, await reader.end()
    while position < end:
        fetched = await reader.read(position, 100, 200)
        records += fetched.records
        position = fetched.position
    await reader.close()
    return records


async def test_a_batch_lands_whole_at_its_base_offset(place):
    log, topic = place
    appender = await log.appender(topic, 0)

    assert await appender.append([(b"k", b"1"), (b"k", b"2")]) == 0
    assert await appender.append([(b"k", b"3")]) == 2

    records = await whole(log, topic)
    assert [(r.offset, r.key, r.value) for r in records] == [(0, b"k", b"1"), (1, b"k", b"2"), (2, b"k", b"3")]
    await appender.abandon()


async def test_appends_under_way_at_once_keep_their_order(place):
    log, topic = place
    appender = await log.appender(topic, 0)

    bases = await asyncio.gather(*(appender.append([(b"k", b"%d" % n)]) for n in range(50)))

    assert bases == list(range(50))
    assert [r.value for r in await whole(log, topic)] == [b"%d" % n for n in range(50)]
    await appender.abandon()


async def test_partitions_are_apart(place):
    log, topic = place
    first, second = await log.appender(topic, 0), await log.appender(topic, 1)

    assert await first.append([(b"a", b"1")]) == 0
    assert await second.append([(b"b", b"2")]) == 0

    assert [r.value for r in await whole(log, topic, 1)] == [b"2"]
    await first.abandon()
    await second.abandon()


async def test_an_abandoned_appender_is_dead(place):
    log, topic = place
    appender = await log.appender(topic, 0)
    await appender.append([(b"k", b"1")])

    await appender.abandon()
    await appender.abandon()

    with pytest.raises(AppendUnknown):
        await appender.append([(b"k", b"2")])


async def test_a_cancelled_append_kills_the_appender(place):
    log, topic = place
    appender = await log.appender(topic, 0)
    task = asyncio.ensure_future(appender.append([(b"k", b"1")]))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])

    with pytest.raises(AppendUnknown):
        await appender.append([(b"k", b"2")])
    await appender.abandon()


async def test_nothing_is_left_running_behind_an_abandoned_producer(place):
    log, topic = place
    before = asyncio.all_tasks()
    appender, publisher = await log.appender(topic, 0), await log.publisher()
    await appender.append([(b"k", b"1")])
    task = asyncio.ensure_future(appender.append([(b"k", b"2")]))
    await asyncio.sleep(0)

    await appender.abandon()
    await publisher.abandon()
    await asyncio.wait([task])

    for _ in range(200):
        if asyncio.all_tasks() <= before:
            return
        await asyncio.sleep(0.01)
    assert asyncio.all_tasks() <= before


async def test_published_records_land_in_order_with_their_headers(place):
    log, topic = place
    publisher = await log.publisher()
    records = [OutRecord(topic, b"s", b"%d" % n, (("n", b"%d" % n),), 1) for n in range(20)]

    acknowledged = [await publisher.send(records[:10]), await publisher.send(records[10:])]
    for future in acknowledged:
        await future

    landed = await whole(log, topic, 1)
    assert [r.value for r in landed] == [b"%d" % n for n in range(20)]
    assert landed[7].headers == (("n", b"7"),)
    await publisher.abandon()


async def test_a_record_without_partition_goes_where_its_key_belongs(place):
    log, topic = place
    publisher = await log.publisher()
    streams = [f"account-{n}" for n in range(8)]

    await (await publisher.send([OutRecord(topic, stream.encode(), b"x") for stream in streams]))

    for partition in range(PARTITIONS):
        expected = [s.encode() for s in streams if partition_of(s, PARTITIONS) == partition]
        assert [r.key for r in await whole(log, topic, partition)] == expected
    await publisher.abandon()


async def test_an_abandoned_publisher_is_dead(place):
    log, topic = place
    publisher = await log.publisher()
    await publisher.abandon()
    with pytest.raises(LogUnavailable):
        await publisher.send([OutRecord(topic, b"k", b"x", (), 0)])


async def test_a_reader_starts_anywhere_and_says_where_to_go_on(place):
    log, topic = place
    appender = await log.appender(topic, 0)
    await appender.append([(b"k", b"%d" % n) for n in range(10)])
    reader = await log.reader(topic, 0)

    fetched = await reader.read(4, 3, 500)
    assert ([r.value for r in fetched.records], fetched.position) == ([b"4", b"5", b"6"], 7)
    fetched = await reader.read(0, 2, 500)
    assert ([r.value for r in fetched.records], fetched.position) == ([b"0", b"1"], 2)
    reader.rest()
    assert (await reader.read(9, 5, 500)).position == 10
    assert await reader.end() == 10
    await reader.close()
    await appender.abandon()


async def test_a_read_at_the_end_waits_for_the_next_record(place):
    log, topic = place
    appender = await log.appender(topic, 0)
    await appender.append([(b"k", b"0")])
    reader = await log.reader(topic, 0)
    assert (await reader.read(1, 5, 20)).records in ([], ())

    task = asyncio.create_task(reader.read(1, 5, 5000))
    await asyncio.sleep(0.05)
    assert not task.done()
    await appender.append([(b"k", b"1")])

    fetched = await asyncio.wait_for(task, 4)
    assert [r.value for r in fetched.records] == [b"1"]
    assert fetched.records[0].timestamp > 1_600_000_000_000
    await reader.close()
    await appender.abandon()


async def _read_until_refused(reader):
    """The refusal comes with the broker's answer, which a short wait may not see."""
    while True:
        await reader.read(5, 1, 300)


async def test_an_offset_that_the_log_does_not_hold_is_refused(place):
    log, topic = place
    appender = await log.appender(topic, 0)
    await appender.append([(b"k", b"0")])
    reader = await log.reader(topic, 0)

    with pytest.raises(OffsetOutOfRange):
        await asyncio.wait_for(_read_until_refused(reader), 60)
    assert [r.value for r in (await reader.read(0, 1, 500)).records] == [b"0"]
    await reader.close()
    await appender.abandon()


async def identity_of(log, topic, other_than=None):
    """Of one that was made a moment ago, which the broker that is asked may not know yet."""
    async with asyncio.timeout(10):
        while True:
            with suppress(LogUnavailable):
                found = await log.identity(topic)
                if found != other_than:
                    return found
            await asyncio.sleep(0.05)


async def test_a_topic_that_is_made_anew_has_another_identity(place, request):
    log, topic = place
    first = await identity_of(log, topic)
    assert (await log.identity(topic), bool(first)) == (first, True)
    if isinstance(log, SimulatedLog):
        log.broker.identities[topic] = b"another"
    else:
        admin = AIOKafkaAdminClient(**request.getfixturevalue("stack").admin.options())
        await admin.start()
        await admin.delete_topics([topic])
        while topic in await admin.list_topics():
            await asyncio.sleep(0.05)
        await admin.create_topics([NewTopic(topic, PARTITIONS, 1)])
        await admin.close()
    await identity_of(log, topic, other_than=first)
