"""Writing while the broker is away: the same bytes again, nothing left unread, an end after the time allowed."""

import asyncio
import struct
from typing import Any

import pytest
from aiokafka.errors import NodeNotReadyError, RequestTimedOutError
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from libs.broker import Broker
from libs.broker.protocol import Ready
from libs.contracts.topics import MAX_RECORD_BYTES
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import Call, Place, fetch, produce
from libs.journal.log import AppendUnknown, LogUnavailable, OutRecord
from tests.testkit.marks import UNMARKED

pytestmark = pytest.mark.stack
JOURNAL = "croupier.wallet.journal.v1"
SNAPSHOTS = "croupier.wallet.snapshots.v1"


class Unreachable:
    """The cluster's calls fail until `back` is set."""

    def __init__(self, log: KafkaLog) -> None:
        self.inner = log.cluster.call
        self.asked = asyncio.Event()
        self.back = False
        self.swallow = False
        """The request arrives, its answer does not."""
        log.cluster.call = self.call  # type: ignore[method-assign]

    async def call(self, node: int, lane: str, request: Call | Ready) -> Any:
        if self.back:
            return await self.inner(node, lane, request)
        if self.swallow:
            await self.inner(node, lane, request)
        self.asked.set()
        raise RequestTimedOutError if self.swallow else NodeNotReadyError


async def test_the_failure_of_an_append_that_was_given_up_is_not_left_unread(kafka: Broker, topics: str) -> None:
    """As when the broker is away and the runner starts over: asyncio would log an error for each unread failure."""
    log = KafkaLog(kafka, UNMARKED)
    appender = await log.appender(topics + JOURNAL, 0)
    away = Unreachable(log)
    appending = appender.append([(b"k", b"1")])
    await asyncio.wait_for(away.asked.wait(), 60)
    await appender.abandon()
    await asyncio.wait([appending])
    assert not appending._log_traceback


@pytest.mark.parametrize("name", [JOURNAL, SNAPSHOTS])
async def test_what_arrived_without_an_answer_is_told_where_it_landed_and_keeps_its_order(
    kafka: Broker, topics: str, name: str
) -> None:
    """Twice in a journal, whose readers bear it; once where of a key the last record stays."""
    log = KafkaLog(kafka, UNMARKED)
    appender = await log.appender(topics + name, 1)
    assert await appender.append([(b"k", b"0")]) == 0
    away = Unreachable(log)
    away.swallow = True
    first = appender.append([(b"k", b"1"), (b"k", b"2")])
    await asyncio.wait_for(away.asked.wait(), 60)
    second = appender.append([(b"k", b"3")])
    await asyncio.sleep(0)
    away.back = True
    reader = await log.reader(topics + name, 1)
    told, found = [await first, await second], [each.value for each in (await reader.read(0, 10, 500)).records]
    if name == JOURNAL:
        assert (told, found) == ([3, 5], [b"0", b"1", b"2", b"1", b"2", b"3"])
    else:
        assert (told, found) == ([1, 3], [b"0", b"1", b"2", b"3"])
    await reader.close()
    await appender.abandon()


async def take_the_next_sequence(log: KafkaLog, place: Place) -> None:
    """As whoever may read and write a topic: junk under the producer of its last batch, where that one goes on."""
    node = log.cluster.leader(place)
    assert node is not None
    topic, partition = place
    found = await log.cluster.call(node, "intruder", fetch({(topic, partition): 0}, 500, 1, 2**20))
    raw, last = found.places[place].records, b""
    while raw:
        size = 12 + int.from_bytes(raw[8:12], "big")
        last, raw = raw[:size], raw[size:]
    producer, epoch, sequence, count = struct.unpack_from(">qhii", last, 43)
    junk = DefaultRecordBatchBuilder(2, 0, 0, producer, epoch, sequence + count if sequence >= 0 else -1, 1_000)
    assert junk.append(0, None, b"k", b"junk", []) is not None
    call = produce({topic: [(partition, bytes(junk.build()))]}, 5_000)
    answer = (await log.cluster.call(node, "intruder", call))[place]
    assert answer.error == 0


async def test_what_is_said_to_have_landed_has_landed_though_somebody_takes_our_place(
    kafka: Broker, topics: str
) -> None:
    """The broker called our next batch a duplicate and told the other one's offset: a withdrawal that was answered and
    published stood in no journal."""
    log, place = KafkaLog(kafka, UNMARKED), (topics + JOURNAL, 3)
    appender = await log.appender(*place)
    await appender.append([(b"k", b"0")])
    await take_the_next_sequence(log, place)
    told = await appender.append([(b"k", b"1")])
    assert told is not None
    reader = await log.reader(*place)
    assert [each.value for each in (await reader.read(told, 10, 500)).records] == [b"1"]
    await reader.close()
    await appender.abandon()


async def test_a_broker_that_stays_away_ends_the_producer(kafka: Broker, topics: str) -> None:
    log = KafkaLog(kafka, UNMARKED, request_timeout_ms=2_000)
    appender, publisher = await log.appender(topics + JOURNAL, 2), await log.publisher()
    await (await publisher.send([OutRecord(topics + JOURNAL, b"k", b"1", (), 3)]))
    away = Unreachable(log)
    sent = await publisher.send([OutRecord(topics + JOURNAL, b"k", b"2", (), 3)])
    with pytest.raises(AppendUnknown):
        await asyncio.wait_for(appender.append([(b"k", b"1")]), 60)
    with pytest.raises(LogUnavailable):
        await sent
    away.back = True
    with pytest.raises(AppendUnknown):
        await appender.append([(b"k", b"2")])
    with pytest.raises(LogUnavailable):
        await publisher.send([OutRecord(topics + JOURNAL, b"k", b"3", (), 3)])
    await appender.abandon()
    await publisher.abandon()


async def test_writers_of_one_partition_share_requests_and_keep_their_own_order(kafka: Broker, topics: str) -> None:
    log = KafkaLog(kafka, UNMARKED)
    one, two = await log.appender(topics + JOURNAL, 3), await log.appender(topics + JOURNAL, 3)
    found = await asyncio.gather(*(each.append([(b"k", b"%d" % n)]) for n in range(20) for each in (one, two)))
    landed = [offset for offset in found if offset is not None]
    assert sorted(landed) == list(range(40))
    assert landed[::2] == sorted(landed[::2])
    assert landed[1::2] == sorted(landed[1::2])
    await one.abandon()
    await two.abandon()


async def test_the_largest_records_go_one_by_one_and_a_larger_one_ends_its_producer(kafka: Broker, topics: str) -> None:
    log = KafkaLog(kafka, UNMARKED, request_timeout_ms=10_000)
    appenders = [await log.appender(topics + SNAPSHOTS, partition) for partition in range(3)]
    largest = bytes(MAX_RECORD_BYTES - 1_000)
    assert await asyncio.gather(*(each.append([(b"k", largest)]) for each in appenders)) == [0, 0, 0]
    with pytest.raises(AppendUnknown, match="MessageSizeTooLarge"):
        await appenders[0].append([(b"k", bytes(MAX_RECORD_BYTES))])
    assert await appenders[1].append([(b"k", b"v")]) == 1
    for each in appenders:
        await each.abandon()
