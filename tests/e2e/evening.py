"""An evening at a house: tables, funded bots, a spectator, and what `croupier` says of it afterwards."""

import asyncio
import io
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.structs import ConsumerRecord

from libs.broker import Broker
from libs.client import Operator, Player
from services.cli.demo.bots import Bot
from services.cli.demo.statistics import Statistics, Watcher
from services.cli.demo.tables import DemoTable, demo_tables
from services.cli.house import House


@dataclass(slots=True)
class Evening:
    house: House
    operator: Operator
    tables: list[DemoTable]
    statistics: Statistics = field(default_factory=Statistics)
    bots: list[Bot] = field(default_factory=list)
    watcher: Watcher | None = None
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def hands(self, count: int, timeout_s: float = 60.0) -> None:
        """Waits until so many more hands are over. Raises TimeoutError with what the tables show and every bot does."""
        goal = self.statistics.total_hands + count
        give_up = time.monotonic() + timeout_s
        while self.statistics.total_hands < goal:
            for task in self.tasks:
                if task.done():
                    task.result()
            if time.monotonic() > give_up:
                raise TimeoutError(
                    f"{goal - self.statistics.total_hands} of {count} hands to go:\n{await self.shown()}"
                )
            await asyncio.sleep(0.05)

    async def shown(self) -> str:
        """For whoever wonders why nothing goes on: every table as a spectator sees it, and where every bot waits."""
        token = (await self.operator.open_session("spectator")).token
        async with Player(self.house.gateway_url, token) as spectator:
            tables = [str(await spectator.view(table.table)) for table in self.tables]
        waits = []
        for task in self.tasks:
            there = io.StringIO()
            task.print_stack(limit=1, file=there)
            waits.append(f"{task.get_name()}: {there.getvalue().strip()}")
        followed = [f"{bot.name}: {bot.acts} acts, follows {bot.followed}" for bot in self.bots]
        return "\n".join([*tables, *followed, *waits, str(self.statistics.rejections)])

    async def close(self) -> None:
        for table in self.tables:
            await self.operator.close_table(table.table, "end of the test")
        async with asyncio.timeout(60):
            while any(row["status"] != "closed" for row in await self.operator.tables()):
                await asyncio.sleep(0.1)


@asynccontextmanager
async def evening(
    house: House,
    tables: int = 2,
    bots: int = 3,
    client: Callable[[str, str], Player] = Player,
    buy_ins: int = 100,
    think_s: float = 0.0,
) -> AsyncIterator[Evening]:
    """Bots play until the block is left; they keep playing while tables close. Each has `buy_ins` to lose.

    Who thinks leaves time to what else is looked at: bots that do not take all of the machine.
    """
    async with Operator(house.gateway_url, house.operator_token) as operator:
        chosen = demo_tables()[:tables]
        it = Evening(house, operator, chosen)
        for table in chosen:
            answer = await operator.open_table(table.table, table.name, table.rulebook, table.configuration)
            assert answer.accepted, answer
            for number in range(bots):
                it.bots.append(await _bot(it, table, f"{table.table}-bot-{number}", client, buy_ins, think_s))
        spectator = await operator.open_session("spectator")
        it.watcher = Watcher(house.gateway_url, spectator.token, [table.table for table in chosen], it.statistics)
        stop = asyncio.Event()
        it.tasks = [asyncio.create_task(it.watcher.watch(), name="watcher")]
        await it.watcher.watching.wait()
        it.tasks += [asyncio.create_task(bot.play(stop), name=bot.name) for bot in it.bots]
        try:
            yield it
        finally:
            stop.set()
            for task in it.tasks:
                task.cancel()
            await asyncio.gather(*it.tasks, return_exceptions=True)


async def _bot(
    it: Evening, table: DemoTable, name: str, client: Callable[[str, str], Player], buy_ins: int, think_s: float
) -> Bot:
    session = await it.operator.open_session(name)
    await it.operator.open_account(name, table.currency)
    answer = await it.operator.deposit(name, f"{name}-1", buy_ins * table.buy_in, table.currency)
    assert answer.accepted, answer
    dice = Random(name)
    url = it.house.gateway_url
    return Bot(name, url, session.token, table.table, table.buy_in, it.statistics, dice, client=client, think_s=think_s)


async def croupier(house: House, *command: str) -> tuple[int, Any]:
    """Runs `croupier … --json` against this house: exit status and what it printed."""
    environment = {**os.environ, **house.inspecting(), "CROUPIER_HOME": str(house.home)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.cli", *command, "--json",
        env=environment, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, json.loads(out)


async def all_records(broker: Broker, topic: str, partitions: int) -> list[ConsumerRecord]:
    """Every record of a topic, as a plain consumer reads it, partition after partition."""
    consumer = AIOKafkaConsumer(**broker.options(), enable_auto_commit=False)
    await consumer.start()
    try:
        places = [TopicPartition(topic, partition) for partition in range(partitions)]
        consumer.assign(places)
        await consumer.seek_to_beginning(*places)
        ends = await consumer.end_offsets(places)
        found: list[ConsumerRecord] = []
        while [place for place in places if await consumer.position(place) < ends[place]]:
            for records in (await consumer.getmany(timeout_ms=500)).values():
                found += records
        return found
    finally:
        await consumer.stop()
