"""A stack of its own, plain and over TLS: what ended its broker does not reach it, and who reads public events can."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError

from libs.broker import Broker, LoginRefused, check_login
from libs.contracts.topics import topic
from libs.door.settings import DoorSettings
from libs.stack import Stack, default_home, door, down, provision, running, up
from libs.stack.home import Home
from libs.stack.kafka import PLATFORM_CONNECTIONS
from libs.stack.platforms import add_platform, remove_platform
from tests.door.asking import (
    compact,
    consumer_heartbeat,
    framed,
    join,
    list_transactions,
    logged_in,
    metadata,
    request,
    text,
)
from tests.testkit.partitions import PARTITIONS

pytestmark = pytest.mark.stack
EVENTS = topic("table", "events").name
HOSTILE = {
    "ListTransactions": (list_transactions(), "kind"),
    "ConsumerGroupHeartbeat": (consumer_heartbeat("platform-acme-4"), "kind"),
    "JoinGroup": (join("platform-acme-1", 17_600_000), "size"),
    "Produce": (request(0, 8, b""), "kind"),
    "InitProducerId": (request(22, 1, b"\xff\xff\0\0\0\1"), "kind"),
    "DeleteGroups": (request(42, 1, b"\0\0\0\0"), "kind"),
    "of a newer Kafka": (metadata(kind=1_000), "kind"),
    "Metadata without a sender": (b"\0\0\0\4\0\3\0\1", "size"),
}


@pytest.fixture(scope="module", params=["plain", "TLS"])
def own(request: pytest.FixtureRequest) -> Iterator[Stack]:
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="door-") as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL", "CROUPIER_TLS"):
            patch.delenv(name, raising=False)
        home = Path(folder)
        home.chmod(0o755)  # the database's user has to pass
        try:
            stack = up(home, tls=request.param == "TLS")
            asyncio.run(provision(stack.admin, PARTITIONS))
            asyncio.run(publish(stack.admin))
            yield stack
        finally:
            down(home, wipe=True)


async def publish(admin: Broker) -> None:
    producer = AIOKafkaProducer(**admin.options())
    await producer.start()
    for number in range(50):
        await producer.send_and_wait(EVENTS, f"event {number}".encode(), partition=number % PARTITIONS)
    await producer.stop()


@pytest_asyncio.fixture
async def acme(own: Stack) -> AsyncIterator[Broker]:
    await add_platform(own, "acme")
    yield own.platform("platform-acme")
    await remove_platform(own, "acme")


@pytest.mark.parametrize("what", HOSTILE)
async def test_a_request_that_no_reader_needs_ends_its_connection_and_is_told(
    own: Stack, acme: Broker, what: str
) -> None:
    frame, reason = HOSTILE[what]
    connection = await logged_in(acme)
    with contextlib.suppress(OSError):
        connection._writer.write(frame)
    async with asyncio.timeout(10):
        while connection.connected():
            await asyncio.sleep(0.01)
    after = await asyncio.to_thread(running, own.home)
    assert after is not None
    assert after.kafka_pids == own.kafka_pids
    await check_login(acme)
    told = [json.loads(line) for line in (Home(own.home).logs / "door.jsonl").read_text().splitlines()]
    mine = [line for line in told if line["event"] == f"platform refused: {reason}"]
    assert mine[0]["peer"] == "127.0.0.1"
    assert mine[0]["login"] == "platform-acme"
    assert {"api_key", "api_version", "bytes"} <= mine[0].keys()


@pytest.mark.parametrize("group", [None, "platform-acme-1"])
async def test_a_consumer_reads_public_events_alone_and_in_a_group(acme: Broker, group: str | None) -> None:
    consumer = AIOKafkaConsumer(EVENTS, **acme.options(), group_id=group, auto_offset_reset="earliest")
    await consumer.start()
    try:
        async with asyncio.timeout(60):
            assert {(await consumer.getone()).value for _ in range(50)} == {f"event {n}".encode() for n in range(50)}
            if group is not None:
                await consumer.commit()
    finally:
        await consumer.stop()
    if group is not None:
        again = AIOKafkaConsumer(**acme.options(), group_id=group)
        await again.start()
        try:
            assert sum([await again.committed(TopicPartition(EVENTS, n)) or 0 for n in range(PARTITIONS)]) == 50
        finally:
            await again.stop()


async def test_who_knows_no_password_does_not_come_in(acme: Broker, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("not the password at all\n")
    with pytest.raises(LoginRefused, match="wrong password, or no such user"):
        await check_login(replace(acme, password_file=tmp_path / "password"))


async def said_to(broker: Broker, name: str, version: int) -> bytes:
    """All that is answered to somebody of that name, who says it in this version of the request."""
    host, _, port = broker.bootstrap.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), ssl=broker.security().get("ssl_context"))
    said = f"n,,n={name},r=0123456789".encode()
    first = framed(said) if version < 2 else compact(said.decode()) + b"\0"
    writer.write(request(17, 1, text("SCRAM-SHA-256")) + request(36, version, first, flexible=version >= 2))
    try:
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_a_login_of_the_house_is_answered_as_one_that_is_not_there(
    own: Stack, acme: Broker, version: int
) -> None:
    """By the door, which asks no broker; a name that is a platform's, and of none, is answered by the broker."""
    nobody = await said_to(acme, "platform-nobody", version)
    assert b"invalid credentials" in nobody
    for name in ("wallet", "admin", "inspector", "nobody"):
        assert await said_to(acme, name, version) == nobody


async def test_a_password_of_the_house_is_no_use_at_the_door(own: Stack, acme: Broker) -> None:
    service = own.broker("wallet")
    with pytest.raises(LoginRefused, match="wrong password, or no such user"):
        await check_login(replace(acme, user=service.user, password_file=service.password_file))
    told = [json.loads(line) for line in (Home(own.home).logs / "door.jsonl").read_text().splitlines()]
    assert [line["peer"] for line in told if line["event"] == "platform refused: login"]


async def test_one_connection_too_many_is_closed_and_there_is_room_when_another_leaves(
    own: Stack, acme: Broker
) -> None:
    of_login = DoorSettings.model_fields["door_login_connections"].default
    assert 2 * of_login < PLATFORM_CONNECTIONS
    await add_platform(own, "beta")
    inside = [await logged_in(acme) for _ in range(of_login)]
    await check_login(own.platform("platform-beta"))
    with pytest.raises((KafkaError, OSError)):
        await asyncio.wait_for(logged_in(acme), 10)
    assert all(each.connected() for each in inside)
    for each in inside:
        each.close()
    async with asyncio.timeout(10):
        while True:
            with contextlib.suppress(KafkaError, OSError):
                (await logged_in(acme)).close()
                break


async def test_it_stops_with_the_stack_and_comes_again_where_it_was(own: Stack, acme: Broker) -> None:
    home = Home(own.home)
    before = door.pid(home)
    door.stop(home)
    assert door.pid(home) is None
    assert (await asyncio.to_thread(up, own.home)).platform("platform-acme") == acme
    assert door.pid(home) not in (None, before)
    await check_login(acme)
