"""What the broker's administrator can do to topics without a key of ours, and without writing a record."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import PolicyViolationError

from libs.broker import Broker
from libs.broker.rules import prefix_rules
from libs.stack import Stack, provision
from tests.testkit.partitions import PARTITIONS

_SOON_S = 20.0
_OWN = 1
"""Where a setting comes from: from the topic itself."""


@asynccontextmanager
async def _administrator(broker: Broker) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(**broker.options())
    await admin.start()
    try:
        yield admin
    finally:
        await admin.close()


async def make_anew(stack: Stack, prefix: str, names: Iterable[str], login: str) -> None:
    """Deletes these topics and creates them with the same settings, empty."""
    wanted = {prefix + name for name in names}
    async with _administrator(stack.admin) as admin:
        await admin.delete_topics(sorted(wanted))
        while wanted & set(await admin.list_topics()):
            await asyncio.sleep(0.1)
    await provision(stack.admin, PARTITIONS, prefix, rules=prefix_rules(login, prefix))


async def delete_below(stack: Stack, topic: str, beginnings: Mapping[int, int]) -> None:
    """Deletes the front of each of these partitions. The broker refuses it for topics that are only compacted."""
    places = {TopicPartition(topic, each): RecordsToDelete(before_offset=at) for each, at in beginnings.items()}
    async with _administrator(stack.admin) as admin, asyncio.timeout(_SOON_S):
        while True:
            try:
                await admin.delete_records(places)
                return
            except PolicyViolationError:  # another policy comes to the log a moment later
                await asyncio.sleep(0.1)


async def set_up_otherwise(stack: Stack, topic: str, settings: Mapping[str, str]) -> None:
    """All settings of a topic are these from now on; what is not named is the broker's default."""
    async with _administrator(stack.admin) as admin:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs=dict(settings))
        for answer in await admin.alter_configs([resource]):
            assert not any(code for code, *_ in answer.resources), answer
        async with asyncio.timeout(_SOON_S):
            while await _settings(admin, topic) != settings:  # the answer comes before the broker goes by it
                await asyncio.sleep(0.1)


async def _settings(admin: AIOKafkaAdminClient, topic: str) -> dict[str, str]:
    """Those that are the topic's own."""
    (answer,) = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    ((_, _, _, _, entries),) = answer.resources
    return {name: value for name, value, _, source, *_ in entries if source == _OWN}
