"""On the real broker: what somebody leaves there who administers it for five minutes, and the auditor tells it."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from aiokafka.errors import ClusterAuthorizationFailedError

from libs.broker import Broker, LoginRefused, check_login
from libs.broker.administration import administering
from libs.broker.broker import PLATFORMS_MECHANISM
from libs.broker.protocol import Ready, _SetSettingsRequest
from libs.broker.quotas import REQUEST_SHARE, _AlterQuotasRequest
from libs.broker.rules import CLUSTER, Operation, Resource, Rule, house_rules, services
from libs.broker.strangers import _EVERYBODY
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Pool, open_current
from libs.stack import Stack, default_home, down, provision, up
from libs.stack.home import Home
from libs.stack.platforms import add_platform, remove_platform
from libs.stack.rotating import rotate_kafka, shut_kafka
from services.audit.broker_watch import MOST, BrokerWatch
from services.audit.settings import MIGRATIONS, ROLE, SCHEMA
from tests.conftest import TESTS, login_at
from tests.testkit.marks import ROOT

pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def pool(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    found = await open_current(login_at(stack, house_database, "audit"), SCHEMA, MIGRATIONS, role=ROLE, max_size=2)
    yield found
    await found.close()


@pytest_asyncio.fixture
async def watch(stack: Stack, topics: str, pool: Pool) -> AsyncIterator[BrokerWatch]:
    log = KafkaLog(stack.broker("audit"), marks_of("audit", ROOT, Plan()))
    await log.cluster.join()
    yield BrokerWatch(log, pool, topics, [TESTS])
    log.cluster.leave()


_MECHANISMS = "listener.name.clients.sasl.enabled.mechanisms"
_SHARE = [REQUEST_SHARE]
_LETS_IN = "it says who comes in as whom"


def let_in(mechanisms: str | None) -> Ready:
    """By which mechanisms broker 1 lets clients in from now on; None: as its file says."""
    change = (_MECHANISMS, 0 if mechanisms else 1, mechanisms)
    return Ready(_SetSettingsRequest([(4, "1", [change])], False))


Entity = list[tuple[str, str | None, dict[int, bytes]]]


def bound(entity: Entity, key: str, value: float | None) -> Ready:
    """None: takes it away."""
    change: tuple[Any, ...] = (key, 1.0 if value is None else value, value is None, {})
    return Ready(_AlterQuotasRequest([(entity, [change], {})], False, {}))


@pytest.fixture
def own_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    """Its administrator leaves things there that are no test's."""
    for name in ("KAFKA_BOOTSTRAP_SERVERS", "DATABASE_URL", "CROUPIER_TLS"):
        monkeypatch.delenv(name, raising=False)
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="strangers-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the database's user has to pass
        yield up(home)
        down(home, wipe=True)


