"""A house of 4 partitions is moved to 16, the mover killed on the way: everything is as it was, and play goes on."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from uuid6 import uuid7

from libs.broker.rules import prefix_rules
from libs.client.operator import Operator
from libs.contracts.topics import topic
from libs.journal.fold import PartitionFold
from libs.journal.house import NoSuchHouse, look
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogUnavailable, OutRecord
from libs.journal.machine import journal_name
from libs.journal.mark_keys import marks_in
from libs.journal.tail import end_of
from libs.stack import Stack, provision, remove
from libs.stack.provision import inspect
from services.cli.house import House, build_house
from services.cli.journals import records
from tests.conftest import TESTS
from tests.e2e.evening import croupier, evening

pytestmark = pytest.mark.stack
OLD, NEW = 4, 16
HANDS = int(os.environ.get("CROUPIER_MOVE_HANDS", "8"))
"""More of them by the variable; what was measured stands in docs/sre.md."""
SERVICES = ("table", "wallet", "tournament")


@pytest_asyncio.fixture
async def second(stack: Stack) -> AsyncIterator[str]:
    """The moved house's database: empty."""
    name = f"t_{uuid4().hex[:12]}"
    server = await asyncpg.connect(stack.database_url)
    try:
        await server.execute(f'create database "{name}"')
        yield urlunsplit(urlsplit(stack.database_url)._replace(path=f"/{name}"))
        await server.execute(f'drop database "{name}" with (force)')
    finally:
        await server.close()


@pytest_asyncio.fixture
async def prefixes(stack: Stack) -> AsyncIterator[tuple[str, str]]:
    both = f"h{uuid4().hex[:10]}.", f"m{uuid4().hex[:10]}."
    for each in both:
        await provision(stack.admin, OLD, each, rules=prefix_rules(TESTS, each), only=())
    yield both
    for each in both:
        await remove(stack.admin, each)


@pytest.mark.timeout(900)
async def test_a_moved_house_is_the_same_house(
    stack: Stack, database: str, second: str, prefixes: tuple[str, str], tmp_path: Path
) -> None:
    before, to = prefixes
    old = build_house(replace(stack, database_url=database), tmp_path / "old", before)
    key, other = str(uuid7()), str(uuid7())
    await old.start()
    try:
        async with evening(old) as it:
            await it.hands(HANDS, 60.0 + HANDS)
            await it.close()
            assert (await it.operator.open_account("alice", "EUR")).accepted
            answers = [
                await it.operator.deposit("alice", "d-1", 5_000, key=key),
                await it.operator.withdraw("alice", "w-1", 9_000, key=other),
            ]
        assert [each.accepted for each in answers] == [True, False]
        await settled(database)
    finally:
        await old.stop()
    books, chains = await books_in(database), await chains_of(old, OLD)

    mover = Mover(old, to, second, tmp_path / "move")
    log = KafkaLog(stack.admin, marks_in(old.marks_file("inspector")))

    async def journals_begun() -> bool:
        name = to + topic("wallet", "journal").name
        return await topics_there(stack, to) and any([await end_of(log, name, n) for n in range(NEW)])

    for moment in (
        lambda: there(mover.folder / "old"),
        lambda: there(mover.folder / "new"),
        lambda: topics_there(stack, to),
        journals_begun,
        lambda: later(journals_begun, 0.3),
    ):
        await mover.killed_at(moment)
        with pytest.raises(NoSuchHouse):
            await look(log, to)
        with pytest.raises(NoSuchHouse, match="is closed: it is moved"):
            await look(log, before)
    with pytest.raises(LogUnavailable):  # a process that slept through all of it wakes up
        await written_to(old, "wallet")
    await mover.run("--back")
    assert (await look(log, before)).partitions == OLD
    said = await mover.run()
    assert (said["before"], said["partitions"], said["opened"]) == (OLD, NEW, True)
    print("moved:", said)

    shutil.copytree(old.home / "keys", tmp_path / "new" / "keys")
    new = build_house(replace(stack, database_url=second), tmp_path / "new", to)
    assert await chains_of(new, NEW) == chains
    await new.start()
    try:
        async with asyncio.timeout(60):
            while await books_in(second) != books:
                await asyncio.sleep(0.2)
        async with Operator(new.gateway_url, new.operator_token) as operator:
            again = [
                await operator.deposit("alice", "d-1", 5_000, key=key),
                await operator.withdraw("alice", "w-1", 9_000, key=other),
            ]
            assert again == answers
            assert (await operator.deposit("alice", "d-2", 100)).accepted
            assert (await operator.open_account("bob", "EUR")).accepted
        await settled(second)
        async with new.reader("audit") as auditor:
            assert (await auditor.get("/v1/incidents")).json()["incidents"] == []
    finally:
        await new.stop()
    for house in (old, new):
        status, report = await croupier(house, "verify")
        assert (status, report["findings"]) == (0, [])
    status, report = await croupier(new, "rebuild", "--compare")
    assert status == 0, report
    assert "is open" in await mover.refused("--back")


