"""Transfers a second into the ledger, against a bare COPY of the same rows into the same table."""

import time
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg

from libs.contracts.registry import parse_event
from libs.projecting import Pool, Told, drop_schema, make_months, migrate, open_pool, project
from services.wallet.projections import BOOKS, MIGRATIONS, ROLE, books
from services.wallet.projections.ledger import COLUMNS, Ledger
from services.wallet.projections.tables import Tables
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Record, evening

BATCH = 500
"""Events in one transaction, as the projector takes them."""


async def database(server: str) -> str:
    """An empty one; its URL."""
    name = f"bench_{uuid4().hex[:10]}"
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(f'create database "{name}"')
    finally:
        await connection.close()
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


class Rows:
    """An evening's events, and the rows that the ledger makes of them."""

    def __init__(self, url: str, hands: int) -> None:
        self.url = url
        self.records: list[Record] = evening(hands).records
        self.facts: list[Told] = [(event, parse_event(event)) for _, _, event in self.records]
        self.rows: list[tuple[object, ...]] = []

    async def prepare(self) -> None:
        await self.ours()

    async def ours(self) -> float:
        """The ledger projection alone: transfers of every event, floors, balances, disagreements."""
        async with _fresh(self.url) as pool:
            tables = Tables()
            ledger = Ledger(tables)
            began = time.perf_counter()
            for at in range(0, len(self.facts), BATCH):
                async with pool.acquire() as connection, connection.transaction():
                    for projection in (tables, ledger):
                        await projection.apply(connection, self.facts[at : at + BATCH])
            seconds = time.perf_counter() - began
            if not self.rows:
                self.rows = [tuple(row) for row in await pool.fetch(f"select {', '.join(COLUMNS)} from transfers")]
            return len(self.rows) / seconds

    async def all_books(self) -> float:
        """Everything the wallet keeps, positions, statements and rake accounts included."""
        async with _fresh(self.url) as pool:
            began = time.perf_counter()
            await project(pool, BOOKS, books(), MemorySource(self.records), limit=BATCH)
            return len(self.rows) / (time.perf_counter() - began)

    async def copied(self) -> float:
        """COPY in as many transactions, into the same table with its key, checks and indexes."""
        size = max(1, len(self.rows) * BATCH // len(self.facts))
        async with _fresh(self.url) as pool:
            async with pool.acquire() as connection, connection.transaction():
                await make_months(connection, "transfers", (int(str(row[-1])) for row in self.rows))
            began = time.perf_counter()
            for at in range(0, len(self.rows), size):
                async with pool.acquire() as connection, connection.transaction():
                    batch = self.rows[at : at + size]
                    await connection.copy_records_to_table("transfers", records=batch, columns=list(COLUMNS))
            return len(self.rows) / (time.perf_counter() - began)


class _fresh:  # noqa: N801
    """The wallet's schema, empty, and a pool on it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._schema = f"s{uuid4().hex[:8]}"

    async def __aenter__(self) -> Pool:
        await migrate(self._url, self._schema, MIGRATIONS)
        self._pool = await open_pool(self._url, self._schema, role=ROLE, max_size=2)
        return self._pool

    async def __aexit__(self, *_: object) -> None:
        await self._pool.close()
        await drop_schema(self._url, self._schema)
