"""One table's events can't be written by this build: all else goes on, and `croupier mend` takes that table up."""

import asyncio

import asyncpg
import httpx
import pytest

from services.cli.house import House
from tests.e2e.evening import croupier, evening

REFUSING = """
create function {schema}.refuse() returns trigger language plpgsql as $$ begin raise check_violation; end $$;
create trigger refusing before insert on {schema}.{table} for each row when ({when}) execute function {schema}.refuse();
"""
"""As a mistake of ours would: the database refuses what one stream says."""


@pytest.mark.stack
@pytest.mark.timeout(600)
async def test_one_poisoned_stream_stops_that_stream_alone(house: House) -> None:
    async with (
        evening(house, tables=4, think_s=0.1) as it,
        asyncpg.create_pool(house.stack.database_url, min_size=1, max_size=2) as pool,
    ):
        await it.hands(4)
        poisoned = it.tables[0].table
        async with asyncio.timeout(60):
            while poisoned not in await _booked(pool):
                await asyncio.sleep(0.1)
        for schema, table, when in (
            ("wallet", "transfers", f"new.event_id like '{poisoned}/%'"),
            ("audit", "histories", f"new.table_id = '{poisoned}'"),
        ):
            await _change(pool, REFUSING.format(schema=schema, table=table, when=when))
        await it.hands(12)
        async with asyncio.timeout(30):
            while {row["schema"] for row in await _aside(pool)} != {"wallet", "audit"}:
                await asyncio.sleep(0.1)
        aside = await _aside(pool)
        assert {row["stream"] for row in aside} == {poisoned}
        booked = await _booked(pool)
        await it.hands(8)
        async with asyncio.timeout(30):
            while not all(now > booked[table] for table, now in (await _booked(pool)).items() if table != poisoned):
                await asyncio.sleep(0.1)
        assert (await _booked(pool))[poisoned] == booked[poisoned]
        async with httpx.AsyncClient() as client:
            for name in ("wallet", "audit", "gateway"):
                ready = await client.get(f"{house.processes[name].inner_url}/health/ready")
                assert (name, ready.status_code) == (name, 200), ready.text

        for schema, table in (("wallet", "transfers"), ("audit", "histories")):
            await _change(pool, f"drop trigger refusing on {schema}.{table}")
        status, report = await croupier(house, "mend", "--again")
        assert (status, report["aside"]) == (0, []), report
        assert report["taken_up"] > 0
        await it.hands(4)
        await it.close()
        async with asyncio.timeout(30):
            while (await _booked(pool))[poisoned] <= booked[poisoned] or await _aside(pool):
                await asyncio.sleep(0.1)
        assert await pool.fetch("select * from wallet.totals where total <> 0") == []
    for command in (("verify",), ("rebuild", "--compare")):
        status, report = await croupier(house, *command)
        assert (command, status) == (command, 0), report


async def _change(pool: asyncpg.Pool, statement: str) -> None:
    """A table and its months are locked one after the other, while the books are written to in another order."""
    async with asyncio.timeout(60):
        while True:
            try:
                await pool.execute(statement)
                return
            except asyncpg.DeadlockDetectedError:
                await asyncio.sleep(0.2)


async def _aside(pool: asyncpg.Pool) -> list[asyncpg.Record]:
    return await pool.fetch(
        "select 'wallet' as schema, stream from wallet.set_aside union select 'audit', stream from audit.set_aside"
    )


async def _booked(pool: asyncpg.Pool) -> dict[str, int]:
    """Versions of each table that the books have taken."""
    rows = await pool.fetch(
        "select split_part(event_id, '/', 1) as stream, max(split_part(event_id, '/', 2)::int) as version"
        " from wallet.transfers where service = 'table' group by 1"
    )
    return {row["stream"]: row["version"] for row in rows}
