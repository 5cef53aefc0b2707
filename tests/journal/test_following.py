"""What one process follows, on the real broker, which holds a request for five seconds where nothing comes."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import pytest
from aiokafka.client import AIOKafkaClient

from libs.contracts.topics import Kind, topic
from libs.journal import kafka_fetch
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import Call, Fetched, Place, fetch
from libs.journal.log import Appender, Reader
from libs.stack import Stack
from tests.testkit.marks import WALLET

SLOW_S = 0.3
JOURNAL = topic("wallet", "journal").name


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
    log, name = KafkaLog(stack.admin, WALLET), topics + JOURNAL
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


class Sent:
    """How many places each request named, and how many each answer did."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.answered = list[int](), list[int]()
        self.sessions = list[tuple[int, int]]()
        self.waits = list[tuple[int, int, int]]()
        """Of each request: its epoch, how long the broker may hold it, and for how many bytes below each share."""
        monkeypatch.setattr(kafka_fetch, "fetch", self._fetch)

    def _fetch(
        self, places: Mapping[Place, int], wait_ms: int, least: int, size: int, session: int = 0, epoch: int = -1,
        forgotten: Iterable[Place] = (),
    ) -> Call:  # fmt: skip
        gone = list(forgotten)
        self.asked.append(len(places) + len(gone))
        self.sessions.append((session, epoch))
        self.waits.append((epoch, wait_ms, size - least))
        call = fetch(places, wait_ms, least, size, session, epoch, gone)
        decode = call._decode

        def decoded(body: bytes) -> Fetched:
            answer: Fetched = decode(body)
            self.answered.append(len(answer.places))
            return answer

        call._decode = decoded
        return call


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(monkeypatch)


@asynccontextmanager
async def twenty_followed(log: KafkaLog, prefix: str) -> AsyncIterator[Sequence[Reader]]:
    """Twenty partitions, of which nothing comes but by the test."""
    kinds: Sequence[Kind] = ("journal", "commands", "events", "snapshots")
    early = await log.reader(prefix + topic("wallet", "events").name, 0)
    first = asyncio.create_task(early.read(0, 1, 30_000))
    await asyncio.sleep(0.2)  # alone, it is asked for without a session
    names = [prefix + JOURNAL, *(prefix + topic("table", kind).name for kind in kinds)]
    readers = [await log.reader(name, number) for name in names for number in range(4)]
    reading = [asyncio.create_task(reader.read(0, 1, 30_000)) for reader in readers[1:]]
    await asyncio.sleep(0.5)
    try:
        yield readers
    finally:
        for task in (first, *reading):
            task.cancel()
        await asyncio.gather(first, *reading, return_exceptions=True)
        for reader in (early, *readers):
            await reader.close()


async def goes_on(log: KafkaLog, reader: Reader, appender: Appender, offset: int, value: bytes) -> int:
    await appender.append([(b"k", value)])
    async with asyncio.timeout(2):
        while True:
            fetched = await reader.read(offset, 1, 2_000)
            offset = fetched.position
            if fetched.records:
                assert [record.value for record in fetched.records] == [value]
                return offset


def session_of(log: KafkaLog) -> kafka_fetch._Session:
    """The house's broker keeps fifty, for two minutes at least: beside many other tests there may be none left."""
    given = [each for line in log._following for each in line._sessions.values() if each._id]
    if not given:
        pytest.skip("other tests have all sessions that the broker keeps")
    return given[0]


@pytest.mark.stack
async def test_what_nothing_comes_of_is_named_once_and_not_with_each_answer(
    stack: Stack, topics: str, sent: Sent
) -> None:
    """At 256 partitions each answer named 1,280 of them, 54 kB for whatever came."""
    log = KafkaLog(stack.admin, WALLET)
    async with twenty_followed(log, topics) as readers:
        appender = await log.appender(topics + JOURNAL, 0)
        offset = await goes_on(log, readers[0], appender, 0, b"first")
        session_of(log)
        begun = [wait_ms for epoch, wait_ms, _ in sent.waits if epoch == 0]
        del sent.asked[:], sent.answered[:]
        for value in (b"a", b"b", b"c", b"d"):
            offset = await goes_on(log, readers[0], appender, offset, value)
        await appender.abandon()
    assert len(sent.answered) >= 4
    assert set(begun) == {0}, (
        "a session that is begun while others come is not waited for, else each of them leaves one"
    )
    assert max(sent.asked) <= 2, "the one that was read"
    assert max(sent.answered) <= 2


