"""The trail of who looked at cards and persons: only added to, and what is changed by force is found."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

import libs.identity.reads as trail
from libs.edge.paging import NEWEST, place_of
from libs.edge.problems import Problem
from libs.identity.guard import Read
from libs.identity.reads import Reads, why_not_whole
from libs.projecting import Pool, migrate, open_pool
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.watch import trails
from services.wallet.projections import MIGRATIONS as WALLET_MIGRATIONS

pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    await migrate(database, SCHEMA, MIGRATIONS)
    held = await open_pool(database, SCHEMA)
    yield held
    await held.close()


def read(number: int) -> Read:
    return Read(
        at=number, principal="staff:eva", roles=["support"], scopes=[], purpose="a complaint, nº 7",
        what="GET /v1/hands", target=f"/v1/hands?player=p{number}", address="127.0.0.1",
    )  # fmt: skip


async def test_it_is_only_added_to(pool: Pool) -> None:
    reads = Reads(pool)
    for number in range(1, 6):
        await reads.record(read(number))
    assert [each.at for each in await reads.kept(place_of("5"), 3)] == [4, 3, 2]
    async with pool.acquire() as connection:
        assert await why_not_whole(connection, SCHEMA) is None
        for change in ("update reads set purpose = 'none'", "delete from reads", "truncate reads"):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
                await connection.execute(change)


@pytest.mark.parametrize("limit", [1, 2, 7, 60])
async def test_a_burst_of_reads_is_on_the_pages_whole(database: str, pool: Pool, limit: int) -> None:
    """Sixty in four milliseconds, kept by two services: each on one page, whatever the page's length."""
    await migrate(database, "wallet", WALLET_MIGRATIONS)
    other = await open_pool(database, "wallet")
    both = Reads(pool, "wallet")
    for number in range(60):
        await (both if number % 3 else Reads(other)).record(read(number // 15))
    found, before = [], NEWEST
    while page := await both.kept(place_of(before), limit):
        found += page
        before = page[-1].place.cursor()
    assert len(found) == 60
    assert len({(each.service, each.id) for each in found}) == 60
    assert [each.at for each in found] == sorted((each.at for each in found), reverse=True)
    await other.close()


@pytest.mark.parametrize("page", [1, 2, 500])
@pytest.mark.parametrize(
    "change",
    [
        "update reads set purpose = 'routine' where id = 2",
        "delete from reads where id = 2",
        "update reads set at = at + 1 where id = 3",
        "insert into reads (at, principal, roles, scopes, purpose, what, target, address, digest)"
        " select at, principal, roles, scopes, purpose, what, target, address, digest from reads where id = 1",
        "insert into reads overriding system value"
        " select -9, at, principal, roles, scopes, purpose, what, target, address, digest from reads where id = 1",
    ],
)
async def test_what_is_changed_by_force_is_found(
    pool: Pool, change: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page: an attacker grew the trail until the auditor, which held it whole, was killed at each start."""
    monkeypatch.setattr(trail, "_PAGE", page)
    reads = Reads(pool)
    for number in range(1, 5):
        await reads.record(read(number))
    async with pool.acquire() as connection:
        assert await trails(connection, [SCHEMA]) == []
        await connection.execute("alter table reads disable trigger reads_are_final")
        await connection.execute(change)
        [finding] = await trails(connection, [SCHEMA])
        assert finding.kind.value == "trail_of_reads_broken"


async def test_what_can_not_be_kept_is_not_shown(pool: Pool) -> None:
    await pool.close()
    with pytest.raises(Problem) as told:
        await Reads(pool).record(read(1))
    assert (told.value.status, told.value.slug) == (503, "record-unavailable")
