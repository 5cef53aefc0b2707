"""How fast a service's login fills the broker's disk: no faster than its rate, which play never comes near."""

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from aiokafka import AIOKafkaProducer

from libs.broker.administration import administering
from libs.broker.rules import TABLE_WRITES, services, write_rates
from libs.contracts.topics import topic
from libs.stack import Stack, default_home, down, provision, up
from tests.testkit.partitions import PARTITIONS

pytestmark = [pytest.mark.stack, pytest.mark.usefixtures("no_given_addresses")]
_VALUE = os.urandom(440_000)
_PREFIX = "rates."
EVENTS = _PREFIX + topic("tournament", "events").name


def test_each_service_has_one_and_the_administrator_has_none() -> None:
    assert write_rates().keys() == set(services())
    assert (write_rates()["table"], write_rates()["audit"]) == (TABLE_WRITES, TABLE_WRITES / 2)
    acts = 5 * 1_000 * 0.41  # of a thousand tables, five times
    assert acts * 3_780 < write_rates()["table"], "docs/capacity.md: journal, events, replies and deals of an act"
    assert acts * 496 < write_rates()["gateway"]


@pytest.fixture(scope="module")
def own_broker() -> Iterator[Stack]:
    """Rates are of a login, not of a prefix: nobody else's tests are to have them changed."""
    default_home().mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=default_home(), prefix="rates-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the database's user has to pass
        yield up(home)
        down(home, wipe=True)


async def flood(stack: Stack, login: str, seconds: float) -> float:
    """Bytes a second, as the attacker's script of 29 November 2026 wrote them."""
    producer = AIOKafkaProducer(
        **stack.broker(login).options(), acks=1, max_request_size=1_000_000, max_batch_size=450_000
    )
    await producer.start()
    began, written = time.monotonic(), 0
    try:
        while (taken := time.monotonic() - began) < seconds:
            await asyncio.gather(*(producer.send_and_wait(EVENTS, _VALUE, partition=0) for _ in range(8)))
            written += 8 * len(_VALUE)
    finally:
        await producer.stop()
    return written / taken


async def test_who_has_a_services_password_fills_no_disk_in_an_hour(own_broker: Stack) -> None:
    await provision(own_broker.admin, PARTITIONS, _PREFIX)
    async with administering(own_broker.admin) as at:
        assert await at.write_rates() == write_rates()
    fast = 1.5 * write_rates()["tournament"]
    assert await flood(own_broker, "tournament", 30.0) < fast


async def test_what_somebody_has_set_stays_until_somebody_says_otherwise(own_broker: Stack) -> None:
    await provision(own_broker.admin, PARTITIONS, _PREFIX)
    async with administering(own_broker.admin) as at:
        await at.limit_writes({"table": 99_000_000.0})
        await provision(own_broker.admin, PARTITIONS, _PREFIX)
        assert await at.write_rates() == write_rates() | {"table": 99_000_000.0}
        await provision(own_broker.admin, PARTITIONS, _PREFIX, table_writes=20_000_000)
        assert await at.write_rates() == write_rates(20_000_000)
