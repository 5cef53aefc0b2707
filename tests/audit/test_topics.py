"""On the real broker: its administrator deletes, makes anew and sets up otherwise, and the auditor tells it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiokafka.errors import TopicAuthorizationFailedError

from libs.broker import Broker
from libs.broker.administration import administering
from libs.broker.rules import Operation, Resource, Rule
from libs.contracts.topics import SESSIONS, TOPICS, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import open_current
from libs.stack import Stack
from services.audit.settings import MIGRATIONS, ROLE, SCHEMA
from services.audit.topics import TopicWatch
from tests.conftest import TESTS, login_at
from tests.testkit.marks import ROOT, UNMARKED
from tests.testkit.partitions import PARTITIONS
from tests.testkit.tampering import delete_below, make_anew, set_up_otherwise

pytestmark = pytest.mark.stack
JOURNAL, EVENTS = topic("wallet", "journal").name, topic("wallet", "events").name


@pytest_asyncio.fixture
async def watch(stack: Stack, kafka: Broker, topics: str, house_database: str) -> AsyncIterator[TopicWatch]:
    """Of a house with three records in partition 1 of each topic of several that is never cut."""
    publisher = await KafkaLog(kafka, UNMARKED).publisher()
    names = [topics + each.name for each in TOPICS if each.is_never_cut and not each.is_single]
    await (await publisher.send([OutRecord(name, b"k", b"%d" % n, (), 1) for name in names for n in range(3)]))
    await publisher.abandon()
    pool = await open_current(login_at(stack, house_database, "audit"), SCHEMA, MIGRATIONS, role=ROLE, max_size=2)
    log = KafkaLog(stack.broker("audit"), marks_of("audit", ROOT, Plan()))
    await log.cluster.join()
    yield TopicWatch(log, pool, PARTITIONS, topics)
    log.cluster.leave()
    await pool.close()


async def told(watch: TopicWatch, prefix: str) -> list[tuple[object, ...]]:
    return [
        (each.kind.value, each.severity, (each.topic or "").removeprefix(prefix), each.partition, each.offset)
        for each in await watch.look()
    ]


async def test_of_topics_that_are_as_the_table_says_nothing_is_told(watch: TopicWatch, topics: str) -> None:
    assert await told(watch, topics) == []
    assert await told(watch, topics) == []


@pytest.mark.parametrize("name", [JOURNAL, EVENTS])
async def test_a_front_that_was_deleted(watch: TopicWatch, stack: Stack, topics: str, name: str) -> None:
    await delete_below(stack, topics + name, {1: 2})
    assert await told(watch, topics) == [("log_rewritten", "critical", name, 1, 2)]


async def test_sessions_that_were_cut_under_another_policy(watch: TopicWatch, stack: Stack, topics: str) -> None:
    """Blocks of players and sessions that ended stand there and nowhere else."""
    otherwise = {**SESSIONS.config, "cleanup.policy": "compact,delete"}
    await set_up_otherwise(stack, topics + SESSIONS.name, otherwise)
    assert await told(watch, topics) == [("topic_differs", "critical", SESSIONS.name, None, None)]
    await delete_below(stack, topics + SESSIONS.name, {1: 3})
    await set_up_otherwise(stack, topics + SESSIONS.name, SESSIONS.config)
    assert await told(watch, topics) == [("log_rewritten", "critical", SESSIONS.name, 1, 3)]


async def test_a_topic_that_was_made_anew_is_told_once(watch: TopicWatch, stack: Stack, topics: str) -> None:
    await watch.look()
    await make_anew(stack, topics, [SESSIONS.name], TESTS)
    assert await told(watch, topics) == [("log_rewritten", "critical", SESSIONS.name, None, None)]
    assert await told(watch, topics) == []


async def test_every_setting_of_the_table_is_looked_at(watch: TopicWatch, stack: Stack, topics: str) -> None:
    others = {
        "cleanup.policy": "compact",
        "retention.ms": "86400000",
        "retention.bytes": "1000000",
        "message.timestamp.type": "CreateTime",
        "compression.type": "uncompressed",
        "unclean.leader.election.enable": "true",
        "segment.bytes": "1048576",
    }
    assert others.keys() == topic("wallet", "journal").config.keys()
    await set_up_otherwise(stack, topics + JOURNAL, others)
    found = await watch.look()
    assert {each.detail for each in found} == {
        f"{setting} is {value}, the table of topics says {topic('wallet', 'journal').config[setting]}"
        for setting, value in others.items()
    }


async def test_a_setting_that_was_taken_away_is_the_brokers_default(
    watch: TopicWatch, stack: Stack, topics: str
) -> None:
    commands = topic("table", "commands")
    await set_up_otherwise(stack, topics + commands.name, {})
    assert {each.detail.split()[0] for each in await watch.look()} >= {"message.timestamp.type", "max.message.bytes"}


async def test_without_the_right_to_see_settings_it_says_so_and_tells_the_rest(
    watch: TopicWatch, stack: Stack, topics: str
) -> None:
    await delete_below(stack, topics + JOURNAL, {1: 1})
    async with administering(stack.admin) as at:
        await at.take(names=[(Resource.TOPIC, topics + "croupier.")])
        await at.give([Rule("audit", Operation.DESCRIBE, Resource.TOPIC, topics + "croupier.", prefixed=True)])
    with pytest.raises(TopicAuthorizationFailedError):
        await watch.look()
    kept = await watch._pool.fetch('select kind, topic, partition, "offset" from incidents')
    assert [tuple(each) for each in kept] == [("log_rewritten", topics + JOURNAL, 1, 1)]
