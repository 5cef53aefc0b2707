"""A house of 4 partitions is moved to 16, the mover killed on the way: everything is as it was, and play goes on.

In short: nobody is killed, play is not ended; and wherever the mover dies, on a simulated log, in `tests/cli/moving`.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from uuid6 import uuid7

from libs.broker.rules import prefix_rules
from libs.client.operator import Operator
from libs.contracts.topics import topic
from libs.journal.house import NoSuchHouse, look
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import LogUnavailable, OutRecord
from libs.journal.mark_keys import marks_in
from libs.stack import Stack, provision, remove
from services.cli.house import House, build_house
from tests.conftest import TESTS
from tests.e2e.evening import croupier, evening
from tests.testkit.moving import Mover, books_in, chains_of, settled

pytestmark = pytest.mark.stack
OLD, NEW = 4, 16
HANDS = int(os.environ.get("CROUPIER_MOVE_HANDS", "8"))
"""More of them by the variable; what was measured stands in docs/sre.md."""
KILLED_AT = ("topics are made", "journals are written")
"""With nothing in the topics yet, and amidst writing to them; at all five moments: `make bench-move`."""


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


@pytest.mark.long
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

    mover = Mover(old, to, NEW, second, tmp_path / "move")
    log = KafkaLog(stack.admin, marks_in(old.marks_file("inspector")))
    moments = mover.moments()
    for moment in KILLED_AT:
        await mover.killed_at(moments[moment])
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
    assert await chains_of(new, NEW, void=False) == chains
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
    await Mover(old, to, NEW, second, tmp_path / "move").run()
    shutil.copytree(old.home / "keys", tmp_path / "new" / "keys")
    new = build_house(replace(stack, database_url=second), tmp_path / "new", to)
    assert await chains_of(new, NEW, void=False) == chains
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


async def written_to(house: House, service: str) -> None:
    log = KafkaLog(house.stack.broker(service), marks_in(house.marks_file(service)))
    publisher = await log.publisher()
    try:
        name = house.topic_prefix + topic(service, "journal").name
        async with asyncio.timeout(30):
            await (await publisher.send([OutRecord(name, b"k", b"v", (), 0)]))
    finally:
        await publisher.abandon()
