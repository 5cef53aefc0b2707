"""The ledger: every transfer of every money event, and the balances that they add up to, in one transaction."""

from collections.abc import Sequence
from typing import NamedTuple

from libs.contracts.messages import PublicEvent
from libs.projecting import Connection, Fact
from services.wallet.projections.chart import Book, has_floor
from services.wallet.projections.tables import Tables
from services.wallet.projections.transfers import Transfer, currency_of, stated_balances, transfers_of

_COLUMNS = (
    "service", "event_id", "line", "book", "debit", "credit", "amount", "currency", "kind", "reference", "event_time",
)  # fmt: skip


class Account(NamedTuple):
    book: Book
    name: str
    currency: str


class BooksBroken(RuntimeError):
    """An account would go below its floor: an event spends money that the books say isn't there. Nothing is written."""


class Ledger:
    """Projection: append-only `transfers`, `balances` with floors, `disagreements` where an event says otherwise."""

    name = "ledger"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Fact]) -> None:
        posted = [(event, body, self._tables.book(body)) for event, body in facts]
        lines = [(event, book, transfers_of(body, book)) for event, body, book in posted]
        accounts = {
            Account(book, name, t.currency) for _, book, moved in lines for t in moved for name in (t.debit, t.credit)
        }
        stored = await _balances(connection, accounts)
        running = dict(stored)
        disagreements: list[tuple[str, str, str, int, int]] = []
        for (event, body, book), (_, _, moved) in zip(posted, lines, strict=True):
            for transfer in moved:
                _post(running, book, transfer, event)
            disagreements += _disagreements(running, event, body, book)
        records = [record for event, book, moved in lines for record in _records(event, book, moved)]
        if records:
            await connection.copy_records_to_table("transfers", records=records, columns=list(_COLUMNS))
            await _save(connection, stored, running)
        if disagreements:
            await connection.executemany("insert into disagreements values ($1, $2, $3, $4, $5)", disagreements)


def service_of(event: PublicEvent) -> str:
    """`table` for `croupier.table.bet_placed.v1`."""
    return event.type.split(".", 2)[1]


def _post(running: dict[Account, int], book: Book, transfer: Transfer, event: PublicEvent) -> None:
    debit = Account(book, transfer.debit, transfer.currency)
    credit = Account(book, transfer.credit, transfer.currency)
    running[debit] = running.get(debit, 0) - transfer.amount
    running[credit] = running.get(credit, 0) + transfer.amount
    if running[debit] < 0 and has_floor(transfer.debit):
        raise BooksBroken(f"{event.id} takes {transfer.debit} below zero")


def _disagreements(
    running: dict[Account, int], event: PublicEvent, body: object, book: Book
) -> list[tuple[str, str, str, int, int]]:
    found = []
    for name, stated in stated_balances(body):  # type: ignore[arg-type]
        account = Account(book, name, currency_of(body))  # type: ignore[arg-type]
        booked = running.get(account)
        # A figure whose account nothing in this batch touched was checked when it was touched.
        if booked is not None and booked != stated:
            found.append((service_of(event), event.id, name, stated, booked))
    return found


def _records(event: PublicEvent, book: Book, moved: Sequence[Transfer]) -> list[tuple[object, ...]]:
    service = service_of(event)
    return [
        (service, event.id, line, book, t.debit, t.credit, t.amount, t.currency, t.kind, t.reference, event.time)
        for line, t in enumerate(moved, start=1)
    ]


async def _balances(connection: Connection, accounts: set[Account]) -> dict[Account, int]:
    rows = await connection.fetch(
        """
        select b.book, b.account, b.currency, b.balance
          from unnest($1::text[], $2::text[], $3::text[]) as wanted (book, account, currency)
          join balances b using (book, account, currency)
        """,
        [account.book for account in accounts],
        [account.name for account in accounts],
        [account.currency for account in accounts],
    )
    return {Account(row["book"], row["account"], row["currency"]): row["balance"] for row in rows}


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
        [account.book for account, _ in changed],
        [account.name for account, _ in changed],
        [account.currency for account, _ in changed],
        [change for _, change in changed],
        [account.book for account, _ in fresh],
        [account.name for account, _ in fresh],
        [account.currency for account, _ in fresh],
        [balance for _, balance in fresh],
        [not has_floor(account.name) for account, _ in fresh],
    )
