"""Everything that a fault may touch: stack, house, play that goes on, and what was said to whom."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import httpx
from aiokafka.errors import KafkaError

from libs.journal.mark_keys import marks_in
from libs.stack import Stack, provision, remove
from services.cli.house import House, build_house
from tests.chaos.clocks import Clock
from tests.chaos.history import PAID_TO, Desk, History, WatchedPlayer
from tests.chaos.relay import Relay
from tests.chaos.witness import Witness
from tests.e2e.evening import Evening, evening
from tests.testkit.partitions import PARTITIONS

PATIENCE_S = 120.0
"""For play to go on at every table. Generous: the machine may be slow, and the time itself is written down."""


class DidNotGoOn(AssertionError):
    """Play or deposits did not come back."""


@dataclass(slots=True)
class Scene:
    house: House
    stack: Stack
    relays: dict[str, Relay]
    clocks: dict[str, Clock]
    dice: Random
    history: History = field(default_factory=History)
    play: Evening | None = None
    desk: asyncio.Task[None] | None = None
    fault_at: float = 0.0
    """When it broke (seconds of `time.monotonic`), or when it was mended where nothing can go on before that."""
    excused: set[str] = field(default_factory=set)
    """Kinds of findings that `verify` is to make, because a fault put them there."""
    counted: dict[str, int] = field(default_factory=dict)
    """What earlier rounds have counted already."""

    @property
    def evening(self) -> Evening:
        assert self.play is not None
        return self.play

    @property
    def tables(self) -> list[str]:
        return [each.table for each in self.evening.tables]

    def now(self) -> None:
        """From here on the time to the next accepted act is taken."""
        self.fault_at = time.monotonic()

    async def again(self, service: str) -> None:
        """Starts a process that is gone, as an orchestrator would."""
        process = self.house.processes[service]
        await process.start()
        await process.ready(PATIENCE_S)

    async def next_act(self) -> tuple[float, float]:
        """Seconds from the fault to the next accepted act: at the first table, at the last."""
        return await self._accepted("act", self.tables, self.fault_at)

    async def next_deposit(self) -> float:
        """Seconds from the fault to a deposit accepted in the last of the wallet's partitions."""
        return (await self._accepted("deposit", PAID_TO, self.fault_at))[1]

    async def _accepted(self, kind: str, streams: Sequence[str], since: float) -> tuple[float, float]:
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            self.alive()
            found = self.history.accepted(kind, since)
            if found and all(stream in found for stream in streams):
                return min(found.values()) - since, max(found.values()) - since
            await asyncio.sleep(0.02)
        raise DidNotGoOn(f"no accepted {kind} at {sorted(set(streams) - set(found)) or 'all'} in {PATIENCE_S:.0f} s")

    async def close_desk(self) -> None:
        """No deposit is made any more."""
        assert self.desk is not None
        self.desk.cancel()
        await asyncio.gather(self.desk, return_exceptions=True)

    def alive(self) -> None:
        """No service has ended by itself."""
        for name, process in self.house.processes.items():
            if process.process is not None and not process.running and name not in self.down:
                raise DidNotGoOn(f"{name} ended by itself; its log: {process.log}")

    down: set[str] = field(default_factory=set)
    """Services that a fault keeps down for now."""

    async def ledger_sum(self) -> int:
        """Sum over all accounts as the books have it, without its sign; waits for books that are being restored."""
        give_up = time.monotonic() + PATIENCE_S
        async with self.house.reader("wallet") as wallet:
            while True:
                with suppress(httpx.HTTPError):
                    answer = await wallet.get("/v1/totals")
                    if answer.is_success:
                        return sum(abs(total) for total in answer.json().values())
                if time.monotonic() > give_up:
                    raise DidNotGoOn("the wallet's books do not answer")
                await asyncio.sleep(0.1)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a house is built for some faults."""

    relayed: bool = False
    """Each service reaches the broker through a relay of its own."""
    second: tuple[str, ...] = ()
    """Services of which a second process runs."""
    clocks: tuple[str, ...] = ()
    """Services whose clock can be set."""
    tables: int = 2
    bots: int = 3


PLAIN = Plan()


def open_folder(parent: Path, prefix: str) -> Path:
    """A new one; everybody may pass through it, as the database's user has to."""
    made = Path(mkdtemp(dir=parent, prefix=prefix))
    made.chmod(0o755)
    return made