@pytest.mark.stack
@pytest.mark.parametrize("lost", ["the broker forgot it", "its number is another"])
async def test_a_session_that_the_broker_does_not_know_is_begun_anew(
    stack: Stack, topics: str, sent: Sent, lost: str
) -> None:
    """It keeps some, and none over its restart."""
    log = KafkaLog(stack.admin, WALLET)
    async with twenty_followed(log, topics) as readers:
        appender = await log.appender(topics + JOURNAL, 0)
        offset = await goes_on(log, readers[0], appender, 0, b"first")
        session = session_of(log)
        if lost == "the broker forgot it":
            node = next(node for line in log._following for node in line._sessions)
            await log.cluster.call(node, "intruder", fetch({(topics + JOURNAL, 0): 0}, 0, 0, 1, session._id))
        else:
            session._epoch += 5
        before = len(sent.sessions)
        for value in (b"a", b"b", b"c"):
            offset = await goes_on(log, readers[0], appender, offset, value)
        await appender.abandon()
    assert [epoch for _, epoch in sent.sessions[before:]].count(0) == 1
    assert {wait_ms for epoch, wait_ms, _ in sent.waits if epoch == 0} == {0}, "one that is cut while it waits stays"
    assert session._id


@pytest.mark.stack
async def test_nobody_waits_for_more_than_one_partition_may_bring(stack: Stack, topics: str, sent: Sent) -> None:
    """The broker counts towards what is waited for no more than each partition's own share: one alone that was behind
    came once a second."""
    log = KafkaLog(stack.admin, WALLET, fetch_wait_ms=5_000, fetch_bytes=2**20)
    async with twenty_followed(log, topics) as readers:
        appender = await KafkaLog(stack.admin, WALLET).appender(topics + JOURNAL, 0)
        with suppress(TimeoutError):
            await goes_on(log, readers[0], appender, 0, b"a")
        await appender.abandon()
    assert sent.waits
    assert min(below for *_, below in sent.waits) >= 0


@pytest.mark.parametrize(("error", "well"), [(70, True), (71, True), (-1, False), (3, False)])
async def test_an_error_of_the_whole_answer_is_no_reason_to_ask_at_once(error: int, well: bool) -> None:
    """But for those that say that the session is not known."""

    class Broker:
        async def call(self, node: int, lane: str, request: Call) -> Fetched:
            return Fetched(error, 0, {})

    line = kafka_fetch.Following(cast(Any, Broker()), "follow-0", 100, 1, 0)
    assert await line._ask(1, [], 100, 2**20) is well


@pytest.mark.stack
async def test_nobody_is_quiet_of_whom_the_broker_says_nothing_new(stack: Stack, topics: str, sent: Sent) -> None:
    """`why_silent` goes by when each place was heard of last, and an answer of a session names those with news."""
    log = KafkaLog(stack.admin, WALLET)
    async with twenty_followed(log, topics) as readers:
        appender = await log.appender(topics + JOURNAL, 0)
        offset = 0
        for value in (b"a", b"b", b"c", b"d"):
            await asyncio.sleep(0.4)
            offset = await goes_on(log, readers[0], appender, offset, value)
        quiet = max(filter(None, (line.quiet() for line in log._following)))
        await appender.abandon()
    assert quiet[0] < 1


def test_what_lies_unread_does_not_grow_with_partitions() -> None:
    """An auditor of 256 that had been away held 2.5 MB of each of 1,500."""
    assert kafka_fetch.share_of(20) == (2**20, 500)
    for places in (48, 160, 768):
        each_bytes, records = kafka_fetch.share_of(places)
        assert places * each_bytes <= 48 * 2**20
        assert records >= 50
        assert places * records <= 80_000
    assert kafka_fetch.share_of(10_000) == (2**16, 50)


def test_a_session_is_told_what_has_changed_and_begins_anew_where_nobody_knows(sent: Sent) -> None:
    places = {("t", number): 5 for number in range(10)}
    session = kafka_fetch._Session()
    for given, asked in (
        (0, places),  # there was none to give
        (7, places),
        (7, {**places, ("t", 3): 6}),
        (7, {place: offset for place, offset in places.items() if place != ("t", 4)}),
    ):
        session.ask(asked, 500, 1, 2**20)
        session.took(Fetched(0, given, {}))
    assert sent.asked == [10, 10, 1, 2], "all, all, the one that went on; that one again and the one that is gone"
    assert sent.sessions == [(0, 0), (0, 0), (7, 1), (7, 2)]
    assert [wait_ms for _, wait_ms, _ in sent.waits] == [0, 500, 500, 500], "it is begun at once, unless none was given"
    session.end()
    session.ask(places, 500, 1, 2**20)
    assert (sent.asked[-1], sent.sessions[-1], sent.waits[-1][1]) == (10, (7, 0), 0)


def test_few_places_need_no_session(sent: Sent) -> None:
    session = kafka_fetch._Session()
    for places in (2, 2, 9):
        session.ask({("t", number): 5 for number in range(places)}, 500, 1, 2**20)
        session.took(Fetched(0, 0, {}))
    assert sent.sessions == [(0, -1), (0, -1), (0, 0)]
    assert [wait_ms for _, wait_ms, _ in sent.waits] == [500, 500, 0]
