"""What the policies know of tables: real money or play money. Stored before the event counts as read."""

from typing import cast

from libs.policies import Unanswerable
from libs.projecting import Pool
from services.wallet.projections.chart import Book


class TableKinds:
    """Stored apart from the books: policies and projector read the log each at their own pace."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[str, Book] = {}

    async def learn(self, table: str, kind: Book) -> None:
        await self._pool.execute(
            "insert into policy_tables (table_id, kind) values ($1, $2) on conflict do nothing", table, kind
        )
        self._known[table] = kind

    async def of(self, table: str) -> Book:
        kind = self._known.get(table)
        if kind is None:
            kind = cast(
                Book | None,
                await self._pool.fetchval("select kind from policy_tables where table_id = $1", table),
            )
            if kind is None:
                raise Unanswerable(f"nobody saw table {table} open")
            self._known[table] = kind
        return kind
