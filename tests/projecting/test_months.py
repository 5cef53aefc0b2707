"""Parts by month: which one a time is of, made once whoever comes first, and nothing held up by a mad clock."""

import asyncio
import time

import asyncpg
import pytest

from libs.projecting import make_months, migrate, month_of, open_pool
from libs.projecting.months import FIRST, LAST, ahead
from services.audit.settings import MIGRATIONS, ROLE, SCHEMA

NOVEMBER = 1_795_000_000_000


def test_the_month_of_a_time() -> None:
    assert month_of(NOVEMBER) == "2026-11"
    assert [month_of(at) for at in (FIRST - 1, FIRST, LAST - 1, LAST)] == [None, "2020-01", "2099-12", None]
    assert [month_of(at) for at in (1_709_251_199_999, 1_709_251_200_000)] == ["2024-02", "2024-03"]


@pytest.mark.stack
async def test_two_who_make_a_month_at_once_and_clocks_out_of_their_minds(database: str) -> None:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA, role=ROLE)
    insert = "insert into played values ('ann', 'hand', $1, 'table-1', $2)"

    async def writes(number: int) -> None:
        async with pool.acquire() as connection, connection.transaction():
            await make_months(connection, "played", [FIRST, FIRST + 40 * 86_400_000])
            await connection.execute(insert, FIRST, number)
            await asyncio.sleep(0.1)

    await asyncio.gather(*map(writes, range(4)))
    async with pool.acquire() as connection:
        for at in (-(2**62), -1, 0, LAST, 2**62):
            await make_months(connection, "played", [at])
            await connection.execute(insert, at, 9)
    await ahead(pool, ["played"], FIRST - 1 + 31 * 86_400_000)
    found = await pool.fetch("select tableoid::regclass::text as part, count(*) from played group by 1 order by 1")
    assert {row["part"]: row["count"] for row in found} == {"played_2020_01": 4, "played_before": 3, "played_beyond": 2}
    async with pool.acquire() as connection:
        await make_months(connection, "played", [time.time_ns() // 1_000_000 + 365 * 86_400_000])
        for year in (2, 20):  # a login that makes hundreds of parts slows down every question about the table
            with pytest.raises(asyncpg.InvalidParameterValueError, match="a month too far ahead"):
                await make_months(connection, "played", [time.time_ns() // 1_000_000 + year * 366 * 86_400_000])
    there = (
        "select count(*) from pg_inherits where inhparent = 'played'::regclass and inhrelid::regclass::text ~ '_2020_'"
    )
    assert await pool.fetchval(there) == 2
    await pool.close()
