"""Sums past 64 bits on the real database: one platform's deposits filled the account that all platforms share, and from
then on no deposit of anybody in that currency was booked."""

from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from shutil import copytree, ignore_patterns

import asyncpg
import pytest
import pytest_asyncio

from libs.projecting import Pool, migrate, open_pool, project
from services.wallet.domain.account.decide import MAX_BALANCE
from services.wallet.projections import BOOKS, COMPARED, MIGRATIONS, ROLE, SCHEMA, books
from services.wallet.projections.balances import account, rake_accounts, totals, trial_balance
from services.wallet.projections.chart import Book, operator_cash, play_credit
from services.wallet.projections.statements import statement
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Script

pytestmark = pytest.mark.stack

RICH = 100
PAST = RICH * MAX_BALANCE
assert PAST > 2**63


@pytest_asyncio.fixture
async def anew(database: str) -> AsyncIterator[Pool]:
    """A second schema, as a rebuild has it."""
    await migrate(database, "wallet_rebuilt", MIGRATIONS)
    pool = await open_pool(database, "wallet_rebuilt", role=ROLE)
    yield pool
    await pool.close()


async def same(one: Pool, other: Pool) -> None:
    for table in COMPARED:
        here, there = [
            sorted(map(tuple, await pool.fetch(f"select * from {table}")), key=repr) for pool in (one, other)
        ]
        assert here == there, table


@pytest.mark.parametrize(("kind", "common"), [("real", operator_cash), ("demo", play_credit)])
@pytest.mark.parametrize("limit", [1, 1000])
async def test_a_common_account_past_64_bits_is_booked_shown_and_rebuilt(
    books_pool: Pool, anew: Pool, kind: Book, common: object, limit: int
) -> None:
    """One event a batch, and all in one, whose change alone is past 64 bits."""
    script = Script(kind=kind)
    for number in range(RICH):
        script.deposit(f"rich-{number}", MAX_BALANCE)
    script.deposit("ann", 700)
    script.deposit("ann", 30)
    figures = await project(books_pool, BOOKS, books(), MemorySource(script.records), limit=limit)
    assert figures.set_aside == 0
    name = common("EUR")  # type: ignore[operator]
    balance = await books_pool.fetchval("select balance from balances where account = $1", name)
    assert (balance, type(balance)) == (-PAST - 730, int)
    async with books_pool.acquire() as connection:
        [ann] = await account(connection, "ann", kind)
        shown = await trial_balance(connection, kind)
        assert await totals(connection, kind) == {"EUR": 0}
    assert ann.available == 730
    assert (shown.balanced, shown.unbalanced_accounts, shown.difference) == (True, 0, {"EUR": 0})
    groups = {group.group: group.balance for group in shown.groups}
    assert groups == {name.partition("/")[0]: -PAST - 730, "player": PAST + 730}
    assert f'"balance":{PAST + 730}' in shown.model_dump_json()

    by_partition = sorted(script.records, key=lambda record: (record[0], record[1]))
    await project(anew, BOOKS, books(), MemorySource(by_partition), limit=500)
    await same(books_pool, anew)


async def test_what_a_table_took_is_summed_up_past_64_bits(books_pool: Pool) -> None:
    """A sitting with a hundred top-ups, each of which fits, and half of it commission."""
    script = Script(commission_bp=5_000)
    script.open_table("table-1")
    for number in range(2 * RICH):
        script.deposit("ann", MAX_BALANCE)
        if number == 0:
            script.buy_in("ann", "table-1", "ann-1", MAX_BALANCE)
        else:
            script.top_up("ann", "table-1", "ann-1", MAX_BALANCE, f"top-up-{number}")
    figures = await project(books_pool, BOOKS, books(), MemorySource(script.records))
    assert figures.set_aside == 0
    async with books_pool.acquire() as connection:
        [rake] = await rake_accounts(connection)
        [session] = await statement(connection, "ann")
        [ann] = await account(connection, "ann")
    assert (rake.commission, session.totals[0].brought, ann.at_tables) == (PAST, 2 * PAST, PAST)


async def test_books_kept_before_are_the_same_after_the_migration(
    books_pool: Pool, database: str, tmp_path: Path
) -> None:
    before = tmp_path / MIGRATIONS.parent.name / MIGRATIONS.name
    copytree(MIGRATIONS, before, ignore=ignore_patterns("012*", "01[4-9]*", "02[24]*"))
    await migrate(database, "wallet_before", before)
    script = Script(commission_bp=100)
    script.open_table("table-1")
    script.deposit("ann", 20_000)
    script.buy_in("ann", "table-1", "ann-1", 10_000)
    await project(books_pool, BOOKS, books(), MemorySource(script.records))
    owner = await asyncpg.connect(database)
    async with owner.transaction():
        for table in ("tables", "transfers", "balances", "rake_accounts", "sittings", "positions", "streams"):
            columns = await owner.fetchval(
                """select string_agg(quote_ident(column_name), ', ') from information_schema.columns
                   where table_schema = 'wallet_before' and table_name = $1 and is_generated = 'NEVER'""",
                table,
            )
            await owner.execute(f"insert into wallet_before.{table} ({columns}) select {columns} from {SCHEMA}.{table}")
    await owner.close()
    applied = await migrate(database, "wallet_before", MIGRATIONS)
    assert applied[:2] == ["wallet/012_sums_without_end.sql", "wallet/014_books_of_several.sql"]
    upgraded = await open_pool(database, "wallet_before", role=ROLE)
    await same(books_pool, upgraded)
    script.leave("ann", "table-1", "ann-1")
    script.settle("ann", "table-1", "ann-1", 10_000, 9_900)
    for pool in (books_pool, upgraded):
        await project(pool, BOOKS, books(), MemorySource(script.records))
    await same(books_pool, upgraded)
    async with upgraded.acquire() as connection:
        [session] = await statement(connection, "ann")
        assert (await trial_balance(connection)).balanced
    assert session.totals[0].result == -100
    await upgraded.close()


async def test_a_numeric_is_an_int_where_it_is_whole_and_exact_where_it_is_not(books_pool: Pool) -> None:
    asked = "select $1::numeric, -(2::numeric ^ 70), 0::numeric, 1.50::numeric, $2::numeric[], 'NaN'::numeric"
    got = list(await books_pool.fetchrow(asked, 2**64, [2**63, -1, None]))  # type: ignore[arg-type]
    assert got[:5] == [2**64, -(2**70), 0, Decimal("1.5"), [2**63, -1, None]]
    assert [type(each) for each in got] == [int, int, int, Decimal, list, Decimal]
