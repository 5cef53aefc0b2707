"""On the real broker: who reads and who writes what, and what it looks like when somebody may not."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.conn import create_conn
from aiokafka.errors import GroupAuthorizationFailedError
from aiokafka.protocol.metadata import MetadataRequest

from libs.broker import Broker, LoginRefused, check_login
from libs.broker.administration import administering
from libs.broker.rules import Operation, Resource, Rule, services
from libs.contracts.topics import INSPECTOR, PLATFORM, TOPICS, topic
from libs.journal.kafka_group import KafkaGroup
from libs.journal.kafka_log import KafkaLog, KafkaReader
from libs.journal.log import AppendUnknown, LogUnavailable
from libs.stack import Stack, provision
from libs.stack.platforms import add_platform, platforms, remove_platform
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS

pytestmark = pytest.mark.stack
EVENTS = topic("table", "events").name


async def may_read(log: KafkaLog, name: str) -> bool:
    try:
        reader = await log.reader(name, 0)
        try:
            await reader.read(0, 1, 0)
        finally:
            await reader.close()
    except LogUnavailable as refused:
        return not _told(refused, "AuthorizationFailed", name)
    return True


async def may_write(log: KafkaLog, name: str) -> bool:
    try:
        appender = await log.appender(name, 0)
        try:
            await appender.append([(b"k", b"v")])
        finally:
            await appender.abandon()
    except (LogUnavailable, AppendUnknown) as refused:
        return not _told(refused, "AuthorizationFailed")
    return True


def _told(refused: Exception, *words: str) -> bool:
    """True for the refusal that was expected; another error is none."""
    if not all(word in str(refused) for word in words):
        raise refused
    return True


async def found(broker: Broker, prefix: str) -> tuple[set[str], set[str]]:
    """What a login can read and write, by trying."""
    log = KafkaLog(broker, UNMARKED)
    reads = {each.name for each in TOPICS if await may_read(log, prefix + each.name)}
    writes = {each.name for each in TOPICS if await may_write(log, prefix + each.name)}
    return reads, writes


@pytest.mark.parametrize("login", [*services(), INSPECTOR])
async def test_a_login_reads_and_writes_what_the_table_of_topics_says(stack: Stack, topics: str, login: str) -> None:
    reads, writes = await found(stack.broker(login), topics)
    assert writes == {each.name for each in TOPICS if login in each.writers}
    assert reads == {each.name for each in TOPICS if login in each.readers or login == INSPECTOR}


@pytest_asyncio.fixture
async def acme(stack: Stack, topics: str) -> AsyncIterator[tuple[str, Broker]]:
    """A platform, and the broker under its login."""
    name = f"p{uuid4().hex[:8]}"
    file = await add_platform(stack, name, topics)
    assert file.stat().st_mode & 0o777 == 0o600
    try:
        yield name, stack.platform(f"platform-{name}")
    finally:
        await remove_platform(stack, name)


async def test_a_platform_reads_public_events_and_writes_nothing(
    stack: Stack, topics: str, acme: tuple[str, Broker]
) -> None:
    name, broker = acme
    log = KafkaLog(broker, UNMARKED)
    reads = {each.name for each in TOPICS if await may_read(log, topics + each.name)}
    assert reads == {each.name for each in TOPICS if PLATFORM in each.readers}
    appender = await log.appender(topics + EVENTS, 0)
    with pytest.raises((LogUnavailable, AppendUnknown)) as refused:
        await appender.append([(b"k", b"v")])
    assert "AuthorizationFailed" not in str(refused.value), "its door ends the connection (`tests/door`)"
    await appender.abandon()
    assert {rule.operation for rule in await _rules(stack, broker)} == {Operation.READ}
    assert name in await platforms(stack)


async def _rules(stack: Stack, broker: Broker) -> set[Rule]:
    async with administering(stack.admin) as at:
        return await at.rules(broker.user)


async def test_a_platform_works_in_groups_of_its_own_and_in_no_other(
    stack: Stack, topics: str, acme: tuple[str, Broker]
) -> None:
    name, broker = acme
    assert await joins(broker, f"{topics}platform-{name}-1", topics + EVENTS)
    assert not await joins(broker, f"{topics}platform-other-1", topics + EVENTS)
    assert not await joins(broker, f"{topics}platform-{name}-9", topics + EVENTS), "as many as it likes fill the broker"
    assert not await joins(broker, f"{topics}table-decider", topics + EVENTS)


async def test_a_service_works_in_the_groups_of_the_table_and_makes_none(stack: Stack, topics: str) -> None:
    """Also without joining: an offset that is committed makes the group, and it stays for a week."""
    table = stack.broker("table")
    assert await joins(table, f"{topics}table-draws", topics + EVENTS)
    assert not await joins(table, f"{topics}wallet-policies", topics + EVENTS)
    await commits(table, f"{topics}table-policies", topics + EVENTS)
    for other in ("table-z0", "table-", "wallet-books"):
        with pytest.raises(GroupAuthorizationFailedError):
            await commits(table, topics + other, topics + EVENTS)


async def commits(broker: Broker, group: str, name: str) -> None:
    """As who is no member."""
    consumer = AIOKafkaConsumer(**broker.options(), group_id=group, enable_auto_commit=False)
    await consumer.start()
    try:
        consumer.assign([place := TopicPartition(name, 0)])
        await consumer.commit({place: 0})
    finally:
        await consumer.stop()


async def joins(broker: Broker, group: str, name: str) -> bool:
    member = KafkaGroup(broker, group, name)
    try:
        await member.start()
        attending = asyncio.create_task(member.attend())
        joined = asyncio.create_task(member.changed.wait())
        try:
            await asyncio.wait([attending, joined], timeout=30, return_when=asyncio.FIRST_COMPLETED)
            return joined.done()
        finally:
            for task in (attending, joined):
                task.cancel()
            await asyncio.gather(attending, joined, return_exceptions=True)
    except LogUnavailable as refused:
        return not _told(refused, "GroupAuthorizationFailed")
    finally:
        await member.stop()


async def _comes_in_for(seconds: float, broker: Broker) -> None:
    async with asyncio.timeout(seconds):
        while True:
            await check_login(broker)
            await asyncio.sleep(0.1)


async def test_a_platform_that_is_removed_reads_nothing_more_and_does_not_come_in_again(
    stack: Stack, topics: str, acme: tuple[str, Broker], tmp_path: Path
) -> None:
    name, broker = acme
    broker = replace(broker, password_file=tmp_path / "kept")
    (tmp_path / "kept").write_bytes(stack.logins.kafka(f"platform-{name}").read_bytes())
    reader = await KafkaLog(broker, UNMARKED).reader(topics + EVENTS, 0)
    await reader.read(0, 1, 0)

    assert await remove_platform(stack, name)
    with pytest.raises(LogUnavailable, match="TopicAuthorizationFailed"):
        await reader.read(0, 1, 0)  # over the connection that was open
    await reader.close()
    with pytest.raises(LoginRefused, match="wrong password, or no such user"):
        await _comes_in_for(10.0, broker)  # the broker hears of it a moment later
    assert name not in await platforms(stack)
    assert not await remove_platform(stack, name)


async def test_who_may_not_even_see_a_topic_is_told_so_and_does_not_spin(
    stack: Stack, topics: str, acme: tuple[str, Broker]
) -> None:
    _, broker = acme
    journal = topics + topic("table", "journal").name
    with pytest.raises(LogUnavailable, match="TopicAuthorizationFailed"):
        await KafkaLog(broker, UNMARKED).reader(journal, 0)
    with pytest.raises(LogUnavailable, match="TopicAuthorizationFailed"):
        await KafkaGroup(broker, f"{topics}{broker.user}-x", journal).start()


async def test_a_platform_that_asks_without_end_is_answered_late(acme: tuple[str, Broker], topics: str) -> None:
    _, broker = acme
    host, _, port = broker.bootstrap.rpartition(":")
    connection = await create_conn(host, int(port), **broker.security())
    try:
        async with asyncio.timeout(60):
            while not (await connection.send(MetadataRequest([topics + EVENTS]))).throttle_time_ms:
                pass
    finally:
        connection.close()


async def test_rights_that_are_taken_away_are_told_to_who_follows_and_given_back_they_hold_again(
    stack: Stack, topics: str, acme: tuple[str, Broker]
) -> None:
    _, broker = acme
    login = broker.user or ""
    reader = await KafkaLog(broker, UNMARKED, fetch_wait_ms=100).reader(topics + EVENTS, 0)
    await reader.read(0, 1, 300)  # follows from here on
    async with administering(stack.admin) as at:
        rules = await at.rules(login)
        await at.take([login])
        await refused_soon(reader)
        used = time.process_time()
        for _ in range(3):
            with contextlib.suppress(LogUnavailable):
                await reader.read(0, 1, 1_000)
            await asyncio.sleep(0.5)
        assert time.process_time() - used < 0.5, "it spins"
        await at.give(rules)
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(LogUnavailable):
                await reader.read(0, 1, 200)
                break
            await asyncio.sleep(0.1)
    await reader.close()


async def refused_soon(reader: KafkaReader) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                await reader.read(0, 1, 1_000)
            except LogUnavailable as refused:
                if _told(refused, "TopicAuthorizationFailed"):
                    return


async def test_a_wrong_password_is_told_and_a_broker_that_is_away_is_not_taken_for_it(
    stack: Stack, topics: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "password"
    wrong.write_text("not the password at all\n")
    broker = replace(stack.broker("table"), password_file=wrong)
    with pytest.raises(LoginRefused, match=r"refuses the login table: wrong password, or no such user$"):
        await check_login(broker)
    with pytest.raises(LogUnavailable, match=r"SaslAuthenticationFailed .* refuses the login table"):
        await KafkaLog(broker, UNMARKED).reader(topics + EVENTS, 0)
    with pytest.raises(LoginRefused, match="lets nobody in without a login"):
        await check_login(Broker(broker.bootstrap))
    await check_login(replace(broker, bootstrap="127.0.0.1:1"))


async def test_rules_of_before_are_taken_away(stack: Stack, topics: str) -> None:
    """Whoever makes topics again: until then a login made groups without end."""
    old = Rule("table", Operation.READ, Resource.GROUP, f"{topics}table-", prefixed=True)
    async with administering(stack.admin) as at:
        await at.give([old])
        await provision(stack.admin, PARTITIONS, topics)
        assert old not in await at.rules("table")


async def test_rules_once_given_are_given_again_without_harm_and_taken_by_name(stack: Stack, topics: str) -> None:
    rule = Rule("nobody", Operation.READ, Resource.TOPIC, topics + "x")
    async with administering(stack.admin) as at:
        await at.give([rule])
        await at.give([rule])
        assert await at.rules("nobody") == {rule}
        await at.take(names=[(Resource.TOPIC, topics + "x")])
        assert await at.rules("nobody") == set()
