"""The wallet's books in memory: the real mapping of events to transfers, under the guards that the database keeps.

A stand-in for PostgreSQL and for nothing else: floors, sums and the guarded position hold here as they do there. The
real tables are covered by `tests/wallet/ledger` and by the chaos tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from libs.contracts.facts import Fact, TableEvent, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.table_events import TableOpened
from libs.projecting import PositionLost
from libs.projecting.acceptance import Accepted
from libs.projecting.positions import Head, Reached
from libs.projecting.source import Partition
from services.wallet.projections.chart import Book, book_of_account, has_floor
from services.wallet.projections.transfers import currency_of, stated_balances, transfers_of

Account = tuple[str, str, str]
"""Book, name, currency."""


class BelowFloor(RuntimeError):
    """What the database's check constraint refuses."""


@dataclass(slots=True)
class Books:
    balances: dict[Account, int] = field(default_factory=dict)
    kinds: dict[str, Book] = field(default_factory=dict)
    """Of tables, from `TableOpened`."""
    disagreements: list[str] = field(default_factory=list)
    transfers: int = 0

    def post(self, event: PublicEvent, body: Fact) -> None:
        """One event's transfers, then what it says of balances held against them."""
        if isinstance(body, TableOpened):
            kind = body.configuration.kind
            assert kind != "tournament", "chips of tournaments are in no book"
            self.kinds[body.table] = kind
        book = self._book(body)
        for transfer in transfers_of(body, book):
            self.transfers += 1
            self._add((book, transfer.debit, transfer.currency), -transfer.amount, event)
            self._add((book, transfer.credit, transfer.currency), transfer.amount, event)
        for name, stated in stated_balances(body):
            booked = self.balances.get((book, name, currency_of(body)))
            if booked is not None and booked != stated:
                self.disagreements.append(f"{event.id}: {name} is {booked}, the event says {stated}")

    @property
    def total(self) -> int:
        return sum(self.balances.values())

    def _add(self, account: Account, amount: int, event: PublicEvent) -> None:
        balance = self.balances[account] = self.balances.get(account, 0) + amount
        if balance < 0 and has_floor(account[1]):
            raise BelowFloor(f"{event.id} takes {account[1]} to {balance}")

    def _book(self, body: Fact) -> Book:
        if isinstance(body, WalletEvent):
            return book_of_account(body.account)
        assert isinstance(body, TableEvent)
        return self.kinds[body.table]


@dataclass(slots=True)
class Database:
    """Everything that outlives a process and is no log."""

    books: Books = field(default_factory=Books)
    heads: dict[Partition, Head] = field(default_factory=dict)
    streams: dict[tuple[str, str], Reached] = field(default_factory=dict)
    parked: int = 0

    def forget(self) -> None:
        """A moved house keeps its books anew, from its first event on."""
        self.books, self.heads, self.streams = Books(), {}, {}

    def load(self, partitions: Sequence[Partition]) -> dict[Partition, Head]:
        return {partition: replace(self.heads.get(partition, Head())) for partition in partitions}

    def write(self, old: Mapping[Partition, Head], batch: Accepted) -> None:
        """All of the batch or none of it; PositionLost where a head has been moved since `old`."""
        for partition in batch.heads:
            if self.heads.get(partition, Head()).position != old[partition].position:
                raise PositionLost(str(partition))
        for event, body in batch.facts:
            self.books.post(event, body)  # raises once, for ever: the projector stops, and the run with it
        self.heads |= batch.heads
        self.streams |= batch.streams
        self.parked += len(batch.parked)