async def test_what_five_minutes_of_the_administrator_leave(own_broker: Stack, pool: Pool, tmp_path: Path) -> None:
    """As attacker 24 left it on 29 November 2026: no rotation ended it, and nobody told. In a house without a prefix,
    which has its broker for itself."""
    await provision(own_broker.admin, 1)
    ports = Home(own_broker.home).ports()
    assert ports is not None
    (stolen := tmp_path / "stolen").write_text("five-minutes-once")
    inner = Broker(f"127.0.0.1:{ports.behind[0]}", "table", stolen, mechanism=PLATFORMS_MECHANISM)
    ghost = replace(own_broker.admin, user="ghost", password_file=stolen)
    about = ((Resource.TOPIC, "croupier.", True), (Resource.GROUP, "*", False), (Resource.CLUSTER, CLUSTER, False))
    log = KafkaLog(own_broker.broker("audit"), marks_of("audit", ROOT, Plan()))
    await log.cluster.join()
    watch = BrokerWatch(log, pool, "")
    try:
        assert await told(watch) == []
        async with administering(own_broker.admin) as at:
            await at.set_passwords({"ghost": "five-minutes-once"})
            await at.give([Rule("ghost", Operation.ALL, *each) for each in about])
            await at.set_passwords({"table": "five-minutes-once"}, PLATFORMS_MECHANISM)
            await at._ask(let_in("SCRAM-SHA-512,PLAIN"))
        await check_login(inner)
        await rotate_kafka(own_broker.admin, own_broker.logins, "admin")
        rule = "a rule of the broker is none of the house's: User:ghost may ALL"
        assert {(login, detail) for _, login, detail in await told(watch)} == {
            ("ghost", "the login ghost of the broker is none of the house's"),
            (_MECHANISMS, f"{_MECHANISMS} was set at the broker while it ran, which the house does not: {_LETS_IN}"),
            *(("ghost", f"{rule} {what}") for what in ("TOPIC croupier.*", "GROUP *", f"CLUSTER {CLUSTER}")),
            (
                "table",
                "the login table of the broker has a password for SCRAM-SHA-256, which the house has not given it",
            ),
        }
        await rotate_kafka(own_broker.admin, own_broker.logins, "table")
        with pytest.raises(LoginRefused):
            await check_login(inner)
        await check_login(ghost)
        await shut_kafka(own_broker.admin, "ghost")
        with pytest.raises(LoginRefused):
            await check_login(ghost)
        async with administering(own_broker.admin) as at:
            await at._ask(let_in(None))
        assert await told(watch) == []
    finally:
        log.cluster.leave()


async def test_bounds_of_names_that_clients_give_themselves_hold_no_service_and_are_told(
    own_broker: Stack, pool: Pool
) -> None:
    """As attacker 25 left them on 30 November 2026: what the auditor reads came a byte a second."""
    await provision(own_broker.admin, 1)
    log = KafkaLog(own_broker.broker("audit"), marks_of("audit", ROOT, Plan()))
    await log.cluster.join()
    watch = BrokerWatch(log, pool, "")
    entities: tuple[list[tuple[str, str | None]], ...] = (
        [("client-id", "croupier-audit")],
        [("user", None)],
        [("ip", None)],
        [("user", None), ("client-id", None)],
    )
    left: list[tuple[Entity, str]] = [
        ([(kind, name, {}) for kind, name in entity], key)
        for entity in entities
        for key in (["connection_creation_rate"] if entity == [("ip", None)] else ["consumer_byte_rate", *_SHARE])
    ]
    try:
        assert await told(watch) == []
        async with administering(own_broker.admin) as at:
            for entity, key in left:
                value = 1000.0 if key == "connection_creation_rate" else 1.0
                answer = await at._ask(bound(entity, key, value))
                assert answer.entries[0][0] == 0
        began = time.monotonic()
        while len(found := await told(watch)) < len(entities) and time.monotonic() - began < 10.0:
            pass  # the broker takes a moment to know of them itself
        assert time.monotonic() - began < 10.0, "its own bounds go before"
        assert {about for _, about, _ in found} == {
            "client-id croupier-audit",
            f"client-id {_EVERYBODY}, user {_EVERYBODY}",
            f"ip {_EVERYBODY}",
            f"user {_EVERYBODY}",
        }
        async with administering(own_broker.admin) as at:
            for entity, key in left:
                await at._ask(bound(entity, key, None))
        async with asyncio.timeout(10):
            while await told(watch):
                pass
    finally:
        log.cluster.leave()


async def told(watch: BrokerWatch) -> list[tuple[str, str, str]]:
    await watch.look()
    return [(each.kind.value, each.stream, each.detail) for each in await watch.look()]


async def test_a_platform_and_whoever_is_named_are_no_strangers(watch: BrokerWatch, stack: Stack, topics: str) -> None:
    await add_platform(stack, name := f"p{uuid4().hex[:8]}", topics)
    try:
        assert await told(watch) == []
    finally:
        await remove_platform(stack, name)
    assert await told(watch) == []


