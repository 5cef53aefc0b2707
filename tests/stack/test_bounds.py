"""A broker of its own, and who makes it hold more than it can: without a login, with a platform's or a service's.

One broker for all that leaves it as it is; it bears what all of them do, one after the other.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.conn import AIOKafkaConnection, create_conn

from libs.broker import Broker, LoginRefused, check_login
from libs.broker.administration import administering
from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.contracts.groups import GROUPS
from libs.contracts.topics import HOUSES, MAX_REQUEST_BYTES, SEGMENT_BYTES, TOPICS, topic
from libs.door.frames import MOST_WAITING
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.stack import Stack, StackError, default_home, down, kafka, provision, running, up
from libs.stack.home import Home
from libs.stack.kafka import PLATFORM_CONNECTIONS, bootstrap, bounds, log_file
from libs.stack.platforms import add_platform
from tests.testkit.hostile_requests import (
    EXPRESSION,
    GZIP,
    LZ4,
    PLAIN,
    SNAPPY,
    ZSTD,
    asked,
    bomb,
    claiming,
    describing_producers,
    fetching,
    finding,
    heartbeat,
    ids,
    joining,
    listing_transactions,
    plain_record,
    producing,
    share_heartbeat,
)
from tests.testkit.marks import TABLE
from tests.testkit.partitions import PARTITIONS

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("no_given_addresses")]


@contextmanager
def _one_more() -> Iterator[Stack]:
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="bounds-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the database's user has to pass
        yield up(home)
        down(home, wipe=True)


@pytest.fixture
def own() -> Iterator[Stack]:
    """For who stops it, or starts it otherwise."""
    with _one_more() as stack:
        yield stack


async def _made(stack: Stack) -> None:
    await provision(stack.admin, PARTITIONS)
    await add_platform(stack, "evil")


@pytest.fixture(scope="module")
def one() -> Iterator[Stack]:
    """For all others, with a house's topics and a platform."""
    with _one_more() as stack:
        asyncio.run(_made(stack))
        yield stack


async def test_what_is_announced_and_never_sent_does_not_end_the_broker(one: Stack) -> None:
    platform = _behind(one, "platform-evil")
    async with AsyncExitStack() as held:
        # Each within the old bound; 636 of them ended a broker with 384 MB of heap.
        refused = [await _stranger(held, one.admin, 512 * 1024 - 1) for _ in range(700)]
        assert await asyncio.wait_for(asyncio.gather(*(each.read() for each in refused)), 10) == [b""] * 700
        await check_login(one.broker("table"))

        # Four of 100 MB did.
        beyond = [await _announcing(held, platform, 100_000_000) for _ in range(8)]
        for each in beyond:
            await asyncio.wait_for(_closed(each), 10)
        allowed = [await _announcing(held, platform, MAX_REQUEST_BYTES) for _ in range(PLATFORM_CONNECTIONS)]
        kept = [await _stranger(held, one.admin, 8 * 1024) for _ in range(500)]
        # No more come in than the door lets wait; seven of the house's processes that do the same stop nobody.
        idle = [await _logged_in(held, platform) for _ in range(MOST_WAITING)]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_announcing(held, platform, MAX_REQUEST_BYTES), 3)
        allowed += [await _announcing(held, one.broker("table"), MAX_REQUEST_BYTES) for _ in range(7)]
        assert all(each.connected() for each in allowed + idle)
        assert not any(each.at_eof() for each in kept)
        await provision(one.admin, PARTITIONS)
        await check_login(one.broker("table"))
    await _goes_on(one)


async def test_a_platform_does_not_come_in_where_the_house_does(one: Stack) -> None:
    platform = one.platform("platform-evil")
    await check_login(platform)
    with pytest.raises(LoginRefused, match="wrong password, or no such user"):
        await check_login(replace(platform, bootstrap=one.admin.bootstrap, mechanism=MECHANISM))
    with pytest.raises(LoginRefused, match="does not take SCRAM-SHA-256"):
        await check_login(replace(platform, bootstrap=one.admin.bootstrap))
    for mechanism, why in ((MECHANISM, "does not take"), (PLATFORMS_MECHANISM, "wrong password")):
        with pytest.raises(LoginRefused, match=why):
            await check_login(replace(one.broker("table"), bootstrap=platform.bootstrap, mechanism=mechanism))


