"""Tournaments and wallets as they answer each other, with deliveries late, twice, in any order between streams."""

import random
from typing import Any, Self

from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command
from libs.contracts.facts import taken
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.pool_commands import NoteTicket, pool_of
from libs.contracts.registry import encode_fact
from libs.contracts.tournament_ticket_commands import IssueTicket
from libs.contracts.wallet_commands import AccountReason, DepositFunds, OpenAccount, ReserveFunds, account_id
from libs.decider import Given, Rejected
from services.cli.replaying.tournament.house import MACHINES, OPERATOR, House
from services.tournament.policies.reactions import TO_WALLET
from services.wallet.domain.pool.state import Pool
from services.wallet.policies.pools import TO_ACCOUNTS
from services.wallet.policies.reactions import TO_TOURNAMENTS
from tests.tournament.course import POLICY, START, Course, definition, player


class Cashier(House):
    def __init__(self, seed: int = 1) -> None:
        super().__init__(START - 3_600_000)
        self.luck = random.Random(seed)

    def announce(self, tournament: str = "t-1", **other: Any) -> None:
        refused = self.approve(tournament, definition(**other))
        assert not refused, refused

    def register(self, name: str, tournament: str = "t-1", entry: str = "", ticket: str | None = None) -> str:
        """Why not; empty: the wallet has been asked."""
        wish = asked.RegisterPlayer(entry=entry or f"entry-{name}", ticket=ticket)
        return self.ask(tournament, player(name), wish)

    def answer(self, stream: str, by: Principal, command: Command) -> tuple[str, str]:
        reason, rule = super().answer(stream, by, command)
        assert reason != AccountReason.NOT_PAID, (command, "a true tournament gives back what was paid to it")
        if isinstance(command, IssueTicket) and not reason and ("tournament", command.satellite) not in self.states:
            noted = taken(NoteTicket, command, tournament=stream, currency="EUR", amount=command.value)
            super().answer(pool_of(stream), POLICY, noted)  # as the satellite's pool would have it said
        return reason, rule

    def settle(self) -> Self:
        super().settle()
        held = [each.held for each in self.states.values() if isinstance(each, Pool) and each.held]
        assert not held, "a true credit is covered"
        return self

    def wake(self, now: int, tournament: str = "t-1") -> None:
        super().wake(now, tournament)

    def deliver(self) -> bool:
        """One command of a policy, any; one in ten comes once more later."""
        if not self.waiting:
            return False
        place = self.luck.randrange(len(self.waiting))
        service, message = self.waiting[place]
        if self.luck.random() >= 0.1:
            del self.waiting[place]
        self.arrive(service, message)
        return True


class Purse:
    """One player's account, which answers what a directed tournament asks of it."""

    def __init__(self, course: Course, name: str, amount: int, held: int = 0) -> None:
        self.course, self.account = course, account_id(name, "EUR")
        self._seen, self._covered = len(course.events), len(course.pool.told)
        self._machine = MACHINES["wallet"]
        self._state = self._machine.decider.initial(self.account)
        self._decide(OPERATOR, OpenAccount(player=name, currency="EUR"))
        self._decide(OPERATOR, DepositFunds(reference="d1", amount=amount))
        if held:
            reserve = ReserveFunds(reserve="r1", sitting="r1", table="cash-1", amount=held)
            self._decide(Principal("policy", "wallet"), reserve)

    @property
    def available(self) -> int:
        return int(self._state.available)

    def settle(self) -> None:
        """What has been asked of it since."""
        for version, event in enumerate(self.course.events[self._seen :], start=self._seen + 1):
            self._seen = version
            reaction = TO_TOURNAMENTS.get(type(event))
            for message in reaction(public(event, version), event) if reaction else ():
                self._take(message)
        for version, covered in enumerate(self.course.pool.told[self._covered :], start=self._covered + 1):
            self._covered = version
            reaction = TO_ACCOUNTS.get(type(covered))
            for message in reaction(public(covered, version), covered) if reaction else ():
                self._take(message)

    def _take(self, message: CommandMessage) -> None:
        if message.stream == self.account:
            self._decide(message.principal, self._machine.decode_command(message))

    def _decide(self, by: Principal, command: Command) -> None:
        decided = self._machine.decider.decide(self._state, command, Given(self.course.now, None, by))
        assert not isinstance(decided, Rejected), decided
        self._state = decided.states[-1] if decided.states else self._state
        for version, event in enumerate(decided.events, start=1):
            reaction = TO_WALLET.get(type(event))
            for message in reaction(public(event, version), event) if reaction else ():
                answer = self.course.ask(message.principal, MACHINES["tournament"].decode_command(message))
                assert not isinstance(answer, Rejected), answer


def public(event: Any, version: int) -> PublicEvent:
    name, data = encode_fact(event)
    return PublicEvent(stream="s", version=version, type=name, time=START, causation="c", data=data)
