"""All balances against all transfers: one pass makes no file, whatever their number; then which account it is."""

import json
from collections.abc import AsyncIterator
from random import Random

import pytest
import pytest_asyncio

from libs.projecting import Connection, Pool, migrate, open_pool
from services.audit import balances_of_all as held
from services.audit.balances_of_all import AT_ONCE, WRITTEN, balances_of_all
from services.audit.verifying.findings import Kind
from services.wallet.projections import MIGRATIONS

pytestmark = pytest.mark.stack
HANDS = 1_000
_PLAYED = """insert into transfers
    select 'table', 'table-' || hand || '/' || line, 1, book, case line when 1 then stack else pot end,
           case line when 1 then pot when 2 then stack else 'rake/one/pt-811-2015' end,
           case line when 1 then 600 when 2 then 570 else 30 end, currency, 'stake', 'one/' || hand,
           1700000000000 + hand
      from generate_series(1, $1::int) as hand, generate_series(1, 3) as line,
           lateral (select 'pot/one/' || hand as pot, 'stack/one/p' || hand % 7 as stack,
                           case hand % 3 when 0 then 'demo' else 'real' end as book,
                           case hand % 5 when 0 then 'USD' else 'EUR' end as currency) as names"""
_BY_ACCOUNT = """select book, currency, account from (
        select book, currency, account, -balance as change from balances
        union all select book, currency, credit, amount from transfers
        union all select book, currency, debit, -amount from transfers
        union all select book, currency, account, moved from carried) as sides
    group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3"""


@pytest_asyncio.fixture
async def played(database: str) -> AsyncIterator[Pool]:
    """A table's hands in two books and two currencies, as the wallet leaves them."""
    await migrate(database, "wallet", MIGRATIONS)
    pool = await open_pool(database, "wallet")
    async with pool.acquire() as connection:
        await connection.execute("select make_month('transfers', '2023-11')")
        await connection.execute(_PLAYED, HANDS)
        await connection.execute("update balances set balance = moved where balance <> moved")
    yield pool
    await pool.close()


async def told(pool: Pool) -> list[str]:
    async with pool.acquire() as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        found = await balances_of_all(connection, "wallet")
    assert {each.kind for each in found} <= {Kind.ACCOUNT}
    return [each.detail for each in found]


async def by_account(pool: Pool) -> list[str]:
    return [WRITTEN.format_map(row) for row in await pool.fetch(_BY_ACCOUNT)]


async def written_over(pool: Pool, which: str, amount: int) -> None:
    """As the owner writes, who has what the database keeps say the same."""
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("alter table totals disable trigger all")
        change = "update balances set balance = balance + {0}, moved = moved + {0}, no_floor = true where {1}"
        await connection.execute(change.format(amount, which))


async def files(connection: Connection) -> int:
    """Temporary ones that this database has ever had."""
    await connection.execute("select pg_stat_force_next_flush()")
    made: int = await connection.fetchval("select temp_files from pg_stat_database where datname = current_database()")
    return made


async def test_no_temporary_file_is_made(played: Pool) -> None:
    """A group for each account filled what the auditor's login may put on disk at some 12 million transfers."""
    async with played.acquire() as connection, connection.transaction():
        await connection.execute("set local work_mem = '64kB'")
        assert await balances_of_all(connection, "wallet") == []
    async with played.acquire() as connection:
        assert await files(connection) == 0
    async with played.acquire() as connection, connection.transaction():
        await connection.execute("set local work_mem = '64kB'")
        assert await connection.fetch(_BY_ACCOUNT) == []
    async with played.acquire() as connection:
        assert await files(connection) > 0, "as it was done before"


@pytest.mark.parametrize("seed", range(4))
async def test_it_tells_what_a_sum_by_account_tells(played: Pool, seed: int) -> None:
    dice = Random(seed)
    hands = dice.sample(range(1, HANDS), 20)
    for number, hand in enumerate(hands):
        await written_over(played, f"account = 'pot/one/{hand}'", (-1) ** number * (5 if seed else 2**80))
    await written_over(played, "account = 'rake/one/pt-811-2015' and book = 'real' and currency = 'EUR'", 1)
    await written_over(played, "account = 'rake/one/pt-811-2015' and book = 'demo' and currency = 'USD'", -1)
    expected = await by_account(played)
    assert len(expected) == 22
    assert await told(played) == expected