_MEMBERS, _REBALANCE_MS = 16, 4_000
_NOT_YET = (14, 15, 16)
"""The coordinator of its groups is loading, or not made yet."""
_FULL = 81
CODES = (35, -1, 6, 0)
NO_SUCH_VERSION, FAILED, NOT_LEADER, OK = (code.to_bytes(2, "big", signed=True) for code in CODES)


@pytest.mark.parametrize("login", ["table", "platform-evil"])
async def test_no_expression_of_a_client_is_written_out(one: Stack, login: str) -> None:
    at, group = (one.broker(login), "table-decider") if login == "table" else (_behind(one, login), f"{login}-1")
    # Each ended the broker within twelve seconds.
    assert (await asked(at, heartbeat(group, EXPRESSION)))[5:7] == NO_SUCH_VERSION
    assert (await asked(at, listing_transactions(EXPRESSION)))[5:7] == FAILED
    # Groups of another kind, with members and sessions of their own.
    assert (await asked(at, share_heartbeat(group, topic("table", "events").name)))[5:7] == NO_SUCH_VERSION
    await _goes_on(one)


async def test_what_all_groups_of_a_login_keep_does_not_end_the_broker(one: Stack) -> None:
    """With snapshots of 16 MB in one record a request was as large, and 23 members ended it."""
    login = "tournament"
    groups = [each.name for each in GROUPS if each.name.startswith(f"{login}-")]
    assert len(groups) == 5, "no login has more"
    async with AsyncExitStack() as held:
        beyond = await _announcing(held, one.broker(login), MAX_REQUEST_BYTES + 1)
        await asyncio.wait_for(_closed(beyond), 10)
        await asyncio.gather(*(_fills(one.broker(login), group) for group in groups))
        await check_login(one.broker("wallet"))
    await _goes_on(one)


async def _fills(broker: Broker, group: str) -> None:
    """With as many members as it takes, each as large as a request may be; the leader is told what all of them said."""
    events = topic("table", "events").name
    await asked(broker, finding(group))
    while _joined(await asked(broker, joining(group, events, 1_000, _REBALANCE_MS))) in _NOT_YET:
        await asyncio.sleep(0.2)
    joins = joining(group, events, MAX_REQUEST_BYTES - 100, _REBALANCE_MS)
    answers = await asyncio.gather(*(asked(broker, joins) for _ in range(_MEMBERS)))
    assert {_joined(each) for each in answers} <= {0, _FULL}, "the first, small one may count, too"
    assert max(map(len, answers)) > _MEMBERS // 2 * len(joins), "on a busy machine not all are in time"


def _joined(answer: bytes) -> int:
    return int.from_bytes(answer[4:6], "big", signed=True)


CLAIMS = {codec: claiming(codec, 600_000_000) for codec in (GZIP, SNAPPY, LZ4, ZSTD)}
"""That so much would come of it."""
_COMPACTED = [each for each in TOPICS if each.config["cleanup.policy"] == "compact"]


async def test_nothing_that_comes_compressed_is_unpacked(one: Stack) -> None:
    """159 bytes ended the broker, on a compacted topic whatever its setting. Plain records go on."""
    await _unpacks_nothing(one)


@pytest.mark.long
@pytest.mark.timeout(480)
async def test_a_broker_that_starts_again_compacts_without_a_codec(own: Stack) -> None:
    """And takes nothing compressed either. How long who compacts is busy elsewhere is the broker's affair."""
    await _made(own)
    await _unpacks_nothing(own)
    home = Home(own.home)
    kafka.stop(home, 1)
    again = await asyncio.to_thread(up, own.home)
    await _compacts(again)
    await _goes_on(again)


async def _unpacks_nothing(own: Stack) -> None:
    for each in TOPICS:
        login = own.admin if each == HOUSES else own.broker(each.writers[0])
        while (said := await _produced(login, each.name, plain_record(b"k", b"v"))) == NOT_LEADER:  # made a moment ago
            await asyncio.sleep(0.1)
        assert said == OK, each.name
        for codec, content in CLAIMS.items():
            assert await _produced(login, each.name, content, codec) == FAILED, (each.name, codec)
    whole = bomb(1024)
    for each in _COMPACTED:
        assert await _produced(own.broker(each.writers[0]), each.name, whole, GZIP) == FAILED, each.name
    await _goes_on(own)


