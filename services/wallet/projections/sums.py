"""Rows that grow by sums: what a batch adds to each of them goes in by one statement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from libs.projecting import Connection


async def add_up(
    connection: Connection,
    table: str,
    key: Sequence[str],
    sums: Sequence[str],
    rows: Mapping[tuple[Any, ...], Counter[str]],
    fixed: Mapping[str, Mapping[tuple[Any, ...], Any]],
) -> None:
    """`rows`: by the values of `key`, what is added to each column of `sums`. `fixed` columns stay as first written.

    All names are of our own tables.
    """
    columns = (*key, *fixed, *sums)
    places = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
    added = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in sums)
    await connection.executemany(
        f"insert into {table} ({', '.join(columns)}) values ({places})"
        f" on conflict ({', '.join(key)}) do update set {added}",
        [
            (*values, *(each[values] for each in fixed.values()), *(adds[name] for name in sums))
            for values, adds in rows.items()
        ],
    )
