"""What leaves a player beside pots and buy-ins, in the accounts of tables and in statements (pt-217-2007 7.b, 9.d)."""

import shutil
from pathlib import Path

import asyncpg
import pytest

from libs.projecting import Pool, migrate, open_pool, project
from services.wallet.projections import BOOKS, MIGRATIONS, ROLE, SCHEMA, books
from services.wallet.projections.balances import account, rake_accounts, trial_balance
from services.wallet.projections.statements import statement
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Record, Script

pytestmark = pytest.mark.stack
RULEBOOK = "pt-217-2007-holdem"
TABLE = "salon-1"
MINUTE = 60_000


def hour() -> Script:
    """Two at a session table: charged for two hours, one of them tips, then both go home."""
    script = Script(rulebook=RULEBOOK)
    script.open_table(TABLE)
    for player in ("ann", "bob"):
        script.deposit(player, 100_000)
        script.buy_in(player, TABLE, f"{player}-1", 20_000)
    for session in (1, 2):
        for player in ("ann", "bob"):
            script.fee_due(player, TABLE, f"{player}-1", 1_000, session)
            script.fee_charged(player, TABLE, 1_000, session)
    script.hand(TABLE, {"ann": 300, "bob": 300}, "ann", sittings={"ann": "ann-1", "bob": "bob-1"})
    script.tip("ann", TABLE, "ann-1", 150)
    script.tip("ann", TABLE, "ann-1", 50)
    script.now += MINUTE
    for player in ("ann", "bob"):
        script.settle(player, TABLE, f"{player}-1", 20_000, script.leave(player, TABLE, f"{player}-1"))
    return script


def wallet_first(records: list[Record]) -> list[Record]:
    """The accounts' events before the tables': the two are read in any order."""
    return sorted(records, key=lambda record: "wallet" not in record[0])


def one_by_one(records: list[Record]) -> list[Record]:
    return records


@pytest.mark.parametrize("order", [one_by_one, wallet_first])
@pytest.mark.parametrize("limit", [1, 500])
async def test_results_add_up_to_the_change_of_the_balance(books_pool: Pool, order: object, limit: int) -> None:
    assert callable(order)
    await project(books_pool, BOOKS, books(), MemorySource(order(hour().records)), limit=limit)
    async with books_pool.acquire() as connection:
        changes = {player: (await account(connection, player))[0].available - 100_000 for player in ("ann", "bob")}
        stated = {player: (await statement(connection, player))[0] for player in ("ann", "bob")}
    assert changes == {"ann": -1_900, "bob": -2_300}
    for player, session in stated.items():
        [part], [total] = session.parts, session.totals
        assert part.result == total.result == changes[player]
        assert (part.fees, total.fees) == (2_000, 2_000)
        assert part.tips == total.tips == (200 if player == "ann" else 0)
        assert part.commission == part.rake == part.commission_on_wins == 0


@pytest.mark.parametrize("order", [one_by_one, wallet_first])
async def test_what_a_table_takes_by_the_hour_stands_in_its_account(books_pool: Pool, order: object) -> None:
    assert callable(order)
    await project(books_pool, BOOKS, books(), MemorySource(order(hour().records)))
    async with books_pool.acquire() as connection:
        [taken] = await rake_accounts(connection)
        groups = {each.group: each.balance for each in (await trial_balance(connection)).groups}
    assert (taken.table, taken.rulebook) == (TABLE, RULEBOOK)
    assert (taken.fees, taken.tips, taken.commission, taken.rake, taken.hands) == (4_000, 200, 0, 0, 1)
    assert groups["commission"] == taken.fees + taken.commission
    assert groups["tips"] == taken.tips


async def test_a_charge_that_was_refused_is_in_no_statement(books_pool: Pool) -> None:
    script = Script(rulebook=RULEBOOK)
    script.open_table(TABLE)
    script.deposit("ann", 20_000)
    script.buy_in("ann", TABLE, "ann-1", 20_000)
    script.fee_due("ann", TABLE, "ann-1", 1_000)
    script.leave("ann", TABLE, "ann-1")
    await project(books_pool, BOOKS, books(), MemorySource(script.records))
    async with books_pool.acquire() as connection:
        [session] = await statement(connection, "ann")
    assert (session.totals[0].fees, session.totals[0].result) == (0, 0)


async def test_a_house_that_has_run_already_gets_its_fees_from_the_transfers(
    books_pool: Pool, database: str, tmp_path: Path
) -> None:
    """The migration, on the books of an evening as they stood before it: the same rows as a rebuild makes."""
    await project(books_pool, BOOKS, books(), MemorySource(hour().records))
    before = tmp_path / MIGRATIONS.parent.name / MIGRATIONS.name
    shutil.copytree(MIGRATIONS, before, ignore=shutil.ignore_patterns("008*", "012*", "01[4-9]*", "02[1245]*"))
    await migrate(database, "wallet_before", before)
    owner = await asyncpg.connect(database)
    old = {
        "transfers": "*",
        "sittings": "table_id, reservation, player, book, currency, started_at, ended_at, brought, staked, won,"
        " returned, hands",
        "rake_accounts": "table_id, rulebook, currency, book, hands, hands_raked, hands_exempt, hands_void",
    }
    for table, columns in old.items():
        names = f"({columns})" if columns != "*" else ""
        await owner.execute(f"insert into wallet_before.{table} {names} select {columns} from {SCHEMA}.{table}")
    await owner.close()
    await migrate(database, "wallet_before", MIGRATIONS)
    upgraded = await open_pool(database, "wallet_before", role=ROLE)
    for asked in (
        "select table_id, fees, tips from rake_accounts",
        "select * from session_fees order by fee",
        "select reservation, tips, commission_on_wins from sittings order by reservation",
    ):
        assert await upgraded.fetch(asked) == await books_pool.fetch(asked), asked
    async with books_pool.acquire() as live, upgraded.acquire() as fresh:
        assert await statement(fresh, "ann") == await statement(live, "ann")
    await upgraded.close()
