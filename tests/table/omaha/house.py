"""A table with its players' accounts behind it: what one asks of the other goes through the policies of both."""

from typing import Any, Self
from uuid import UUID

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import Fact, WalletEvent
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.decider import Given, Rejected
from services.table.machine import decode_command as table_command
from services.table.policies.reactions import TO_WALLET
from services.wallet.domain.account.state import Account
from services.wallet.domain.decide import WalletDecider
from services.wallet.machine import decode_command as wallet_command
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.reactions import REACTIONS
from tests.table.play import TableUnderTest
from tests.testkit.partitions import partition_of

_OPERATOR = Principal("operator", "acme")


class House:
    """`p1=25000` opens an account for the player of seat 1. Events are public in the order in which they came."""

    def __init__(self, table: Any, **balances: int) -> None:
        """A table of any game; `table` is typed as poker's, whose words most tests speak."""
        self.table: TableUnderTest = table
        self.records: list[tuple[str, int, PublicEvent]] = []
        """As a source delivers them: topic, partition, event."""
        self._decider = WalletDecider()
        self._accounts: dict[str, Any] = {}
        self._versions: dict[str, int] = {}
        self._asked: set[UUID] = set()
        """Ids of commands of policies: a service decides each once (journal 13)."""
        self._seen = 0
        self._currency: str = table.state.rules.currency
        for player, balance in balances.items():
            account = account_id(player, self._currency)
            self._at_wallet(account, OpenAccount(player=player, currency=self._currency), _OPERATOR)
            if balance:
                self._at_wallet(account, DepositFunds(reference=f"d-{player}", amount=balance), _OPERATOR)

    def available(self, seat: int) -> int:
        """What the player of the seat has at the wallet and may spend."""
        return self._account(seat).available

    def reserved(self, seat: int) -> int:
        return self._account(seat).reserved

    def sits(self, seat: int, amount: int) -> str | None:
        """Asks for the seat and hears the end of it: None only with the seat taken."""
        refused = self.table.take(seat, amount)
        self.settle()
        return refused or (None if seat in self.table.state.seats else "no seat")

    def settle(self) -> Self:
        """Whatever was told since the last time is answered, and what is told in answer."""
        while self._seen < len(self.table.told):
            self._seen += 1
            fact = self.table.told[self._seen - 1]
            self._answer(self._published(self.table.state.table, fact), fact)
        return self

    def once_more(self, kind: type[Fact]) -> Self:
        """Every event of a kind reaches the policy again, as after a restart."""
        for fact in self.table.of(kind, True):
            wanted = encode_fact(fact)[1]
            event = next(event for _, _, event in self.records if event.data == wanted)
            self._answer(event, fact)
        return self

    def at_wallet(self, seat: int, command: WalletCommand) -> None:
        """The platform asks it of the account of the player of the seat."""
        self._at_wallet(account_id(f"p{seat}", self._currency), command, _OPERATOR)

    def _account(self, seat: int) -> Account:
        account = self._accounts[account_id(f"p{seat}", self._currency)]
        assert isinstance(account, Account)
        return account

    def _published(self, stream: str, fact: Fact) -> PublicEvent:
        version = self._versions[stream] = self._versions.get(stream, 0) + 1
        name, data = encode_fact(fact)
        event = PublicEvent(
            stream=stream, version=version, type=name, time=self.table.now, causation=f"c{len(self.records)}", data=data
        )
        service = "wallet" if isinstance(fact, WalletEvent) else "table"
        assert name == wire_name(type(fact))
        self.records.append((topic(service, "events").name, partition_of(stream), event))
        return event

    def _answer(self, event: PublicEvent, fact: Fact) -> None:
        """By the wallet's policies to the table's events and its own, by the table's policy to the wallet's."""
        for reactions in (REACTIONS, TO_ESCROWS, GOES_HOME):
            for message in reactions[type(fact)](event, fact) if type(fact) in reactions else ():
                if message.id not in self._asked:
                    self._asked.add(message.id)
                    self._at_wallet(message.stream, wallet_command(message), message.principal)
        if type(fact) in TO_WALLET:
            for message in TO_WALLET[type(fact)](event, fact):
                self._at_table(message)

    def _at_table(self, message: CommandMessage) -> None:
        told = list(self.table.last)
        self.table.send(message.principal, table_command(message))
        self.table.last = told + self.table.last

    def _at_wallet(self, account: str, command: Any, by: Principal) -> None:
        state = self._accounts.get(account, self._decider.initial(account))
        decided = self._decider.decide(state, command, Given(self.table.now, None, by))
        if isinstance(decided, Rejected):
            return
        self._accounts[account] = decided.states[-1] if decided.states else state
        for fact in decided.events:
            self._answer(self._published(account, fact), fact)