async def test_without_a_name_for_them_the_tests_are_strangers(watch: BrokerWatch, topics: str, pool: Pool) -> None:
    watch._further = ()
    begun = time.monotonic()
    assert await watch.look() == [], "one look may meet what is just being done"
    found = await told(watch)
    assert time.monotonic() - begun < 10.0
    said = "a rule of the broker is none of the house's: User:tests may ALL"
    assert found == [("broker_has_strangers", TESTS, f"{said} {resource} {topics}*") for resource in ("GROUP", "TOPIC")]
    kept = await pool.fetch("select kind, severity, stream from incidents order by id")
    assert [tuple(each) for each in kept] == [("broker_has_strangers", "critical", TESTS)] * 2


async def test_a_user_who_is_nobodys_and_his_rules(watch: BrokerWatch, stack: Stack, topics: str) -> None:
    """As who administers the broker for five minutes leaves him there."""
    ghost = f"ghost{uuid4().hex[:8]}"
    async with administering(stack.admin) as at:
        await at.set_passwords({ghost: "five minutes"})
        await at.give([Rule(ghost, Operation.ALL, Resource.TOPIC, f"{topics}croupier.", prefixed=True)])
        try:
            found = await told(watch)
            rule = f"a rule of the broker is none of the house's: User:{ghost} may ALL TOPIC {topics}croupier.*"
            assert found == [("broker_has_strangers", ghost, rule)], (
                "with a prefix who has nothing of the house is none"
            )
            seen = await watch._seen()
            assert seen.users[ghost] == {"SCRAM-SHA-512": 4096}
        finally:
            await at.take([ghost])
            await at.lock_out([ghost])
    assert await told(watch) == []


async def test_a_rule_of_the_house_that_is_gone(watch: BrokerWatch, stack: Stack, topics: str) -> None:
    async with administering(stack.admin) as at:
        await at.take(names=[(Resource.TOPIC, f"{topics}croupier.house.v1")])
    gone = {rule.login for rule in house_rules(topics) if rule.name == f"{topics}croupier.house.v1"}
    assert {login for _, login, _ in await told(watch)} == gone
    assert gone <= set(services())


async def test_of_very_many_some_are_told_and_that_there_are_more(
    watch: BrokerWatch, stack: Stack, topics: str, pool: Pool
) -> None:
    many = [Rule("table", Operation.DELETE, Resource.TOPIC, f"{topics}croupier.x{n}") for n in range(MOST + 5)]
    async with administering(stack.admin) as at:
        await at.give(many)
        try:
            found = await told(watch)
        finally:
            await at.take(names=[(each.resource, each.name) for each in many])
    assert len(found) == MOST + 1
    assert "more than 100" in found[-1][2]
    assert await pool.fetchval("select count(*) from incidents") == MOST + 1


async def test_who_may_not_look_says_so(stack: Stack, topics: str, pool: Pool) -> None:
    log = KafkaLog(stack.broker("table"), marks_of("audit", ROOT, Plan()))
    await log.cluster.join()
    try:
        with pytest.raises(ClusterAuthorizationFailedError):
            await BrokerWatch(log, pool, topics).look()
    finally:
        log.cluster.leave()


async def test_the_auditor_may_look_at_the_cluster_and_change_nothing(stack: Stack, topics: str) -> None:
    about = [rule for rule in house_rules(topics) if rule.resource is Resource.CLUSTER]
    assert {(rule.login, rule.operation) for rule in about} == {
        ("audit", Operation.DESCRIBE),
        ("audit", Operation.DESCRIBE_CONFIGS),
    }
    async with administering(stack.broker("audit")) as at:
        with pytest.raises(ClusterAuthorizationFailedError):
            await at.give([Rule("audit", Operation.ALL, Resource.CLUSTER, CLUSTER)])
        with pytest.raises(ClusterAuthorizationFailedError):
            await at.set_passwords({"audit": "mine"}, PLATFORMS_MECHANISM)
