"""Where a projector keeps rows and position: a port, and the adapter that is PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import asyncpg

from libs.projecting.acceptance import Accepted
from libs.projecting.positions import Head, Reached, load_heads, load_streams, move, park, save_streams
from libs.projecting.projection import Projection
from libs.projecting.source import Partition

Pool: TypeAlias = "asyncpg.Pool[Any]"


class Store(Protocol):
    """Rows and position move together or not at all."""

    async def load(
        self, partitions: Sequence[Partition]
    ) -> tuple[dict[Partition, Head], dict[tuple[str, str], Reached]]:
        """Stored heads and versions, of one moment; a partition never read before starts at offset 0 (journal 20)."""
        ...

    async def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        """One batch on top of `old`; PositionLost, and nothing written, where somebody else moved a head since."""
        ...


class PostgresStore:
    def __init__(self, pool: Pool, name: str, projections: Sequence[Projection]) -> None:
        """`name` is the key of the stored position."""
        self._pool = pool
        self._name = name
        self._projections = list(projections)

    async def load(
        self, partitions: Sequence[Partition]
    ) -> tuple[dict[Partition, Head], dict[tuple[str, str], Reached]]:
        async with self._pool.acquire() as connection, connection.transaction(isolation="repeatable_read"):
            heads = await load_heads(connection, self._name, partitions)
            return heads, await load_streams(connection, self._name)

    async def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        async with self._pool.acquire() as connection, connection.transaction():
            # First of all: from here on no other projector can write for these partitions.
            await move(connection, self._name, dict(old), batch.heads)
            await save_streams(connection, self._name, batch.streams)
            if batch.parked:
                await park(connection, self._name, batch.parked)
            if batch.facts:
                for projection in self._projections:
                    await projection.apply(connection, batch.facts)