@pytest.mark.timeout(300)
async def test_plain_records_are_compacted(one: Stack) -> None:
    await _compacts(one)


async def _compacts(own: Stack) -> None:
    name, login = topic("table", "snapshots").name, own.broker("table")
    async with administering(own.admin) as admin:
        await admin.set_topics([name], "segment.ms", "1000")
    partition = Home(own.home).kafka(1) / "data" / f"{name}-0"
    for _ in range(2):
        assert await _produced(login, name, plain_record(b"k", bytes(50_000))) == OK
        await asyncio.sleep(1.2)
    assert _kept(partition) > 50_000, "the segment that is written to is never compacted"
    assert await _produced(login, name, CLAIMS[GZIP], GZIP) == FAILED
    async with asyncio.timeout(240):  # who compacts comes by every 15 s, and has other topics before it
        while _kept(partition) > 50_000:
            assert await _produced(login, name, plain_record(b"k", b"v")) == OK
            await asyncio.sleep(1.2)


def _kept(partition: Path) -> int:
    """Bytes in its segments; one that is deleted meanwhile is none."""
    return sum(int(each.stat().st_size) for each in partition.glob("*.log") if each.exists())


async def test_few_fetches_are_kept_and_who_reads_needs_none(one: Stack) -> None:
    """2,300 partitions that there are none of, 1,000 times: 260 MB for good."""
    name, sessions = topic("table", "events").name, 0
    for _ in range(60):
        said = await asked(one.broker("audit"), fetching({name: 100}))
        sessions += int.from_bytes(said[6:10], "big") != 0  # behind how long to wait, and the error
    assert 30 < sessions <= int(bounds()["max.incremental.fetch.session.cache.slots"])
    producer = AIOKafkaProducer(**one.broker("table").options())
    await producer.start()
    await producer.send_and_wait(name, b"an event")
    await producer.stop()
    consumer = AIOKafkaConsumer(name, **one.broker("audit").options(), auto_offset_reset="earliest")
    await consumer.start()
    async with asyncio.timeout(20):  # what others wrote there lies before it
        while (await consumer.getone()).value != b"an event":
            pass
    await consumer.stop()


_FORGETS, _LOOKS = "producer.id.expiration.ms", "producer.id.expiration.check.interval.ms"


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker that starts after it is as forgetful as a house's, in seconds."""
    within = bounds()
    assert (within[_FORGETS], within[_LOOKS]) == ("10000", "2000")
    monkeypatch.setattr(kafka, "bounds", lambda: {**within, _FORGETS: "3000", _LOOKS: "500"})


async def test_ids_that_producers_give_themselves_are_forgotten_and_who_had_one_goes_on(
    forgetful: None, own: Stack
) -> None:
    """Of 386,000 a broker of 128 MB did not come up again; a login writes 2,500 a second."""
    await provision(own.admin, PARTITIONS)
    name, login = topic("table", "snapshots").name, own.broker("table")

    async def kept() -> int:
        said = await asked(login, describing_producers(name))
        # Behind tags, throttling, topics, name, partitions, partition, error and its text: how many follow, and one.
        return _varint(said, 1 + 4 + 1 + 1 + len(name) + 1 + 4 + 2 + 1) - 1

    publisher = await KafkaLog(login, TABLE).publisher()
    record = OutRecord(name, b"stream", b"kept", (), 0)
    await (await publisher.send([record]))
    for number in range(150):
        assert await _produced(login, name, plain_record(b"k", b"v"), producer=1_000_000 + number) == OK
    assert await kept() > 0
    async with asyncio.timeout(60):
        while await kept():
            await asyncio.sleep(0.5)
    await (await publisher.send([record]))  # the second of its sequence
    assert await kept() == 1
    await (await publisher.send([record]))
    await publisher.abandon()
    await _goes_on(own)


def test_no_segment_is_larger_than_what_was_tried() -> None:
    """All ids of a partition's last segment are taken in, whatever their age: of Kafka's gigabyte 15 million. Segments
    of this size came up again in the long form below."""
    assert {int(each.config["segment.bytes"]) <= SEGMENT_BYTES for each in TOPICS} == {True}
    assert int(bounds()["log.segment.bytes"]) == SEGMENT_BYTES == 32 * 1024 * 1024


