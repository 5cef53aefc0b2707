"""What the books have to know of a table: which money it plays for, and its rulebook. Both never change."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from libs.contracts.configurations import Kind
from libs.contracts.facts import Fact, TableEvent, TournamentEvent, WalletEvent
from libs.contracts.table_events import TableOpened
from libs.money.play import kind_of
from libs.projecting import Connection, Projection, Told, Unbookable, write_rows
from services.wallet.projections.chart import Book, book_of_account

_KNOWN = 10_000
"""Tables at hand; the others are looked up."""


class TableFacts(NamedTuple):
    kind: Kind
    rulebook: str


class UnknownTable(Unbookable):
    """An event of a table that was never opened: the books can't tell whose money it is."""


class Tables:
    """Projection of TableOpened, and look-up for the projections that follow it in the same transaction."""

    name = "tables"

    def __init__(self) -> None:
        self._known: dict[str, TableFacts] = {}

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        opened = [(body.table, body.configuration) for _, body in facts if isinstance(body, TableOpened)]
        if opened:
            await write_rows(
                connection,
                "insert into tables (table_id, kind, currency, rulebook, tournament) values ($1, $2, $3, $4, $5)",
                [(table, c.kind, c.currency, c.rulebook, c.tournament) for table, c in opened],
            )
        await self._learn(connection, {body.table for _, body in facts if isinstance(body, TableEvent)})

    def has_money(self, body: Fact) -> bool:
        """False for all that happens at a table of a tournament: its stacks are chips."""
        known = self._known.get(body.table) if isinstance(body, TableEvent) else None
        return known is None or known.kind != "tournament"

    def of(self, table: str) -> TableFacts:
        facts = self._known.get(table)
        if facts is None:
            raise UnknownTable(table)
        return facts

    def book(self, body: Fact) -> Book:
        """Which books the event belongs to."""
        if isinstance(body, WalletEvent):
            return book_of_account(body.account)
        if isinstance(body, TournamentEvent):
            return kind_of(getattr(body, "currency", ""))
        return self.book_of(cast(TableEvent, body).table)

    def book_of(self, table: str) -> Book:
        kind = self.of(table).kind
        assert kind != "tournament", "chips of tournaments are in no book"
        return kind

    async def _learn(self, connection: Connection, wanted: Iterable[str]) -> None:
        if len(self._known) > _KNOWN:
            self._known = {}
        missing = [table for table in wanted if table not in self._known]
        if not missing:
            return
        rows = await connection.fetch(
            "select table_id, kind, rulebook from tables where table_id = any($1::text[])", missing
        )
        self._known |= {row["table_id"]: TableFacts(row["kind"], row["rulebook"]) for row in rows}


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
    Written in one order, for another process may be adding to the same ones.

    All names are of our own tables.
    """
    columns = (*key, *fixed, *sums)
    places = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
    added = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in sums)
    await write_rows(
        connection,
        f"insert into {table} ({', '.join(columns)}) values ({places})"
        f" on conflict ({', '.join(key)}) do update set {added}",
        [
            (*values, *(each[values] for each in fixed.values()), *(adds[name] for name in sums))
            for values, adds in sorted(rows.items())
        ],
    )