@asynccontextmanager
async def scene(
    stack: Stack, folder: Path, plan: Plan, seed: str, before: Callable[[str], Awaitable[None]] | None = None
) -> AsyncIterator[Scene]:
    """A new house on this stack, with topics and a database of its own, and people playing in it.

    `before` gets the prefix of its topics, to make some of them otherwise than the house would.
    """
    prefix = f"c{uuid4().hex[:8]}."
    if before is not None:
        await before(prefix)
    await provision(stack.admin, PARTITIONS, prefix, replication=min(3, stack.nodes))
    database = await _database(stack.database_url)
    house = build_house(replace(stack, database_url=database), folder, prefix)
    for service in plan.second:
        house.add(service, f"{service}-2")
    relays = {door.name: Relay(door) for door in stack.doors} if plan.relayed else {}
    clocks = {name: Clock(folder / f"{name}.clock") for name in plan.clocks}
    _prepare(house, relays, clocks)
    made = Scene(house, stack, relays, clocks, Random(seed))
    try:
        for relay in relays.values():
            await relay.open()
        await opened(house)
        async with (
            evening(
                house, plan.tables, plan.bots, lambda url, token: WatchedPlayer(url, token, made.history), 10_000
            ) as made.play,
            _desk(made),
        ):
            yield made
    finally:
        for relay in relays.values():
            relay.heal()
        await house.stop()
        for relay in relays.values():
            await relay.close()
        await _forget(stack, prefix, database)


async def opened(house: House) -> None:
    """Starts what is not running, and waits longer than `House.start` does: the machine may be busy."""
    await house.create()
    for process in house.processes.values():
        if not process.running:
            await process.start()
    for process in house.processes.values():
        await process.ready(PATIENCE_S)


def _prepare(house: House, relays: dict[str, Relay], clocks: dict[str, Clock]) -> None:
    for name, process in house.processes.items():
        process.through = ("tests.chaos.crashing",)
        process.environment |= {
            "CHAOS_ARM": str(house.home / f"{name}.arm"),
            # Quick to notice: a round must not wait for what production waits for.
            "CROUPIER_GROUP_SESSION_MS": "4000",
            "CROUPIER_REPLY_TIMEOUT_MS": "3000",
            "CROUPIER_CHECKPOINT_EVERY_S": "5",
        }
        if process.name in relays:
            process.environment["KAFKA_BOOTSTRAP_SERVERS"] = relays[process.name].address
        if name in clocks:
            process.environment |= clocks[name].environment()


@asynccontextmanager
async def _desk(made: Scene) -> AsyncIterator[None]:
    desk = Desk(made.evening.operator, made.history)
    await desk.open()
    made.desk = asyncio.create_task(desk.serve(), name="desk")
    try:
        yield
    finally:
        await made.close_desk()


async def _database(server: str) -> str:
    name = f"c_{uuid4().hex[:12]}"
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'create database "{name}"')
    finally:
        await connection.close()
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


async def _forget(stack: Stack, prefix: str, database: str) -> None:
    """Topics and database go, so that the next house starts on a stack as fresh as this one did."""
    with suppress(KafkaError, OSError, asyncpg.PostgresError):
        await remove(stack.admin, prefix)
        connection = await asyncpg.connect(stack.database_url)
        try:
            await connection.execute(f'drop database "{urlsplit(database).path[1:]}" with (force)')
        finally:
            await connection.close()


def witness(at: Scene) -> Witness:
    return Witness(at.stack.admin, at.house.topic_prefix, marks_in(at.house.marks_file("inspector")))
