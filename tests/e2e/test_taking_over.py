"""Two processes of every service share the load; one after the other is killed, and the other one takes its share over.

`CROUPIER_TAKEOVERS=all` (`make takeovers`) also kills the auditor's, the second gateway (in short: `test_floors.py`),
and the first one of each service but the gateway, which the operator is connected to.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment

from libs.client import Answer, ConnectionLost, Player
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import account_id
from libs.stack.home import Door
from libs.stack.ports import free_port
from services.cli.demo.bots import Bot
from services.cli.house import House
from tests.chaos.relay import Relay
from tests.conftest import TESTS
from tests.e2e.evening import Evening, croupier, evening
from tests.testkit.partitions import PARTITIONS, partition_of

SERVICES = ("table", "wallet", "audit", "gateway")
KILLED: tuple[str, ...] = ("table-2", "wallet-2")
if os.environ.get("CROUPIER_TAKEOVERS") == "all":
    KILLED = ("table", "table-2", "wallet-2", "wallet", "audit-2", "audit", "gateway-2")
GROUPS = {"table": "table-decider", "wallet": "wallet-books", "audit": "audit-share"}
SESSION_MS = 2_000
SOON_S = 60.0
"""No promise of ours: two cores are shared with the broker and with fourteen processes. What it took is printed."""


@pytest.mark.stack
@pytest.mark.timeout(120 + 120 * len(KILLED))
async def test_of_two_of_every_service_one_is_killed_and_the_other_takes_over(house: House) -> None:
    for service in SERVICES:
        second = house.add(service, f"{service}-2", CROUPIER_GROUP_SESSION_MS=str(SESSION_MS))
        await second.start()
    for process in house.processes.values():
        await process.ready()
    relay = Relay(Door("gateways", house.processes["gateway-2"].port, free_port()))
    await relay.open()
    lost: list[str] = []
    ways = cycle([house.gateway_url, f"http://{relay.address}"])

    class Asking(Player):
        async def command(self, *args: Any, **body: Any) -> Answer:
            try:
                return await super().command(*args, **body)
            except ConnectionLost as never:
                lost.append(str(never))
                raise

    async with looking(house) as look, evening(house, 4, 4, lambda _, token: Asking(next(ways), token)) as it:
        people = [await account(it, number) for number in range(PARTITIONS)]
        await it.hands(4)
        home = partition_of(it.tables[0].table)
        for name in KILLED:
            service = name.removesuffix("-2")
            served = {bot.name for number, bot in enumerate(it.bots) if number % 2}  # by the second gateway
            if service in GROUPS:
                owned = await shared(house, service)
                if service == "table":
                    name = next(each for each, numbers in owned.items() if home in numbers)
                    served = {bot.name for bot in it.bots if partition_of(bot.table) in owned[name]}
                else:
                    served = {bot.name for bot in it.bots}
            await house.processes[name].kill()
            began, before = time.monotonic(), [bot.acts for bot in it.bots]
            if service == "gateway":
                relay.door = Door("gateways", house.processes["gateway"].port, relay.door.advertised)
            paid = asyncio.gather(*(pay(it, player, f"after {name}") for player in people))
            times = await asyncio.gather(
                *(acts(it, bot, had, began) for bot, had in zip(it.bots, before, strict=True) if bot.name in served)
            )
            await paid
            answered = time.monotonic() - began
            ends = await look.ends()
            books, audited = await asyncio.gather(look.has_read("wallet", ends), look.has_read("audit", ends))
            print(
                f"{name} killed: next act of {len(times)} that it served after {min(times):.1f} s,"
                f" of all after {max(times):.1f} s;"
                f" a deposit in every partition after {answered:.1f} s,"
                f" in the books after {books - began:.1f} s, audited after {audited - began:.1f} s"
            )
            await house.processes[name].start()
            await house.processes[name].ready()
            await it.hands(2)
        await it.close()
        assert it.statistics.voided == 0
        assert it.watcher is not None
        assert it.watcher.started_twice == []
        await relay.close()
        assert lost == []
        ends = await look.ends()
        await asyncio.gather(look.has_read("wallet", ends), look.has_read("audit", ends))
        assert await look.pool.fetch("select * from wallet.totals where total <> 0") == []
        for schema in ("wallet", "audit"):
            assert await look.pool.fetch(f"select * from {schema}.set_aside") == []
        assert [dict(row) for row in await look.pool.fetch("select * from audit.incidents")] == []
    for command in (("verify",), ("rebuild", "--compare")):
        status, report = await croupier(house, *command)
        assert (command, status) == (command, 0), report


@dataclass(slots=True)
class Look:
    """How far who reads has come."""

    house: House
    consumer: AIOKafkaConsumer
    pool: asyncpg.Pool

    async def ends(self) -> Mapping[tuple[str, int], int]:
        """Of the events of the services that move money."""
        names = [self.house.topic_prefix + topic(service, "events").name for service in ("table", "wallet")]
        places = [TopicPartition(name, number) for name in names for number in range(PARTITIONS)]
        found = await self.consumer.end_offsets(places)
        return {(place.topic, place.partition): end for place, end in found.items()}

    async def has_read(self, schema: str, ends: Mapping[tuple[str, int], int]) -> float:
        """When it had (the clock of `monotonic`)."""
        give_up = time.monotonic() + SOON_S
        while True:
            rows = await self.pool.fetch(f"select topic, partition, position from {schema}.positions")
            read = {(row["topic"], row["partition"]): row["position"] for row in rows}
            behind = {place: (read.get(place, 0), end) for place, end in ends.items() if read.get(place, 0) < end}
            if not behind:
                return time.monotonic()
            assert time.monotonic() < give_up, f"{schema} has read less than was written: {behind}"
            await asyncio.sleep(0.05)


@asynccontextmanager
async def looking(house: House) -> AsyncIterator[Look]:
    consumer = AIOKafkaConsumer(**house.stack.broker(TESTS).options())
    await consumer.start()
    try:
        async with asyncpg.create_pool(house.stack.database_url, min_size=1, max_size=2) as pool:
            yield Look(house, consumer, pool)
    finally:
        await consumer.stop()


async def shared(house: House, service: str) -> dict[str, list[int]]:
    """Waits until both processes have some of the partitions: which."""
    admin = AIOKafkaAdminClient(**house.stack.broker(TESTS).options())
    await admin.start()
    try:
        async with asyncio.timeout(SOON_S):
            while True:
                [told] = await admin.describe_consumer_groups([house.topic_prefix + GROUPS[service]])
                members = told.groups[0][5]
                owned = {member[0][:-37]: assigned(member[4]) for member in members}
                if sorted(owned) == [service, f"{service}-2"] and all(owned.values()):
                    return owned
                await asyncio.sleep(0.1)
    finally:
        await admin.close()


def assigned(assignment: bytes) -> list[int]:
    if not assignment:
        return []
    return [
        number for _, numbers in ConsumerProtocolMemberAssignment.decode(assignment).assignment for number in numbers
    ]


async def account(it: Evening, number: int) -> str:
    """Of somebody whose account lies in that partition."""
    player = next(
        name for name in map("payer-{}".format, range(1_000)) if partition_of(account_id(name, "EUR")) == number
    )
    assert (await it.operator.open_account(player, "EUR")).accepted
    return player


async def pay(it: Evening, player: str, reference: str) -> None:
    assert (await it.operator.deposit(player, f"{player} {reference}", 100, "EUR")).accepted


async def acts(it: Evening, bot: Bot, had: int, began: float) -> float:
    while bot.acts == had:
        if time.monotonic() - began > SOON_S:
            raise TimeoutError(f"{bot.name} does not act:\n{await it.shown()}")
        await asyncio.sleep(0.02)
    return time.monotonic() - began
