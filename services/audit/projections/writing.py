"""Rows of a batch, written statement by statement: one round trip for all rows of a statement."""

from collections.abc import Iterable
from enum import Enum
from typing import Any, TypeVar

from libs.projecting import Connection

Row = tuple[Any, ...]
StatementT = TypeVar("StatementT", bound=Enum)


async def write_rows(
    connection: Connection, statements: type[StatementT], rows: Iterable[tuple[StatementT, Row]]
) -> None:
    """In the order of `statements`, whose values are SQL: what a row hangs on stands above it."""
    by_statement: dict[StatementT, list[Row]] = {}
    for statement, row in rows:
        by_statement.setdefault(statement, []).append(row)
    for statement in statements:
        if statement in by_statement:
            await connection.executemany(statement.value, by_statement[statement])
