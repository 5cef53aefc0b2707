"""What each look of the auditor asks of the states of all streams costs by what it finds, not by what there was."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from libs.projecting import Connection, Pool, migrate, open_pool
from services.audit.integrity.buy_ins import read_ended
from services.audit.projections.waiting_checks import (
    check_disqualifications,
    check_open_passages,
    check_open_sittings,
    check_promises,
    forget_what_is_over,
)
from services.audit.settings import MIGRATIONS, SCHEMA

pytestmark = pytest.mark.stack
MANY = 4_000
NOW = 1_790_000_000_000
_FILL = f"""insert into check_states (check_name, stream, state, over, mark_version, mark)
            select $1, $2 || n, $3::jsonb, false, 1, '\\x00' from generate_series(1, {MANY}) n"""
STANDS: dict[str, dict[str, Any]] = {
    "passage": {"left": 1, "came": None},
    "sitting": {"waits": NOW + 1},
    "tournament": {"disqualified": {}, "excluded": {}},
    "results": {"ended_at": 1},
    "promise": {"day": "2025-01-01"},
}
Look = Callable[[Connection], Awaitable[object]]
LOOKS: dict[str, Look] = {
    "what is over": forget_what_is_over,
    "passages": lambda connection: check_open_passages(connection, NOW),
    "sittings": lambda connection: check_open_sittings(connection, NOW),
    "disqualifications": lambda connection: check_disqualifications(connection, NOW),
    "results": lambda connection: read_ended(connection, NOW),
    "promises": lambda connection: check_promises(connection, NOW, 1),
}


async def filled(database: str) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    for name, state in STANDS.items():
        await pool.execute(_FILL, name, "/out/s" if name == "passage" else "s", json.dumps(state))
    await pool.execute("analyze check_states")
    return pool


async def counted(connection: Connection) -> tuple[int, int]:
    """Scans of the whole table so far, and rows that were fetched by an index."""
    await connection.execute("select pg_stat_force_next_flush()")
    await connection.execute("select pg_stat_clear_snapshot()")
    row = await connection.fetchrow(
        "select seq_scan, idx_tup_fetch from pg_stat_user_tables where relid = 'check_states'::regclass"
    )
    assert row is not None
    return row["seq_scan"], row["idx_tup_fetch"]


@pytest.mark.parametrize("name", LOOKS)
async def test_what_waits_for_nobody_is_not_read(database: str, name: str) -> None:
    pool = await filled(database)
    async with pool.acquire() as connection:
        before = await counted(connection)
        async with connection.transaction():
            await LOOKS[name](connection)
        assert await counted(connection) == before
    await pool.close()


async def test_an_update_stays_within_its_page(database: str) -> None:
    """Each wrote an entry into every index that looks into the state. Once: what was there before leaves a page only
    when no transaction of the whole server may see it any more."""
    pool = await filled(database)
    await pool.execute(
        """insert into streams (projection, topic, stream, version, seen)
           select 'audit', 'events', 's' || n, 1, 1 from generate_series(1, 4000) n"""
    )
    async with pool.acquire() as connection:
        await connection.execute(
            """update check_states
                  set state = jsonb_set(state, '{more}', to_jsonb(mark_version)), mark_version = mark_version + 1
                where check_name = 'tournament' and stream like '%7'"""
        )
        await connection.execute("update streams set version = version + 1, seen = seen + 1 where stream like '%7'")
        await connection.execute("select pg_stat_force_next_flush()")
        await connection.execute("select pg_stat_clear_snapshot()")
        for table in ("check_states", "streams"):
            row = await connection.fetchrow(
                "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where schemaname = $1 and relname = $2",
                *(SCHEMA, table),
            )
            assert row is not None
            assert row["n_tup_upd"] == 400, table
            assert row["n_tup_hot_upd"] > 360, table
    await pool.close()
