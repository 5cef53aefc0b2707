"""What a read model has to say to the projector: its name, and what events do to its tables."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent

Connection: TypeAlias = "asyncpg.Connection[Any] | PoolConnectionProxy[Any]"
Told = tuple[PublicEvent, Fact]
"""An accepted event and its typed body."""


async def write_rows(connection: Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    """`executemany`, and nothing for no rows: asyncpg would begin a statement and leave it open, and a process that
    froze just then would not count as one that stands still (`migrator.IDLE_S`)."""
    if written := list(rows):
        await connection.executemany(statement, written)


class Unbookable(Exception):
    """An event after which the rows would not be true. It is set aside with its stream, and the others go on."""


class Projection(Protocol):
    @property
    def name(self) -> str: ...

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        """Writes what the facts mean, inside the transaction that also moves the position.

        The facts come once each, in version order per stream. An event on which it raises is set aside with its
        stream and told; a database that is away or of another shape than the code stops the projector.
        """
        ...
