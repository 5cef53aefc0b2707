"""Tournaments and wallets as they answer each other: real deciders, real policies, deliveries late, twice, in any order
between streams."""

import random
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import partition_of, topic
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.decider import Decided, Given, Rejected
from libs.journal.machine import AnyMachine
from libs.policies import Reactions
from services.tournament.machine import tournament_machine
from services.tournament.policies.reactions import TO_WALLET
from services.wallet.machine import wallet_machine
from services.wallet.policies.reactions import TO_TOURNAMENTS
from tests.tournament.course import FLOOR, START, SUPERVISOR, TIMER, definition, player

OPERATOR = Principal("operator", "acme")
MACHINES: Mapping[str, AnyMachine] = {"tournament": tournament_machine(), "wallet": wallet_machine()}
LISTENS: Mapping[str, Reactions] = {"tournament": TO_TOURNAMENTS, "wallet": TO_WALLET}
"""Who reacts to events of a service."""


class Cashier:
    """`records` are what the books read. `now` is everybody's clock."""

    def __init__(self, seed: int = 1) -> None:
        self.luck = random.Random(seed)
        self.now = START - 3_600_000
        self.states: dict[tuple[str, str], Any] = {}
        self.records: list[tuple[str, int, PublicEvent]] = []
        self._versions: dict[str, int] = {}
        self._known: set[tuple[str, UUID]] = set()
        self._waiting: list[tuple[str, CommandMessage]] = []
        """Commands of policies that have not arrived."""

    def announce(self, tournament: str = "t-1", **other: Any) -> None:
        proposal = asked.ProposeTournament(name="Sunday", definition=definition(**other))
        assert not self.ask(tournament, FLOOR, proposal)
        assert not self.ask(tournament, SUPERVISOR, asked.ApproveTournament())

    def deposit(self, name: str, amount: int) -> None:
        account = account_id(name, "EUR")
        self.ask(account, OPERATOR, OpenAccount(player=name, currency="EUR"))
        self.ask(account, OPERATOR, DepositFunds(reference=f"d{len(self.records)}", amount=amount))

    def register(self, name: str, tournament: str = "t-1", entry: str = "") -> str:
        """Why not; empty: the wallet has been asked."""
        return self.ask(tournament, player(name), asked.RegisterPlayer(entry=entry or f"entry-{name}"))

    def wake(self, now: int, tournament: str = "t-1") -> None:
        self.now = max(self.now, now)
        self.ask(tournament, TIMER, asked.WakeTournament(due=self.now))

    def ask(self, stream: str, by: Principal, command: Command) -> str:
        """The reason of a refusal; empty: accepted."""
        service = command.service
        machine = MACHINES[service]
        state = self.states.get((service, stream)) or machine.decider.initial(stream)
        decided = machine.decider.decide(state, command, Given(self.now, None, by))
        if isinstance(decided, Rejected):
            return decided.reason
        self._publish(service, stream, decided)
        return ""

    def deliver(self) -> bool:
        """One command of a policy, any; one in ten comes once more later. False: none waits."""
        if not self._waiting:
            return False
        place = self.luck.randrange(len(self._waiting))
        service, message = self._waiting[place]
        if self.luck.random() >= 0.1:
            del self._waiting[place]
        if (message.stream, message.id) not in self._known:  # a ring remembers them
            self._known.add((message.stream, message.id))
            self.ask(message.stream, message.principal, MACHINES[service].decode_command(message))
        return True

    def settle(self) -> "Cashier":
        """Until every policy's command has arrived."""
        while self.deliver():
            pass
        return self

    def available(self, name: str) -> int:
        return int(self.states["wallet", account_id(name, "EUR")].available)

    def _publish(self, service: str, stream: str, decided: Decided[Any, Any]) -> None:
        if decided.states:
            self.states[service, stream] = decided.states[-1]
        for fact in decided.events:
            event = self._event(service, stream, fact)
            reaction = LISTENS[service].get(type(fact))
            if reaction is not None:
                other = "wallet" if service == "tournament" else "tournament"
                self._waiting += [(other, message) for message in reaction(event, fact)]

    def _event(self, service: str, stream: str, fact: Fact) -> PublicEvent:
        version = self._versions[stream] = self._versions.get(stream, 0) + 1
        event = PublicEvent(
            stream=stream, version=version, type=wire_name(type(fact)), time=self.now, causation="c",
            data=encode_fact(fact)[1],
        )  # fmt: skip
        self.records.append((topic(service, "events").name, partition_of(stream), event))
        return event