async def test_the_same_account_of_two_books_or_currencies_is_two(played: Pool) -> None:
    """Four changes that come to nothing in each book, each currency and each account."""
    for book, currency, amount in (("real", "EUR", 1), ("real", "USD", -1), ("demo", "EUR", -1), ("demo", "USD", 1)):
        for account, sign in (("stack/one/p1", 1), ("stack/one/p2", -1)):
            which = f"(account, book, currency) = ('{account}', '{book}', '{currency}')"
            await written_over(played, which, sign * amount)
    assert len(await told(played)) == 8


async def test_amounts_of_64_bits_and_sums_in_an_archive(played: Pool) -> None:
    async with played.acquire() as connection:
        for number, amount in enumerate((2**63 - 1, 2**63 - 1, 2**31, 2**31 - 1, 2**62 + 12_345)):
            await connection.execute(
                f"insert into transfers values ('wallet', 'large/{number}', 1, 'real', 'operator-cash/EUR',"
                f" 'treasury/EUR', {amount}, 'EUR', 'deposit', 'r', 0)"
            )
        await connection.execute("update balances set balance = moved where balance <> moved")
        assert await told(played) == await by_account(played) == []
        await connection.execute("insert into carried values ('real', 'treasury/EUR', 'EUR', 2::numeric ^ 90)")
    assert (
        await told(played)
        == await by_account(played)
        == ["the balance of treasury/EUR (real books) is not the sum of its transfers: somebody has written to it"]
    )


async def test_many_are_looked_through_some_at_a_time(played: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one look leaves the next ones tell, which have other buckets."""
    await written_over(played, "account like 'pot/one/%3'", 7)
    expected = await by_account(played)
    assert len(expected) == HANDS // 10
    assert await told(played) == expected
    monkeypatch.setattr(held, "_SIDES_AT_ONCE", 20)
    monkeypatch.setattr("services.audit.balances_of_all.secrets.randbits", Random(7).getrandbits)
    first, *more = [set(await told(played)) for _ in range(30)]
    assert 8 <= len(first) < len(expected)
    assert first.union(*more) == set(expected)


async def test_no_more_are_told_than_one_look_tells(played: Pool) -> None:
    await written_over(played, "true", 7)
    assert len(await told(played)) == AT_ONCE


_SLICE = "slice constant bigint := 50000;"


async def taken_out(pool: Pool, pages: int) -> int:
    """Temporary files of a month that leaves in slices of so many pages."""
    async with pool.acquire() as connection:
        made = await connection.fetchval("select pg_get_functiondef('take_out(text, jsonb)'::regprocedure)")
        assert _SLICE in made
        await connection.execute(made.replace(_SLICE, f"slice constant bigint := {pages};"))
        rows = await connection.fetchval("select count(*) from transfers_2023_11")
        before = await files(connection)
    piece = {"table": "transfers", "piece": 1, "rows": rows, "sha256": "0" * 64, "mark": "00"}
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local work_mem = '64kB'")
        await connection.execute("select take_out('2023-11', $1::text::jsonb)", json.dumps([piece]))
    async with pool.acquire() as connection:
        return await files(connection) - before


@pytest.mark.parametrize(("pages", "makes_files"), [(1, False), (4, False), (10**6, True)])
async def test_a_month_that_leaves_is_added_up_slice_by_slice(played: Pool, pages: int, makes_files: bool) -> None:
    """One group for each account of the month was a temporary file for each of its transfers."""
    await played.execute("insert into carried values ('real', 'stack/one/p1', 'EUR', 40), ('real', 'pot/x', 'EUR', 2)")
    sums = """select book, account, currency, sum(change) as moved from (
            select book, account, currency, moved as change from carried
            union all select book, credit, currency, amount from transfers
            union all select book, debit, currency, -amount from transfers) as sides
        group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3"""
    # Hands whose transfers lie in several slices, and one whose account is not empty.
    late = """insert into transfers
        select 'table', $1::text || '/' || h, 1, 'real', $1, $2, 9, 'EUR', 'k', 'r', 1700000000000 + h
          from generate_series(1, 300) as h"""
    for sides in (("pot/one/1", "pot/one/999"), ("pot/one/999", "pot/one/1"), ("pot/one/4", "pot/one/998")):
        await played.execute(late, *sides)
    expected = await played.fetch(sums)
    assert (await taken_out(played, pages) > 0) == makes_files
    assert await played.fetch("select * from carried order by book, account, currency") == expected
    assert await played.fetchval("select count(*) from transfers") == 0
    assert any(row["account"] == "pot/one/4" for row in expected)