@pytest.mark.timeout(600)
async def test_rounds_that_run_are_carried_with_their_cards(
    stack: Stack, database: str, second: str, prefixes: tuple[str, str], tmp_path: Path
) -> None:
    """The house is not drained: hands run, seats are asked for, policies are behind. In the new one they go on."""
    before, to = prefixes
    old = build_house(replace(stack, database_url=database), tmp_path / "old", before)
    await old.start()
    try:
        async with evening(old) as it:
            await it.hands(3)
            await old.stop()
    finally:
        await old.stop()
    chains = await chains_of(old, OLD)
    await Mover(old, to, second, tmp_path / "move").run()
    shutil.copytree(old.home / "keys", tmp_path / "new" / "keys")
    new = build_house(replace(stack, database_url=second), tmp_path / "new", to)
    assert await chains_of(new, NEW) == chains
    await new.start()
    try:
        async with asyncio.timeout(60):
            while not went_on(chains, await chains_of(new, NEW)):
                await asyncio.sleep(1)
        async with new.reader("audit") as auditor:
            assert (await auditor.get("/v1/incidents")).json()["incidents"] == []
    finally:
        await new.stop()
    status, report = await croupier(new, "verify")
    assert (status, report["findings"]) == (0, [])


def went_on(before: dict[str, tuple[int, bytes]], now: dict[str, tuple[int, bytes]]) -> bool:
    tables = [stream for stream in before if stream.startswith("lisboa-")]
    assert tables, "there were tables"
    return all(now[stream][0] > before[stream][0] for stream in tables)


class Mover:
    def __init__(self, old: House, to: str, database: str, folder: Path) -> None:
        self.folder = folder
        self._words = (
            *("house", "move", str(folder), "--partitions", str(NEW), "--to", to, "--json"),
            *("--keys", str(old.home / "keys")),
        )
        told = {name: value for name, value in old.inspecting().items() if not name.startswith("KAFKA_")}
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("KAFKA_")},
            **told,
            "CROUPIER_HOME": str(old.stack.home),
            "CROUPIER_NEW_DATABASE_URL": database,
        }

    async def _start(self, *more: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.cli", *self._words, *more),
            env=self._environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async def killed_at(self, moment: Callable[[], Awaitable[bool]]) -> None:
        process = await self._start()
        async with asyncio.timeout(120):
            while process.returncode is None and not await moment():
                await asyncio.sleep(0.005)
        assert process.returncode is None, (await process.communicate())[1].decode()
        process.send_signal(signal.SIGKILL)
        await process.communicate()
        assert process.returncode == -signal.SIGKILL

    async def run(self, *more: str) -> Any:
        process = await self._start(*more)
        out, wrong = await process.communicate()
        assert process.returncode == 0, wrong.decode()
        return json.loads(out)

    async def refused(self, *more: str) -> str:
        process = await self._start(*more)
        _, wrong = await process.communicate()
        assert process.returncode == 1
        return wrong.decode()


async def there(folder: Path) -> bool:
    """It has begun to fill."""
    return any(folder.glob("*.records"))  # noqa: ASYNC240 - a look, and nothing else runs


async def topics_there(stack: Stack, to: str) -> bool:
    return all(each.partitions for each in await inspect(stack.admin, to))


async def written_to(house: House, service: str) -> None:
    log = KafkaLog(house.stack.broker(service), marks_in(house.marks_file(service)))
    publisher = await log.publisher()
    try:
        name = house.topic_prefix + topic(service, "journal").name
        async with asyncio.timeout(30):
            await (await publisher.send([OutRecord(name, b"k", b"v", (), 0)]))
    finally:
        await publisher.abandon()


async def later(moment: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    if await moment():
        await asyncio.sleep(seconds)
        return True
    return False


async def settled(database: str) -> None:
    """Nothing comes any more."""
    seen, books = None, await books_in(database)
    async with asyncio.timeout(60):
        while seen != books:
            await asyncio.sleep(2)
            seen, books = books, await books_in(database)


async def books_in(database: str) -> dict[str, list[str]]:
    """Every row of balances, statements and void rounds, as text."""
    connection = await asyncpg.connect(database)
    try:
        found = {}
        for table in ("accounts", "sittings", "rake_accounts", "transfers"):
            rows = await connection.fetch(f"select t::text as row from wallet.{table} t")
            found[table] = sorted(row["row"] for row in rows)
        return found
    finally:
        await connection.close()


async def chains_of(house: House, partitions: int) -> dict[str, tuple[int, bytes]]:
    """Version and digest of every stream, by the rule alone."""
    log = KafkaLog(house.stack.admin, marks_in(house.marks_file("inspector")))
    found: dict[str, tuple[int, bytes]] = {}
    for service in SERVICES:
        for number in range(partitions):
            fold: PartitionFold[Any, Any] = PartitionFold(number, partitions, journal_name(service), None)
            async for record in records(log, house.topic_prefix + topic(service, "journal").name, number):
                assert fold.fold(record).valid or partitions == OLD
            found |= {stream: (head.version, head.prev) for stream, head in fold.heads.items()}
    return found
