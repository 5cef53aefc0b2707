"""Whoever has some login holds nobody up: what goes one at a time is locked by a row that only its writers can lock."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from libs.edge.problems import Problem
from libs.identity.reads import Reads, breaks, of_audit
from libs.projecting import Pool, make_months, open_pool
from libs.projecting.turns import take_turn
from libs.stack import Stack
from libs.stack.postgres import ARCHIVIST
from services.audit.checkpoints import Checkpoints
from services.audit.settings import ROLE, SCHEMA
from services.cli.migrate import migrated
from tests.audit.test_reads import read
from tests.conftest import connected_at, login_at
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
OURS = of_audit(SCHEMA)
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
MONTH = 1_704_067_200_000
"""January 2024, milliseconds since the epoch."""
FORMERLY = "select pg_advisory_xact_lock(hashtext(current_schema() || ' reads'))"


@pytest_asyncio.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    """As the auditor comes."""
    await migrated(database)
    held = await open_pool(database, SCHEMA, role=ROLE, max_size=8)
    yield held
    await held.close()


async def test_an_advisory_lock_of_any_login_stops_nothing(stack: Stack, database: str, pool: Pool) -> None:
    stranger = await connected_at(login_at(stack, database, ARCHIVIST))
    for what in ("checkpoints", "reads"):
        await stranger.execute(f"select pg_advisory_lock(hashtext('audit {what}'))")
    for table in ("played_2024_01", "histories_2024_01"):
        await stranger.execute(f"select pg_advisory_lock(hashtextextended('audit.{table}', 0))")
    try:
        async with asyncio.timeout(4):
            await Reads(pool, AUDIT, OURS).record(read(1))
        async with asyncio.timeout(8):
            assert await Checkpoints(pool, KEY, None, [("table", 0)], AUDIT).take() is not None
        async with asyncio.timeout(4), pool.acquire() as connection:
            await make_months(connection, "played", [MONTH])
    finally:
        await stranger.close()


async def test_nobody_but_who_writes_there_takes_a_turn(stack: Stack, database: str, pool: Pool) -> None:
    stranger = await connected_at(login_at(stack, database, ARCHIVIST))
    try:
        for lock in ("select from audit.turns for update", "lock table audit.turns in share mode"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await stranger.execute(f"begin; {lock}")
            await stranger.execute("rollback")
    finally:
        await stranger.close()
    for change in ("delete from turns", "insert into turns values ('x')", "update turns set what = 'x'"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await pool.execute(change)


async def test_reads_of_this_build_and_of_the_one_before_take_turns(pool: Pool) -> None:
    """One of before holds its own lock: this one waits a moment for it."""
    reads = Reads(pool, AUDIT, OURS)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute(FORMERLY)
        recording = asyncio.create_task(reads.record(read(1)))
        await asyncio.sleep(0.1)
        assert not recording.done()
    await recording
    await asyncio.gather(*(reads.record(read(number)) for number in range(2, 20)))
    async with pool.acquire() as connection:
        assert await breaks(connection, OURS, AUDIT) == []


async def test_without_its_row_nothing_is_shown(database: str, pool: Pool) -> None:
    owner = await asyncpg.connect(database)
    await owner.execute("delete from audit.turns")
    await owner.close()
    with pytest.raises(Problem):
        await Reads(pool, AUDIT, OURS).record(read(1))
    async with pool.acquire() as connection, connection.transaction():
        with pytest.raises(asyncpg.NoDataFoundError):
            await take_turn(connection, "checkpoints", 0)
