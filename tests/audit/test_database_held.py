"""Who takes the database's places, or goes on seeing an old moment of it, is told: the auditor's rights will do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import Connection, open_pool
from libs.stack import Stack
from services.audit import database_held
from services.audit.database_held import HELD_S, LOOKS, HeldDatabase
from services.audit.settings import ROLE, SCHEMA
from services.audit.verifying.findings import Kind
from tests.conftest import login_at

pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def auditor(stack: Stack, house_database: str) -> AsyncIterator[Connection]:
    address = login_at(stack, house_database, "audit")
    async with await open_pool(address, SCHEMA, role=ROLE) as pool, pool.acquire() as connection:
        yield connection


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_transaction_that_stands_is_told_by_its_login_and_process(
    stack: Stack, house_database: str, auditor: Connection
) -> None:
    """Found by an attacker: with the login that only reads, an idle one for half a day was the end of all writing."""
    clock = Clock()
    held = HeldDatabase(clock)
    inspector = await asyncpg.connect(login_at(stack, house_database, "inspector"))
    await inspector.execute("begin isolation level repeatable read; select count(*) from pg_class")
    pid = inspector.get_server_pid()

    async def told() -> bool:
        """Others of this server may stand as long: all that tests begin together is young together."""
        found = [each for each in await held.look(auditor) if each.stream == "inspector"]
        assert {each.kind for each in found} <= {Kind.DATABASE_HELD}
        return any(str(pid) in each.detail for each in found)

    assert not await told()
    clock.now = HELD_S - 1
    assert not await told()
    clock.now = HELD_S
    assert await told()
    await inspector.execute("commit; begin isolation level repeatable read; select count(*) from pg_class")
    assert not await told(), "another one, which sees a moment of its own"
    await inspector.close()


async def test_places_that_are_all_taken_are_told_at_the_second_look(
    auditor: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldDatabase()
    assert await held.look(auditor) == []
    monkeypatch.setattr(database_held, "_MOST", "select 3::bigint")
    for _ in range(LOOKS - 1):
        assert await held.look(auditor) == []
    (found,) = await held.look(auditor)
    assert (found.kind, found.stream) == (Kind.DATABASE_HELD, "connections")
    assert "most by " in found.detail
    assert await held.look(auditor) == [found], "one incident, however long it lasts"


async def test_places_are_counted_before_anybody_says_who_he_is(stack: Stack, auditor: Connection) -> None:
    """PostgreSQL lets them stay for `authentication_timeout`, a minute as it comes: 192 kept every login out."""
    async with AsyncExitStack() as open_:
        host = urlsplit(stack.database("audit"))
        before = {row["login"]: row["places"] for row in await auditor.fetch(database_held._PLACES)}
        for _ in range(5):
            _, writer = await asyncio.open_connection(host.hostname, host.port)
            open_.callback(writer.close)
            body = (196_608).to_bytes(4, "big") + b"user\0wallet\0database\0croupier\0\0"
            writer.write((len(body) + 4).to_bytes(4, "big") + body)
        await asyncio.sleep(1)
        after = {row["login"]: row["places"] for row in await auditor.fetch(database_held._PLACES)}
    nobody = next(each for each in after if each.startswith("nobody"))
    assert after[nobody] >= before[nobody] + 4


async def test_ids_that_run_out_are_told_for_each_database(
    auditor: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await HeldDatabase().look(auditor) == []
    monkeypatch.setattr(database_held, "OLD_IDS", -1)
    found = await HeldDatabase().look(auditor)
    assert {each.kind for each in found} == {Kind.TRANSACTION_IDS}
    assert "croupier" in {each.stream for each in found}
