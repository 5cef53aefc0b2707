"""What a real table against the house tells, in the books: the wallet's own policies and decider answer it."""

from typing import Any

from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.wallet_answers import SessionStatement
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.decider import Given, Rejected
from libs.projecting import Pool, project
from services.wallet.domain.decide import WalletDecider
from services.wallet.machine import decode_command
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.reactions import REACTIONS
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.chart import Book
from services.wallet.projections.statements import statement
from tests.table.under_test import AnyTable
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import Script

_OPERATOR = Principal("operator", "o")


class Sittings(Script):
    """Players with money, and all that follows at their accounts from what a table tells."""

    def __init__(self, *players: str, currency: str = "EUR", kind: Book = "real", amount: int = 1_000_000) -> None:
        super().__init__(kind=kind)
        self.accounts: dict[str, Any] = {}
        self._decider = WalletDecider()
        self.opens(*players, currency=currency, kind=kind, amount=amount)

    def opens(self, *players: str, currency: str, kind: Book, amount: int = 1_000_000) -> None:
        """An account for each of them, with so many minor units on it."""
        for player in players:
            account = account_id(player, currency, kind)
            self._decided(account, OpenAccount(player=player, currency=currency, kind=kind), _OPERATOR)
            self._decided(account, DepositFunds(reference=f"gift-{player}", amount=amount), _OPERATOR)

    def follow(self, table: AnyTable) -> "Sittings":
        """All that the table has told since the last time, each event with what its policies ask."""
        told: list[TableEvent] = table.told
        for fact in told[self._versions.get(table.state.table, 0) :]:
            self.now = fact.at
            self._answered(self.emit(table.state.table, fact), fact)
        return self

    def _answered(self, event: PublicEvent, fact: Fact) -> None:
        for reactions in (REACTIONS, TO_ESCROWS, GOES_HOME):
            for message in reactions[type(fact)](event, fact) if type(fact) in reactions else ():
                self._decided(message.stream, decode_command(message), message.principal)

    def _decided(self, account: str, command: Any, by: Principal) -> None:
        state = self.accounts.get(account, self._decider.initial(account))
        decided = self._decider.decide(state, command, Given(self.now, None, by))
        assert not isinstance(decided, Rejected), (account, command, decided)
        for fact, after in zip(decided.events, decided.states, strict=True):
            self.accounts[account] = after
            self._answered(self.emit(account, fact), fact)


async def statement_of(pool: Pool, table: AnyTable, *players: str) -> SessionStatement:
    """The first player's latest session, once all that the table told is booked."""
    return await stated(pool, Sittings(*players).follow(table), players[0])


async def stated(pool: Pool, script: Sittings, player: str) -> SessionStatement:
    """The player's latest session, once everything so far is booked."""
    await project(pool, BOOKS, books(), MemorySource(script.records))
    async with pool.acquire() as connection:
        balance = await trial_balance(connection)
        assert (balance.balanced, balance.disagreements) == (True, 0)
        latest, *_ = await statement(connection, player)
    return latest
