"""Parts of tables by month: which month a time is of, and that its part is there before rows come."""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import asyncpg

from libs.projecting.projection import Connection
from libs.projecting.store import Pool

_AHEAD_MS = 7 * 86_400_000
_EVERY_S = 3600.0
_log = logging.getLogger(__name__)

FIRST, LAST = 1_577_836_800_000, 4_102_444_800_000
"""2020 to 2099, milliseconds since the epoch; what is told of other times lies in two parts of its own."""


def month_of(at: int) -> str | None:
    """`2026-11` (UTC) of a time in milliseconds since the epoch; None before 2020 and from 2100 on."""
    return datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m") if FIRST <= at < LAST else None


async def make_months(connection: Connection, table: str, times: Iterable[int]) -> None:
    """Makes the parts of `table` for these times, unless they are there. Nobody takes one away before the transaction
    ends."""
    if months := sorted({month for at in times if (month := month_of(at)) is not None}):
        await connection.execute("select make_month($1, month) from unnest($2::text[]) as month", table, months)


async def ahead(pool: Pool, tables: Sequence[str], now: int) -> None:
    """The parts of now (milliseconds) and of a week from now, each in a transaction of its own: who writes the first
    row of a month finds it made, and keeps nobody waiting."""
    for table in tables:
        for at in (now, now + _AHEAD_MS):
            async with pool.acquire() as connection, connection.transaction():
                await make_months(connection, table, [at])


async def keep_ahead(pool: Pool, tables: Sequence[str]) -> None:
    """Until cancelled. Whatever the database says, the writers make what is missing themselves."""
    while True:
        try:
            await ahead(pool, tables, time.time_ns() // 1_000_000)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as wrong:
            _log.warning("months are not made ahead: %s", type(wrong).__name__)
        await asyncio.sleep(_EVERY_S)
