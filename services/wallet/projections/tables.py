"""What the books have to know of a table: which money it plays for, and its rulebook. Both never change."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from libs.contracts.facts import Fact, TableEvent, WalletEvent
from libs.contracts.table_events import TableOpened
from libs.projecting import Connection, Told
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
