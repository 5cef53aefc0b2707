"""Policies on the real broker: in order, again after a failure, and past what is no event."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from libs.broker import Broker
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.topics import topic
from libs.contracts.wallet_events import FundsReserved
from libs.journal.kafka_log import KafkaPublisher
from libs.journal.log import OutRecord
from libs.policies import Policies, policy_log
from services.table.policies.reactions import when_funds_reserved
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import partition_of

pytestmark = pytest.mark.stack
STREAM = "account-ann-EUR"
EVENTS, COMMANDS, PARKED = (
    topic(*each).name for each in (("wallet", "events"), ("table", "commands"), ("table", "parked"))
)


def reserved(version: int) -> PublicEvent:
    body = FundsReserved(
        account=STREAM, player="ann", currency="EUR", reserve=f"s{version}", sitting=f"s{version}", table="table-7",
        amount=1, available=0, reserved=1)  # fmt: skip
    return PublicEvent(
        stream=STREAM, version=version, type="croupier.wallet.funds_reserved.v1", time=1, causation="c",
        data=encode_fact(body)[1])  # fmt: skip


async def test_who_fails_at_one_page_again_and_again_is_not_ready(
    kafka: Broker, topics: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refunds of a whole tournament stood for ever, and everything called itself ready."""
    monkeypatch.setattr("libs.policies.router._STUCK", 3)
    broken = True

    def reacts(event: PublicEvent, fact: FundsReserved) -> Sequence[CommandMessage]:
        if broken:
            raise ConnectionError("the broker takes no such batch")
        return ()

    async with AIOKafkaProducer(**kafka.options(), acks="all") as producer:
        key, value, headers = to_record(reserved(1))
        await producer.send(topics + EVENTS, value, key, partition_of(STREAM), headers=list(headers))
    policies = Policies(
        policy_log(kafka, UNMARKED, "policies-under-test"),
        group=f"{topics}p", instance="one", source=topics + EVENTS, commands=topics + COMMANDS, parked=topics + PARKED,
        reactions={FundsReserved: reacts})  # fmt: skip
    running = asyncio.create_task(policies.run())
    try:
        async with asyncio.timeout(60):
            while "has failed 3 times" not in (policies.why_not_ready() or ""):
                await asyncio.sleep(0.02)
            broken = False
            while policies.why_not_ready() is not None:
                await asyncio.sleep(0.02)
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_in_order_at_least_once_and_past_nonsense(kafka: Broker, topics: str) -> None:
    failures = 0

    def sometimes(event: PublicEvent, fact: FundsReserved) -> Sequence[CommandMessage]:
        nonlocal failures
        if event.version == 3 and failures < 2:
            failures += 1
            raise ConnectionError("away")
        return when_funds_reserved(event, fact)

    async with AIOKafkaProducer(**kafka.options(), acks="all") as producer:
        for version in range(1, 6):
            key, value, headers = to_record(reserved(version))
            await producer.send(topics + EVENTS, value, key, partition_of(STREAM), headers=list(headers))
            if version == 2:
                await producer.send(topics + EVENTS, b"\x00\xff", b"x", partition_of(STREAM), headers=[("h", b"\xff")])
                wrong = [(name, text) for name, text in headers if name != "ce_time"]
                await producer.send(topics + EVENTS, value, key, partition_of(STREAM), headers=wrong)
    policies = Policies(
        policy_log(kafka, UNMARKED, "policies-under-test"),
        group=f"{topics}p", instance="one", source=topics + EVENTS, commands=topics + COMMANDS, parked=topics + PARKED,
        reactions={FundsReserved: sometimes})  # fmt: skip
    running = asyncio.create_task(policies.run())
    try:
        commands = await read(kafka, topics + COMMANDS, lambda found: found and b'"s5"' in found[-1].value)
        parked = await read(kafka, topics + PARKED, lambda found: len(found) >= 2)
    finally:
        running.cancel()
        await asyncio.wait([running])

    assert failures == 2
    bodies = [CommandMessage.decoded(record.value) for record in commands]
    # What came before the failure in its batch comes again, with the same ids: done twice, it is done once.
    first_time = list(dict.fromkeys(command.id for command in bodies))
    assert [c.body["reservation"] for c in bodies if c.id in first_time][-5:] == ["s1", "s2", "s3", "s4", "s5"]
    assert len(first_time) == 5
    assert {record.partition for record in commands} == {partition_of("table-7")}
    first = dict(parked[0].headers)
    assert (parked[0].key, parked[0].value) == (b"x", b"\x00\xff")
    assert (first["parked-reason"], first["parked-topic"]) == (b"not_an_event", (topics + EVENTS).encode())
    assert b"ce_time" in dict(parked[1].headers)["parked-detail"]


async def test_what_a_batch_asks_is_sent_at_once(kafka: Broker, topics: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sends = 0
    send = KafkaPublisher.send

    async def counted(self: KafkaPublisher, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        nonlocal sends
        sends += 1
        return await send(self, records)

    monkeypatch.setattr(KafkaPublisher, "send", counted)
    async with AIOKafkaProducer(**kafka.options(), acks="all") as producer:
        for version in range(1, 301):
            key, value, headers = to_record(reserved(version))
            await producer.send(topics + EVENTS, value, key, partition_of(STREAM), headers=list(headers))
    policies = Policies(
        policy_log(kafka, UNMARKED, "policies-under-test"),
        group=f"{topics}p", instance="one", source=topics + EVENTS, commands=topics + COMMANDS, parked=topics + PARKED,
        reactions={FundsReserved: when_funds_reserved})  # fmt: skip
    running = asyncio.create_task(policies.run())
    try:
        commands = await read(kafka, topics + COMMANDS, lambda found: len(found) >= 300)
    finally:
        running.cancel()
        await asyncio.wait([running])
    asked = [CommandMessage.decoded(record.value).body["reservation"] for record in commands]
    assert asked == [f"s{version}" for version in range(1, 301)]
    assert sends <= 30, "one by one, 300 acknowledgements would have been waited for"


async def read(kafka: Broker, name: str, enough: Callable[[list[Any]], Any]) -> list[Any]:
    consumer = AIOKafkaConsumer(name, **kafka.options(), auto_offset_reset="earliest")
    found: list[Any] = []
    async with consumer, asyncio.timeout(60):
        while not enough(found):
            found += [r for records in (await consumer.getmany(timeout_ms=100)).values() for r in records]
    return found
