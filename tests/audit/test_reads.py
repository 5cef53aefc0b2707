"""The trail of who looked at cards and persons: only added to, and what is changed by force is found."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

import libs.identity.reads as trail
from libs.edge.paging import NEWEST, place_of
from libs.edge.problems import Problem
from libs.identity.purpose import Read
from libs.identity.reads import Reads, breaks, digest_of_before_the_marks, of_audit, of_wallet
from libs.projecting import Pool, migrate, open_pool
from libs.stack import Stack
from services.audit.record_watch import RecordWatch
from services.audit.settings import MIGRATIONS, ROLE, SCHEMA
from services.audit.trail_watch import trails
from services.cli.verified import Point
from services.cli.verify import _in_database
from services.wallet import projections as wallet
from tests.conftest import login_at
from tests.testkit.marks import AUDIT, INSPECTOR, WALLET

pytestmark = pytest.mark.stack
OURS = of_audit(SCHEMA)
THEIRS = of_wallet(wallet.SCHEMA)


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
    reads = Reads(pool, AUDIT, OURS)
    for number in range(1, 6):
        await reads.record(read(number))
    found, behind = await reads.kept(place_of("5"), 3)
    assert ([each.at for each in found], behind) == ([4, 3, 2], found[-1].place)
    assert await reads.kept(place_of("1"), 3) == ([], None)
    async with pool.acquire() as connection:
        assert await breaks(connection, OURS, AUDIT) == []
        for change in ("update reads set purpose = 'none'", "delete from reads", "truncate reads"):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
                await connection.execute(change)


@pytest.mark.parametrize("limit", [1, 2, 7, 60])
async def test_a_burst_of_reads_is_on_the_pages_whole(database: str, pool: Pool, limit: int) -> None:
    """Sixty in four milliseconds, kept by two services: each on one page, whatever the page's length."""
    await migrate(database, "wallet", wallet.MIGRATIONS)
    other = await open_pool(database, "wallet")
    both = Reads(pool, AUDIT, OURS, of_wallet("wallet"))
    for number in range(60):
        await (both if number % 3 else Reads(other, WALLET, of_wallet("wallet"))).record(read(number // 15))
    found, behind = await both.kept(place_of(NEWEST), limit)
    while behind is not None:
        page, behind = await both.kept(behind, limit)
        found += page
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
        "insert into reads (at, principal, roles, scopes, purpose, what, target, address, before, digest)"
        " select at, principal, roles, scopes, purpose, what, target, address, before, 'x' from reads where id = 1",
        "insert into reads (at, principal, roles, scopes, purpose, what, target, address, digest)"
        " select at, principal, roles, scopes, purpose, what, target, address, 'x' from reads where id = 1",
        "insert into reads overriding system value"
        " select -9, at, principal, roles, scopes, purpose, what, target, address, before, 'x' from reads where id = 1",
    ],
)
async def test_what_is_changed_by_force_is_found(
    pool: Pool, change: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page: an attacker grew the trail until the auditor, which held it whole, was killed at each start."""
    monkeypatch.setattr(trail, "_PAGE", page)
    reads = Reads(pool, AUDIT, OURS)
    for number in range(1, 5):
        await reads.record(read(number))
    async with pool.acquire() as connection:
        assert await trails(connection, [OURS], AUDIT) == []
        await connection.execute("alter table reads disable trigger reads_are_final")
        await connection.execute(change)
        finding, *_ = await trails(connection, [OURS], AUDIT)
        assert finding.kind.value == "trail_of_reads_broken"


async def test_what_can_not_be_kept_is_not_shown(pool: Pool) -> None:
    await pool.close()
    with pytest.raises(Problem) as told:
        await Reads(pool, AUDIT, OURS).record(read(1))
    assert (told.value.status, told.value.slug) == (503, "record-unavailable")


@pytest_asyncio.fixture
async def login(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    """The auditor's own, as the service has it."""
    async with await open_pool(login_at(stack, house_database, "audit"), SCHEMA, role=ROLE) as pool:
        yield pool


@pytest_asyncio.fixture
async def of_the_wallet(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    url = login_at(stack, house_database, "wallet")
    async with await open_pool(url, wallet.SCHEMA, role=wallet.ROLE) as pool:
        yield pool


BY_HAND = """insert into reads (at, principal, roles, scopes, purpose, what, target, address, before, digest)
             values (7, 'staff:supervisor', '{supervisor}', '{}', 'curious about the minister', 'GET /v1/hands',
                     '/v1/hands?player=alice', '10.1.2.3', $1, $2)"""


async def test_a_row_that_somebody_chains_on_with_the_login_is_shown_to_nobody_and_told(
    login: Pool, of_the_wallet: Pool
) -> None:
    """It stood there as a truth, for which a person would be dismissed: the next link of a chain without a key."""
    for trail_of, pool, reads in (
        (OURS, login, Reads(login, AUDIT, OURS)),
        (THEIRS, of_the_wallet, Reads(of_the_wallet, WALLET, THEIRS)),
    ):
        watch = RecordWatch(login, AUDIT, trails=(trail_of,))
        await reads.record(read(1))
        assert await watch.look() == []
        last: bytes = await pool.fetchval("select digest from reads")
        link = digest_of_before_the_marks(last, Read(
            at=7, principal="staff:supervisor", roles=["supervisor"], scopes=[], purpose="curious about the minister",
            what="GET /v1/hands", target="/v1/hands?player=alice", address="10.1.2.3",
        ))  # fmt: skip
        await pool.execute(BY_HAND, last, link)
        await reads.record(read(2))
        [finding] = await watch.look()
        assert (finding.kind.value, finding.stream) == ("trail_of_reads_broken", trail_of.schema)
        assert finding.detail.startswith(f"row 2 of {trail_of.schema}.reads is not of the service that keeps it")
        async with login.acquire() as connection:
            assert await trails(connection, [trail_of], AUDIT) == [finding]
        shown, _ = await Reads(login, AUDIT, trail_of).kept(place_of(NEWEST), 9)
        assert [each.purpose for each in shown] == 2 * ["a complaint, nº 7"]


@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        ("insert into reads (at, principal, roles, scopes, purpose, what, target, address, digest)"
         " values (7, 'p', '{}', '{}', 'p', 'w', 't', 'a', 'd')", asyncpg.IntegrityConstraintViolationError),
        ("insert into reads (at, principal, roles, scopes, purpose, what, target, address, before, digest)"
         " select at, principal, roles, scopes, purpose, what, target, address, before, digest from reads",
         asyncpg.UniqueViolationError),
        ("insert into reads overriding system value select 9 + id, at, principal, roles, scopes, purpose, what, target,"
         " address, 'd', before from reads", asyncpg.InsufficientPrivilegeError),
    ],
)  # fmt: skip
async def test_nobody_writes_one_of_before_the_marks_nor_the_same_twice_nor_chooses_its_place(
    login: Pool, of_the_wallet: Pool, statement: str, refused: type[Exception]
) -> None:
    for pool, reads in ((login, Reads(login, AUDIT, OURS)), (of_the_wallet, Reads(of_the_wallet, WALLET, THEIRS))):
        await reads.record(read(1))
        with pytest.raises(refused):
            await pool.execute(statement)


