"""The audit job: every check over the hands of the last thirty days, and what it finds kept as cases."""

import asyncio
import time
from collections.abc import Callable

from libs.projecting import Connection, Pool
from services.audit.integrity.acts import played_since
from services.audit.integrity.cases import Case, open_cases
from services.audit.integrity.checks import (
    WINDOW_MS,
    Shared,
    chip_dumping,
    decision_software,
    shared_identity,
    soft_play,
)


async def look(connection: Connection, now: int) -> list[Case]:
    """New cases as of `now` (milliseconds). Hands are only read: what is finished stays as it is (11.c)."""
    hands = await played_since(connection, now - WINDOW_MS)
    found = [
        *shared_identity(hands, await _shared(connection)),
        *soft_play(hands, now),
        *chip_dumping(hands),
        *decision_software(hands),
    ]
    return await open_cases(connection, found, now)


async def run(pool: Pool, every_s: float, on_case: Callable[[Case], None]) -> None:
    """Looks for ever."""
    while True:
        async with pool.acquire() as connection, connection.transaction():
            new = await look(connection, int(time.time() * 1000))
        for case in new:
            on_case(case)
        await asyncio.sleep(every_s)


async def _shared(connection: Connection) -> Shared:
    rows = await connection.fetch(
        """select kind, value, array_agg(distinct player) as players from account_signals
           where kind <> 'program' group by kind, value having count(distinct player) > 1"""
    )
    return {(row["kind"], row["value"]): frozenset(row["players"]) for row in rows}
