"""Events that the database refuses: their stream is set aside and told, the rest goes on; later they are taken up."""

from collections.abc import Sequence

import asyncpg
import pytest
from msgspec.structs import replace

from libs.contracts.facts import Fact
from libs.contracts.wallet_events import FundsDeposited
from libs.projecting import Connection, Pool, Projection, Projector, Told, completeness, migrate
from services.audit import settings as audit
from services.cli.mend import mended
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import totals, trial_balance
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Script

pytestmark = pytest.mark.stack
HOSTILE = "bank-\x00-17"


class Mended:
    """The ledger as a later build may have it: it can write what this one can't."""

    def __init__(self, projection: Projection) -> None:
        self._projection = projection
        self.name = projection.name

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        await self._projection.apply(connection, [(event, _readable(body)) for event, body in facts])


def _readable(body: Fact) -> Fact:
    if isinstance(body, FundsDeposited):
        return replace(body, reference=body.reference.replace("\x00", "?"))
    return body


def evening() -> Script:
    """Mallory's second deposit has a NUL in its reference; what follows in her account is sound."""
    script = Script()
    script.deposit("alice", 10_000)
    script.deposit("mallory", 5_000)
    script.deposit("mallory", 700, HOSTILE)
    script.deposit("bob", 20_000)
    script.deposit("mallory", 30)
    script.deposit("alice", 1_000)
    return script


async def held(pool: Pool) -> list[tuple[int, str]]:
    async with pool.acquire() as connection:
        rows = await connection.fetch("select version, reason from set_aside order by version")
    return [(row["version"], row["reason"]) for row in rows]


async def sums(pool: Pool) -> dict[str, int]:
    async with pool.acquire() as connection:
        rows = await connection.fetch("select account, balance from balances")
        assert (await trial_balance(connection)).balanced
        assert set((await totals(connection, "real")).values()) == {0}
    return {row["account"]: row["balance"] for row in rows}


def projector(pool: Pool, script: Script, projections: Sequence[Projection] = (), limit: int = 500) -> Projector:
    return Projector(pool, BOOKS, projections or books(), MemorySource(script.records), limit=limit)


@pytest.mark.parametrize("limit", [1, 2, 500])
async def test_the_stream_is_set_aside_and_the_others_go_on(books_pool: Pool, limit: int) -> None:
    script = evening()
    running = projector(books_pool, script, limit=limit)

    await running.run()

    assert await held(books_pool) == [(3, "CharacterNotInRepertoireError"), (4, "")]
    assert running.progress.told() == "2 events are set aside, see croupier mend"
    async with books_pool.acquire() as connection:
        rows = await completeness(connection, BOOKS)
        deposits = await connection.fetchval("select count(*) from transfers")
    assert sum(row.accepted for row in rows) == len(script.records)
    assert sum(row.position for row in rows) == len(script.records)
    assert deposits == 4
    await sums(books_pool)


async def test_a_restart_tries_again_and_keeps_what_still_does_not_go(books_pool: Pool) -> None:
    script = evening()
    await projector(books_pool, script).run()
    before = await held(books_pool)
    script.deposit("mallory", 9)
    script.deposit("bob", 8)

    again = projector(books_pool, script)
    await again.run()

    assert await held(books_pool) == [*before, (5, "")]
    assert again.progress.set_aside == 3


async def test_once_it_can_be_read_the_stream_is_taken_up_in_order(books_pool: Pool) -> None:
    script = evening()
    await projector(books_pool, script).run()
    mended = projector(books_pool, script, [Mended(each) for each in books()])

    await mended.run()

    assert await held(books_pool) == []
    assert mended.progress.told() is None
    async with books_pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from transfers") == 6
    await sums(books_pool)


async def test_what_follows_at_a_table_waits_for_the_account(books_pool: Pool) -> None:
    """The stack that goes home was never brought as far as the books know: the table waits, too, and comes after."""
    script = evening()
    script.open_table("table-1")
    script.reserve("mallory", "table-1", "s1", 5_000)
    script.seat("mallory", "table-1", "s1", 5_000)
    script.leave("mallory", "table-1", "s1")
    script.deposit("bob", 77)
    await projector(books_pool, script).run()
    assert {reason for _, reason in await held(books_pool)} >= {"CharacterNotInRepertoireError"}
    before = await sums(books_pool)

    await projector(books_pool, script, [Mended(each) for each in books()]).run()

    assert await held(books_pool) == []
    after = await sums(books_pool)
    of_bob = [account for account in after if "bob" in account]
    assert of_bob
    assert [before[account] for account in of_bob] == [after[account] for account in of_bob]


async def test_mend_lists_it_and_tries_again(books_pool: Pool, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await migrate(database, audit.SCHEMA, audit.MIGRATIONS)
    script = evening()
    await projector(books_pool, script).run()

    [aside] = (await mended(database, again=True)).aside
    assert (aside.projection, aside.stream, aside.version, aside.events) == (BOOKS, "account-mallory-EUR", 3, 2)
    assert aside.reason == "CharacterNotInRepertoireError"

    later = [Mended(each) for each in books()]
    monkeypatch.setattr("services.wallet.projections.books", lambda: later)
    report = await mended(database, again=True)
    assert (report.aside, report.taken_up) == ([], 2)
    assert await held(books_pool) == []
    await sums(books_pool)


async def test_a_figure_that_no_column_holds_is_set_aside_too(books_pool: Pool) -> None:
    script = evening()
    script.deposit("eve", 2**70)
    script.deposit("bob", 5)

    running = projector(books_pool, script)
    await running.run()

    assert running.progress.set_aside == 3
    await sums(books_pool)


async def test_a_database_of_another_shape_is_no_fault_of_the_event(books_pool: Pool, database: str) -> None:
    script = evening()
    owner = await asyncpg.connect(database)
    await owner.execute("alter table wallet.transfers rename to gone")
    await owner.close()
    with pytest.raises(asyncpg.UndefinedTableError):
        await projector(books_pool, script).run()
    assert await held(books_pool) == []