async def test_a_row_that_waited_in_a_transaction_takes_no_true_one_along(login: Pool) -> None:
    """Its number is drawn before theirs, and it comes to light after them."""
    reads = Reads(login, AUDIT, OURS)
    await reads.record(read(1))
    async with login.acquire() as waiting, waiting.transaction():
        await waiting.execute(BY_HAND, b"", b"x")
        await reads.record(read(2))
    await login.execute(BY_HAND, b"", b"y")
    await reads.record(read(3))
    found, _ = await reads.kept(place_of(NEWEST), 9)
    async with login.acquire() as connection:
        told = await breaks(connection, OURS, AUDIT)
    assert ([each.at for each in found], [each.split()[1] for each in told]) == ([3, 2, 1], ["2", "4"])


async def test_the_chain_of_before_the_marks_is_sealed_by_the_first_row_behind_it(pool: Pool) -> None:
    digest = b""
    for number in (1, 2):
        old = read(number)
        digest = digest_of_before_the_marks(digest, old)
        values = (getattr(old, name) for name in ("at", "principal", "roles", "scopes", "purpose", "what", "target"))
        await pool.execute(
            """insert into reads (at, principal, roles, scopes, purpose, what, target, address, digest)
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9)""",
            *(*values, old.address, digest),
        )
    reads = Reads(pool, AUDIT, OURS)
    await reads.record(read(3))
    async with pool.acquire() as connection:
        assert await breaks(connection, OURS, AUDIT) == []
        assert [each.at for each in (await reads.kept(place_of(NEWEST), 9))[0]] == [3, 2, 1]
        await connection.execute("alter table reads disable trigger reads_are_final")
        await connection.execute("delete from reads where id = 2")
        assert await breaks(connection, OURS, AUDIT) == ["row 3 of audit.reads does not follow from those before it"]


async def test_verify_looks_at_both_trails_and_its_point_knows_how_far(
    stack: Stack, house_database: str, login: Pool, of_the_wallet: Pool, tmp_path: Path
) -> None:
    url = login_at(stack, house_database, "inspector")
    for reads in (Reads(login, AUDIT, OURS), Reads(of_the_wallet, WALLET, THEIRS)):
        await reads.record(read(1))
    with Point(tmp_path / "point", bytes(32), "this house") as point:
        for _ in range(2):
            assert await _in_database(url, None, "", INSPECTOR, point) == []
            assert {schema: reached.row for schema, reached in point.trails.items()} == {"audit": 1, "wallet": 1}


async def test_verify_looks_at_both_trails(stack: Stack, house_database: str, login: Pool, of_the_wallet: Pool) -> None:
    url = login_at(stack, house_database, "inspector")
    for pool, reads in ((login, Reads(login, AUDIT, OURS)), (of_the_wallet, Reads(of_the_wallet, WALLET, THEIRS))):
        await reads.record(read(1))
        assert [each.stream for each in await _in_database(url, None, "", INSPECTOR)] == []
        await pool.execute(BY_HAND, b"", b"x")
        [found] = await _in_database(url, None, "", INSPECTOR)
        assert found.kind.value == "trail_of_reads_broken"
        owner = await asyncpg.connect(house_database)
        await owner.execute("alter table audit.reads disable trigger all; delete from audit.reads where digest = 'x'")
        await owner.close()
