"""Parts of tables by month: which month a time is of, and that its part is there before rows come."""

from collections.abc import Iterable
from datetime import UTC, datetime

from libs.projecting.projection import Connection

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
