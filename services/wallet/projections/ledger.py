"""The ledger: every transfer of every money event, and the balances that they add up to, in one transaction."""

from collections.abc import Sequence

import msgspec

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.wallet_events import AccountOpened
from libs.projecting import Connection, Told, Unbookable, make_months
from services.wallet.projections.chart import Book, has_floor, has_parts, player
from services.wallet.projections.tables import Tables
from services.wallet.projections.transfers import Transfer, currency_of, stated_balances, transfers_of

COLUMNS = (
    "service", "event_id", "line", "book", "debit", "credit", "amount", "currency", "kind", "reference", "event_time",
)  # fmt: skip
"""Of a transfer, as it is written."""
Account = tuple[Book, str, str]
"""Book, name, currency. A plain tuple: two are made for each transfer."""
Move = tuple[Account, Account, Transfer]
"""Debit, credit and what moves between them."""


class Posting(msgspec.Struct, frozen=True):
    """One event's part in the books."""

    event: PublicEvent
    body: Fact
    book: Book
    moves: list[Move]


class BooksBroken(Unbookable):
    """An account would go below its floor: an event spends money that the books say isn't there. It is not booked."""


class Ledger:
    """Projection: append-only `transfers`, `balances` with floors, `disagreements` where an event says otherwise."""

    name = "ledger"

    def __init__(self, tables: Tables, part: int = 0) -> None:
        """`part`: no other process that keeps books has the same."""
        self._tables = tables
        self._part = part

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        postings = [self._posting(event, body) for event, body in facts]
        changes: dict[Account, int] = {}
        records: list[tuple[object, ...]] = []
        for posting in postings:
            if posting.moves:
                _enter(posting, changes, records)
            elif isinstance(posting.body, AccountOpened):
                changes.setdefault(_opened(posting.body, posting.book), 0)
        # First of all: who waits for a month to be made holds no account that another one needs.
        await make_months(connection, "transfers", (posting.event.time for posting in postings if posting.moves))
        running = await _change(connection, changes, self._part) if changes else {}
        disagreements: list[tuple[str, str, str, int, int]] = []
        for posting in postings:
            _post(running, posting)
            disagreements += _disagreements(running, posting)
        if records:
            await connection.copy_records_to_table("transfers", records=records, columns=list(COLUMNS))
        if disagreements:
            await connection.executemany("insert into disagreements values ($1, $2, $3, $4, $5)", disagreements)

    def _posting(self, event: PublicEvent, body: Fact) -> Posting:
        book = self._tables.book(body)
        moves = [((book, t.debit, t.currency), (book, t.credit, t.currency), t) for t in transfers_of(body, book)]
        return Posting(event, body, book, moves)


def _opened(body: AccountOpened, book: Book) -> Account:
    """Known from its opening on, with nothing in it."""
    return book, player(body.player, body.currency), body.currency


def _enter(posting: Posting, changes: dict[Account, int], records: list[tuple[object, ...]]) -> None:
    """Adds the event's transfers to what changes in sum and to the rows that are kept of them."""
    event, book = posting.event, posting.book
    service, event_id, time = event.service, event.id, event.time
    for line, (debit, credit, t) in enumerate(posting.moves, start=1):
        changes[debit] = changes.get(debit, 0) - t.amount
        changes[credit] = changes.get(credit, 0) + t.amount
        records.append(
            (service, event_id, line, book, t.debit, t.credit, t.amount, t.currency, t.kind, t.reference, time)
        )


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
            found.append((posting.event.service, posting.event.id, name, stated, booked))
    return found


async def _change(connection: Connection, changes: dict[Account, int], part: int) -> dict[Account, int]:
    """Adds the changes to the balances; gives those that there were before.

    One statement, so that the sum over all accounts is seen whole. It writes nothing when an account would end below
    its floor: who called finds out which event it was. Existing rows and new ones are written apart, for an upsert
    would check the floor on the bare change.

    Others keep books of other streams at the same time. What two of them may meet in is locked in one order, and added
    where it was not there a moment ago: money in transit, and a table's commission, to which the wallet's charges come.
    Neither is ever taken below anything: every account that has a floor and is taken from is of one stream alone.
    """
    await connection.execute("select set_config('croupier.part', $1, true)", str(part))
    rows = await connection.fetch(
        """
        with given as materialized (
            select * from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::boolean[], $6::integer[])
                       as c (book, account, currency, change, no_floor, part)
        ), met as materialized (
            select 1 from balances b join given using (book, account, currency, part)
             where account like 'in-transit/%' or account like 'commission/%'
             order by book, account, currency for no key update of b
        ), wanted as materialized (
            select c.*, b.balance from given c left join balances b using (book, account, currency, part)
             where (select count(*) from met) >= 0
        ), sound as (
            select from wanted having bool_and(no_floor or coalesce(balance, 0) + change >= 0)
        ), changed as (
            update balances b set balance = b.balance + w.change
              from wanted w, sound
             where (b.book, b.account, b.currency, b.part) = (w.book, w.account, w.currency, w.part)
        ), added as (
            insert into balances as b (book, account, currency, balance, no_floor, part)
            select book, account, currency, change, no_floor, part from wanted, sound where balance is null
             order by book, account, currency
            on conflict (book, account, currency, part) do update set balance = b.balance + excluded.balance
        )
        select book, account, currency, balance from wanted where balance is not null
        """,
        [book for book, _, _ in changes],
        [name for _, name, _ in changes],
        [currency for _, _, currency in changes],
        list(changes.values()),
        [not has_floor(name) for _, name, _ in changes],
        [part if has_parts(name) else 0 for _, name, _ in changes],
    )
    return {(book, name, currency): balance for book, name, currency, balance in rows}
