"""Topics come from the table: made once, never by accident, and differences are told."""

import asyncio

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

from libs.broker import Broker
from libs.broker.administration import administering
from libs.contracts.topics import TOPICS, Kind, topic
from libs.stack import Stack, StackError, provision
from libs.stack.provision import inspect
from tests.testkit.partitions import PARTITIONS

pytestmark = pytest.mark.stack


@pytest.fixture
def kafka(stack: Stack) -> Broker:
    """Under the only login that makes topics."""
    return stack.admin


async def test_every_topic_of_the_table_exists_as_the_table_says(kafka: Broker, topics: str) -> None:
    states = {state.name: state for state in await inspect(kafka, topics)}

    assert {state.name: state.partitions for state in states.values()} == {
        topics + t.name: t.partitions(PARTITIONS) for t in TOPICS
    }
    assert [state.drift for state in states.values() if state.drift] == []


async def test_provisioning_again_creates_nothing(kafka: Broker, topics: str) -> None:
    again = await provision(kafka, PARTITIONS, topics)

    assert again.created == ()
    assert set(again.present) == {topics + t.name for t in TOPICS}


async def test_a_topic_that_the_broker_asked_has_not_heard_of_yet_is_missing_still(
    kafka: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def told_by_another(_: AIOKafkaAdminClient) -> list[str]:
        return ["not-here-yet." + each.name for each in TOPICS]

    monkeypatch.setattr(AIOKafkaAdminClient, "list_topics", told_by_another)
    assert {state.partitions for state in await inspect(kafka, "not-here-yet.")} == {0}


async def test_a_setting_changed_on_the_broker_is_told_and_left(kafka: Broker, topics: str) -> None:
    name = topics + topic("table", "journal").name
    await _alter(kafka, name, {"retention.ms": "60000"})

    for _ in range(2):
        drift = (await provision(kafka, PARTITIONS, topics)).drift
        assert drift[name]["retention.ms"] == ("-1", "60000")


@pytest.mark.parametrize(
    ("kind", "setting", "formerly"),
    [
        ("journal", "compression.type", "uncompressed"),
        ("snapshots", "max.message.bytes", "16777216"),
        ("journal", "segment.bytes", "1073741824"),
    ],
)
async def test_what_an_older_table_said_is_set_anew(
    kafka: Broker, topics: str, kind: Kind, setting: str, formerly: str
) -> None:
    name = topics + topic("table", kind).name
    async with administering(kafka) as admin:
        await admin.set_topics([name], setting, formerly)
    await _until_drift(kafka, topics)
    assert (await provision(kafka, PARTITIONS, topics)).drift == {}
    assert [state.drift for state in await inspect(kafka, topics) if state.drift] == []


async def test_a_feature_that_the_broker_does_not_have_is_off(kafka: Broker) -> None:
    """As `share.version` is at one older than 4.3."""
    async with administering(kafka) as admin:
        await admin.turn_off(["nobody.version", "share.version"])
        with pytest.raises(KafkaError):
            await admin.turn_off(["metadata.version"])


async def test_another_number_of_partitions_is_refused(kafka: Broker) -> None:
    prefix = "wrong-count."
    name = prefix + topic("table", "journal").name
    admin = AIOKafkaAdminClient(**kafka.options())
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, 3, 1)])
        with pytest.raises(StackError, match="has 3 partitions, in this house it has 4"):
            await provision(kafka, PARTITIONS, prefix)
    finally:
        await admin.delete_topics([prefix + t.name for t in TOPICS])
        await admin.close()


async def test_the_broker_creates_no_topic_by_itself(kafka: Broker) -> None:
    name = "nobody-provisioned-this"
    producer = AIOKafkaProducer(**kafka.options(), request_timeout_ms=1500)
    await producer.start()
    try:
        with pytest.raises(KafkaError):
            await producer.send_and_wait(name, b"x")
    finally:
        await producer.stop()

    admin = AIOKafkaAdminClient(**kafka.options())
    await admin.start()
    try:
        assert name not in await admin.list_topics()
    finally:
        await admin.close()


async def _alter(kafka: Broker, name: str, settings: dict[str, str]) -> None:
    admin = AIOKafkaAdminClient(**kafka.options())
    await admin.start()
    try:
        await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, settings)])
    finally:
        await admin.close()
    await _until_drift(kafka, name.removesuffix(topic("table", "journal").name))


async def _until_drift(kafka: Broker, prefix: str) -> None:
    """The controller has it; the broker that is asked learns it a moment later."""
    for _ in range(200):
        if any(state.drift for state in await inspect(kafka, prefix)):
            return
        await asyncio.sleep(0.05)
    pytest.fail("the broker did not take the setting")