@pytest.mark.long
@pytest.mark.timeout(400)
def test_an_unclean_end_finds_no_more_ids_than_the_heap_holds(own: Stack) -> None:
    home = Path(own.home)
    asyncio.run(provision(own.admin, PARTITIONS))
    down(home)
    data = Home(home).kafka(1) / "data"
    long_ago = int(time.time() * 1000) - 3_600_000
    full = ids(0, SEGMENT_BYTES // len(ids(0, 1, 0)), long_ago)
    for number in range(2):
        partition = data / f"{topic('table', 'events').name}-{number}"
        for each in partition.glob("0*"):
            each.unlink()
        (partition / f"{0:020}.log").write_bytes(full)
    (data / ".kafka_cleanshutdown").unlink()
    again = _up_patiently(home)
    assert asyncio.run(provision(again.admin, PARTITIONS)).created == ()
    assert "OutOfMemory" not in log_file(Home(home), 1).read_text(errors="replace")


def _up_patiently(home: Path) -> Stack:
    """`up` waits a minute, which a busy machine may need for the two; what starts is left running."""
    for _ in range(3):
        with suppress(StackError):
            return up(home)
    return up(home)


def _varint(said: bytes, at: int) -> int:
    """Unsigned, of seven bits a byte."""
    return said[at] & 0x7F | (_varint(said, at + 1) << 7 if said[at] & 0x80 else 0)


async def test_what_is_denied_stands_in_one_line_of_the_log_and_in_few_lines(one: Stack) -> None:
    """A platform wrote 7.5 MB/s into it, and whole lines of its one."""
    log, at = log_file(Home(one.home), 1), _behind(one, "platform-evil")
    before = log.stat().st_size
    await asked(at, fetching({"x\n2026-11-28T06:00:00.000+0000 INFO forged\r\n\x1b[2Jy": 1}, 11))
    await asked(at, fetching({f"flood-{number}": 1 for number in range(1_000)}, 11))
    told = log.read_bytes()[before:].decode()
    (line,) = (line for line in told.split("\n") if "forged" in line)
    assert "Denied" in line
    assert r"x\n2026-11-28T06:00:00.000+0000 INFO forged\r\n\u001B[2Jy" in line
    assert "\x1b" not in told
    assert 10 < told.count("flood-") < 200


def _behind(own: Stack, login: str) -> Broker:
    """Past the platforms' door, which takes far less: the broker holds without it, too."""
    ports = Home(own.home).ports()
    assert ports is not None
    return replace(own.platform(login), bootstrap=bootstrap(ports.behind))


async def _produced(login: Broker, name: str, content: bytes, codec: int = PLAIN, producer: int = -1) -> bytes:
    answer = await asked(login, producing(name, content, codec, producer))
    return answer[(at := 4 + 2 + len(name) + 4 + 4) : at + 2]  # behind topics, name, partitions, partition


async def _goes_on(own: Stack) -> None:
    after = await asyncio.to_thread(running, own.home)
    assert after is not None
    assert after.kafka_pids == own.kafka_pids


async def _stranger(held: AsyncExitStack, broker: Broker, announced: int) -> asyncio.StreamReader:
    host, _, port = broker.bootstrap.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    held.callback(writer.close)
    writer.write(announced.to_bytes(4, "big") + b"\0")
    return reader


async def _logged_in(held: AsyncExitStack, broker: Broker) -> AIOKafkaConnection:
    host, _, port = broker.bootstrap.rpartition(":")
    connection = await create_conn(host, int(port), **broker.security())
    held.callback(connection.close)
    return connection


async def _announcing(held: AsyncExitStack, broker: Broker, announced: int) -> AIOKafkaConnection:
    """A connection that is logged in and has begun a request; of it comes no more than two bytes."""
    connection = await _logged_in(held, broker)
    connection._writer.write(announced.to_bytes(4, "big") + b"\0\1")
    return connection


async def _closed(connection: AIOKafkaConnection) -> None:
    while connection.connected():
        await asyncio.sleep(0.01)
