"""What each look of the auditor asks of the states of all streams costs by what it finds, not by what there was."""

import json
from typing import Any

import pytest

from libs.projecting import Connection, Pool, migrate, open_pool
from services.audit.projections.live_checks import STATES
from services.audit.settings import MIGRATIONS, SCHEMA

pytestmark = pytest.mark.stack
MANY = 4_000
_FILL = f"""insert into check_states (check_name, stream, state, over, mark_version, mark)
            select $1, 's' || n, $2::jsonb, false, 1, '\\x00' from generate_series(1, {MANY}) n"""
ASKED = {
    "over": "select 1 from check_states where over and over_at < now() - interval '2 minutes'",
    "passage": f"select {STATES.columns} from check_states where passes",
    "sitting": f"select {STATES.columns} from check_states where waits < 9000 and (waits, stream) > (0, '')",
    "tournament": f"select {STATES.columns} from check_states where undecided",
    "results": f"select {STATES.columns} from check_states where ended_at >= 5000",
    "promise": f"select {STATES.columns} from check_states where check_name = 'promise' and day >= '2026-11-30'",
}
STANDS: dict[str, dict[str, Any]] = {
    "passage": {"left": 1, "came": None},
    "sitting": {"waits": 9_999_999},
    "tournament": {"disqualified": {}, "excluded": {}},
    "results": {"ended_at": 1},
    "promise": {"day": "2025-01-01"},
}


async def filled(database: str) -> Pool:
    await migrate(database, SCHEMA, MIGRATIONS)
    pool = await open_pool(database, SCHEMA)
    for name, state in STANDS.items():
        await pool.execute(_FILL.replace("'s'", "'/out/s'" if name == "passage" else "'s'"), name, json.dumps(state))
    await pool.execute("analyze check_states")
    return pool


async def pages(connection: Connection, question: str) -> int:
    found = json.loads(await connection.fetchval(f"explain (analyze, buffers, format json) {question}"))[0]["Plan"]
    return int(found["Shared Hit Blocks"] + found["Shared Read Blocks"])


@pytest.mark.parametrize("name", ASKED)
async def test_what_waits_for_nobody_is_not_read(database: str, name: str) -> None:
    pool = await filled(database)
    async with pool.acquire() as connection:
        assert await pages(connection, ASKED[name]) <= 8
    await pool.close()


async def test_an_update_stays_within_its_page(database: str) -> None:
    """Each wrote an entry into every index that looks into the state."""
    pool = await filled(database)
    for _ in range(3):
        await pool.execute(
            """update check_states
                  set state = jsonb_set(state, '{more}', to_jsonb(mark_version)), mark_version = mark_version + 1
                where check_name = 'tournament' and stream like '%7'"""
        )
    await pool.execute(
        """insert into streams (projection, topic, stream, version, seen)
           select 'audit', 'events', 's' || n, 1, 1 from generate_series(1, 4000) n"""
    )
    for _ in range(3):
        await pool.execute("update streams set version = version + 1, seen = seen + 1 where stream like '%7'")
    await pool.execute("select pg_stat_force_next_flush()")
    for table in ("check_states", "streams"):
        counted = "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where schemaname = $1 and relname = $2"
        updated, within = await pool.fetchrow(counted, SCHEMA, table)  # type: ignore[misc]
        assert updated == 1_200, table
        assert within > 0.9 * updated, table
    await pool.close()
