"""One at a time, by a row of `turns` that only who may write there can lock: an advisory lock is any login's."""

import asyncio

import asyncpg

from libs.projecting.projection import Connection

_TAKE = "select what from turns where what = $1 for update"
_FORMERLY = "select pg_try_advisory_xact_lock(hashtext(current_schema() || ' ' || $1))"
_PAUSE_S = 0.01


async def take_turn(connection: Connection, what: str, formerly_s: float) -> None:
    """Until the transaction ends nobody else goes on from here; what others did before is seen by the next statement.

    A process of an older build, which may end while this one begins, knows only an advisory lock: that is waited for,
    too, but for no more than `formerly_s` seconds, for any login can hold it. Raises what the database says, and
    `NoDataFoundError` where the row is gone.
    """
    if await connection.fetchval(_TAKE, what) is None:
        raise asyncpg.NoDataFoundError(f"turns has no row {what}")
    for _ in range(round(formerly_s / _PAUSE_S)):
        if await connection.fetchval(_FORMERLY, what):
            return
        await asyncio.sleep(_PAUSE_S)
