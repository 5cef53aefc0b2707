"""What the books have to know of a table: which money it plays for, and its rulebook. Both never change."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from libs.contracts.facts import Fact, TableEvent, WalletEvent
from libs.contracts.table_events import TableOpened
from libs.projecting import Connection, Projection, Told
from services.wallet.projections.chart import Book, book_of_account


class TableFacts(NamedTuple):
    book: Book
    rulebook: str


class UnknownTable(RuntimeError):
    """An event of a table that was never opened: the books can't tell whose money it is."""


class Tables:
    """Projection of TableOpened, and look-up for the projections that follow it in the same transaction."""

    name = "tables"

    def __init__(self) -> None:
        self._known: dict[str, TableFacts] = {}
        self._of_tournaments: set[str] = set()

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        opened = [body for _, body in facts if isinstance(body, TableOpened) and not body.configuration.tournament]
        if opened:
            await connection.executemany(
                "insert into tables (table_id, book, currency, rulebook) values ($1, $2, $3, $4)",
                [(e.table, e.configuration.kind, e.configuration.currency, e.configuration.rulebook) for e in opened],
            )
        of_tournaments = [b for _, b in facts if isinstance(b, TableOpened) and b.configuration.tournament]
        if of_tournaments:
            await connection.executemany(
                "insert into tournament_tables (table_id, tournament) values ($1, $2)",
                [(e.table, e.configuration.tournament) for e in of_tournaments],
            )
        await self._learn(connection, {body.table for _, body in facts if isinstance(body, TableEvent)})

    def has_money(self, body: Fact) -> bool:
        """False for all that happens at a table of a tournament: its stacks are chips."""
        return not (isinstance(body, TableEvent) and body.table in self._of_tournaments)

    def of(self, table: str) -> TableFacts:
        facts = self._known.get(table)
        if facts is None:
            raise UnknownTable(table)
        return facts

    def book(self, body: Fact) -> Book:
        """Which books the event belongs to."""
        if isinstance(body, WalletEvent):
            return book_of_account(body.account)
        return self.of(cast(TableEvent, body).table).book

    async def _learn(self, connection: Connection, wanted: Iterable[str]) -> None:
        missing = [table for table in wanted if table not in self._known and table not in self._of_tournaments]
        if not missing:
            return
        rows = await connection.fetch(
            "select table_id, book, rulebook from tables where table_id = any($1::text[])", missing
        )
        self._known |= {row["table_id"]: TableFacts(row["book"], row["rulebook"]) for row in rows}
        without = await connection.fetch(
            "select table_id from tournament_tables where table_id = any($1::text[])", missing
        )
        self._of_tournaments |= {row["table_id"] for row in without}


class MoneyOnly:
    """The projection behind it, without the facts of tournament tables (mo-97-2010 4.2)."""

    def __init__(self, projection: Projection, tables: Tables) -> None:
        self._projection = projection
        self._tables = tables

    @property
    def name(self) -> str:
        return self._projection.name

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        of_money = [fact for fact in facts if self._tables.has_money(fact[1])]
        if of_money:
            await self._projection.apply(connection, of_money)


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
