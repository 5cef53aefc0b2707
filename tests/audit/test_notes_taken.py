"""Notes of who wrote to the books go by the auditor alone: who takes one away with its login leaves a trace of it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from asyncpg import InsufficientPrivilegeError, IntegrityConstraintViolationError

from libs.projecting import Pool, open_pool
from libs.projecting.writings import ForeignWriting
from libs.stack import Stack
from services.audit import settings as audit
from services.audit.noted_writings import foreign_writings
from services.audit.verifying.findings import Kind
from services.wallet.projections import SCHEMA
from tests.conftest import login_at
from tests.wallet.ledger.test_written_by_hand import WATCHES, evening, give, owner, pool, projector

pytestmark = pytest.mark.stack
__all__ = ["owner", "pool"]
TAKEN = "notes of the wallet's transactions were taken away, and not by the auditor"


@pytest_asyncio.fixture
async def auditor(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    """The auditor's own login, as the service has it, and as who stole it."""
    async with await open_pool(login_at(stack, house_database, "audit"), audit.SCHEMA, role=audit.ROLE) as pool:
        yield pool


async def told(auditor: Pool) -> list[str]:
    async with auditor.acquire() as connection, connection.transaction():
        found = await foreign_writings(connection, SCHEMA, WATCHES)
    assert {each.kind for each in found} <= {Kind.LEDGER_FOREIGN}
    return [each.detail.partition(" wrote to ")[2] or each.detail for each in found]


async def test_the_auditor_takes_its_notes_away_under_its_own_login(pool: Pool, owner: Pool, auditor: Pool) -> None:
    script = evening()
    running = projector(pool, script)
    taken = 0
    for _ in range(3):
        await running.run()
        noted = await owner.fetchval("select count(*) from writings")
        assert noted > 0
        assert await told(auditor) == []
        assert await told(auditor) == []
        assert await owner.fetchval("select count(*) from writings") == 0
        taken += noted
        assert await owner.fetchval("select notes from notes_taken") == taken
        script.deposit("alice", 700)
        await give(running, script)


@pytest.mark.parametrize("marked", [True, False])
async def test_who_takes_one_away_with_both_logins_is_told_until_it_is_settled(
    pool: Pool, owner: Pool, auditor: Pool, marked: bool
) -> None:
    """A change of the books, and its note is gone before anybody looks."""
    script = evening()
    running = projector(pool, script)
    await running.run()
    assert await told(auditor) == []
    mark = await owner.fetchval("select mark from notes_taken")
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("update rake_accounts set rake = 0")
        if marked:
            await connection.execute("insert into writing_marks (mark) values ('')")
    await auditor.execute("delete from wallet.writings")
    await auditor.execute("delete from wallet.writing_marks")
    for change in ("notes = 0", "digest = ''", "notes = 0, digest = '', mark = null"):
        with pytest.raises(InsufficientPrivilegeError):
            await auditor.execute(f"update wallet.notes_taken set {change}")
    with pytest.raises(IntegrityConstraintViolationError):
        await auditor.execute("update wallet.notes_taken set mark = null")
    await auditor.execute("update wallet.notes_taken set mark = $1", mark)
    with pytest.raises(InsufficientPrivilegeError):
        await auditor.execute("delete from wallet.notes_taken")

    said = f"{TAKEN}: a wrong mark"
    assert await told(auditor) == [said]
    script.deposit("alice", 700)
    await give(running, script)
    await running.run()
    assert await told(auditor) == [said], "what is the wallet's own goes on being taken away"
    assert await owner.fetchval("select count(*) from writings") == 0
    assert await told(auditor) == [said]
    # The owner begins the chain anew.
    await owner.execute("update notes_taken set mark = null")
    assert await told(auditor) == []
    script.deposit("alice", 700)
    await give(running, script)
    await running.run()
    assert await told(auditor) == []
    assert await told(auditor) == []


async def test_what_the_owner_takes_away_and_an_auditor_of_before_is_no_finding(
    pool: Pool, owner: Pool, auditor: Pool
) -> None:
    """The latter until one of this build has looked."""
    await projector(pool, evening()).run()
    await auditor.execute("delete from wallet.writings")
    assert await told(auditor) == []
    await pool.execute("insert into house_edges values ('t', 'a', 5)")
    assert await told(auditor) == ["house_edges: no mark"]
    await owner.execute("delete from writings")
    assert await told(auditor) == []


@pytest.mark.parametrize("gone", ["drop trigger note_change on {}", "alter table {} disable trigger note_change"])
async def test_the_books_stand_where_nobody_notes_who_writes(pool: Pool, owner: Pool, gone: str) -> None:
    for table in ("positions", "streams", "sittings", "balances", "rake_accounts", "tables"):
        await owner.execute(gone.format(table))
    await owner.execute("alter table transfers disable trigger note_writing")
    running = projector(pool, evening())
    await running.load()
    with pytest.raises(ForeignWriting, match="notes nobody who writes to positions"):
        await running.step()
    assert await owner.fetchval("select count(*) from transfers") == 0
