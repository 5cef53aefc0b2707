"""The ledger: every transfer of every money event, and the balances that they add up to, in one transaction."""

from collections.abc import Sequence
from functools import cache

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.projecting import Connection, Told
from services.wallet.projections.chart import Book, has_floor
from services.wallet.projections.tables import Tables
from services.wallet.projections.transfers import Transfer, currency_of, stated_balances, transfers_of

_COLUMNS = (
    "service", "event_id", "line", "book", "debit", "credit", "amount", "currency", "kind", "reference", "event_time",
)  # fmt: skip


Account = tuple[Book, str, str]
"""Book, name, currency. A plain tuple: four are made for each transfer."""
Move = tuple[Account, Account, Transfer]
"""Debit, credit and what moves between them."""


class Posting(msgspec.Struct, frozen=True):
    """One event's part in the books."""

    event: PublicEvent
    body: Fact
    book: Book
    moves: list[Move]


class BooksBroken(RuntimeError):
    """An account would go below its floor: an event spends money that the books say isn't there. Nothing is written."""


class Ledger:
    """Projection: append-only `transfers`, `balances` with floors, `disagreements` where an event says otherwise."""

    name = "ledger"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        postings = [self._posting(event, body) for event, body in facts]
        moves = [move for posting in postings for move in posting.moves]
        stored = await _balances(connection, {account for move in moves for account in move[:2]})
        running = dict(stored)
        disagreements: list[tuple[str, str, str, int, int]] = []
        for posting in postings:
            _post(running, posting)
            disagreements += _disagreements(running, posting)
        if moves:
            records = [record for posting in postings for record in _records(posting)]
            await connection.copy_records_to_table("transfers", records=records, columns=list(_COLUMNS))
            await _save(connection, stored, running)
        if disagreements:
            await connection.executemany("insert into disagreements values ($1, $2, $3, $4, $5)", disagreements)

    def _posting(self, event: PublicEvent, body: Fact) -> Posting:
        book = self._tables.book(body)
        moves = [((book, t.debit, t.currency), (book, t.credit, t.currency), t) for t in transfers_of(body, book)]
        return Posting(event, body, book, moves)


@cache
def service_of(event_type: str) -> str:
    """`table` for `croupier.table.bet_placed.v1`."""
    return event_type.split(".", 2)[1]


def _post(running: dict[Account, int], posting: Posting) -> None:
    for debit, credit, transfer in posting.moves:
        left = running[debit] = running.get(debit, 0) - transfer.amount
        running[credit] = running.get(credit, 0) + transfer.amount
        if left < 0 and has_floor(transfer.debit):
            raise BooksBroken(f"{posting.event.id} takes {transfer.debit} below zero")


def _disagreements(running: dict[Account, int], posting: Posting) -> list[tuple[str, str, str, int, int]]:
    found = []
    for name, stated in stated_balances(posting.body):
        booked = running.get((posting.book, name, currency_of(posting.body)))
        # A figure whose account nothing in this batch touched was checked when it was touched.
        if booked is not None and booked != stated:
            found.append((service_of(posting.event.type), posting.event.id, name, stated, booked))
    return found


def _records(posting: Posting) -> list[tuple[object, ...]]:
    if not posting.moves:
        return []
    event, book = posting.event, posting.book
    service, event_id, time = service_of(event.type), event.id, event.time
    return [
        (service, event_id, line, book, t.debit, t.credit, t.amount, t.currency, t.kind, t.reference, time)
        for line, (_, _, t) in enumerate(posting.moves, start=1)
    ]


async def _balances(connection: Connection, accounts: set[Account]) -> dict[Account, int]:
    rows = await connection.fetch(
        """
        select b.book, b.account, b.currency, b.balance
          from unnest($1::text[], $2::text[], $3::text[]) as wanted (book, account, currency)
          join balances b using (book, account, currency)
        """,
        [book for book, _, _ in accounts],
        [name for _, name, _ in accounts],
        [currency for _, _, currency in accounts],
    )
    return {(book, name, currency): balance for book, name, currency, balance in rows}


async def _save(connection: Connection, stored: dict[Account, int], running: dict[Account, int]) -> None:
    """Adds the changes, existing rows and new ones apart: an upsert would check the floor on the bare change."""
    changed = [(account, after - stored[account]) for account, after in running.items() if account in stored]
    fresh = [(account, after) for account, after in running.items() if account not in stored]
    # One statement, so that the sum over all accounts is seen whole.
    await connection.execute(
        """
        with changed as (
            update balances b set balance = b.balance + c.change
              from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as c (book, account, currency, change)
             where b.book = c.book and b.account = c.account and b.currency = c.currency
        )
        insert into balances as b (book, account, currency, balance, no_floor)
        select * from unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[])
        on conflict (book, account, currency) do update set balance = b.balance + excluded.balance
        """,
        [book for (book, _, _), _ in changed],
        [name for (_, name, _), _ in changed],
        [currency for (_, _, currency), _ in changed],
        [change for _, change in changed],
        [book for (book, _, _), _ in fresh],
        [name for (_, name, _), _ in fresh],
        [currency for (_, _, currency), _ in fresh],
        [balance for _, balance in fresh],
        [not has_floor(name) for (_, name, _), _ in fresh],
    )
