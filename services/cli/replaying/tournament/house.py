"""Tournaments and wallets in memory, as they answer each other: real deciders and real policies. No broker."""

from collections.abc import Mapping
from typing import Any, Self
from uuid import UUID

from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import topic
from libs.contracts.tournament_play_commands import HearDeal, HearHand, HearMove, StackHeard
from libs.contracts.tournaments import Definition
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.decider import Given, Rejected
from libs.journal.machine import AnyMachine
from libs.policies import Reactions
from libs.sealing.lots import LotSeed
from services.tournament.domain.play.seating import positions
from services.tournament.machine import tournament_machine
from services.tournament.policies.reactions import TO_WALLET
from services.tournament.policies.tickets import TO_OTHERS
from services.wallet.machine import wallet_machine
from services.wallet.policies.pools import TO_ACCOUNTS, TO_POOLS
from services.wallet.policies.reactions import TO_TOURNAMENTS

OPERATOR = Principal("operator", "acme")
FLOOR, SUPERVISOR = Principal("staff", "floor-1"), Principal("staff", "supervisor-1")
TIMER, _TABLES = Principal("timer", "tournament"), Principal("policy", "tournament.hears")
MACHINES: Mapping[str, AnyMachine] = {"tournament": tournament_machine(), "wallet": wallet_machine()}
LISTENS: Mapping[str, Mapping[str, Reactions]] = {
    "tournament": {"wallet": {**TO_TOURNAMENTS, **TO_POOLS}, "tournament": TO_OTHERS},
    "wallet": {"tournament": TO_WALLET, "wallet": TO_ACCOUNTS},
}
"""Of whose events, who reacts."""


class House:
    """`now` is everybody's clock, milliseconds; `records`: what was told, by topic and partition."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.states: dict[tuple[str, str], Any] = {}
        self.records: list[tuple[str, int, PublicEvent]] = []
        self.told: list[Fact] = []
        self.waiting: list[tuple[str, CommandMessage]] = []
        """Commands of policies that have not arrived."""
        self._versions: dict[str, int] = {}
        self._known: set[tuple[str, UUID]] = set()
        self._draws = 0

    def approve(self, tournament: str, definition: Definition) -> str:
        """Why not; empty: it is, or the tournament that its tickets are for has been asked."""
        refused = self.ask(tournament, FLOOR, asked.ProposeTournament(name=tournament, definition=definition))
        return refused or self.ask(tournament, SUPERVISOR, asked.ApproveTournament())

    def deposit(self, name: str, amount: int) -> None:
        """Into an account that is opened where there is none; an amount of 0 opens it alone."""
        account = account_id(name, "EUR")
        self.ask(account, OPERATOR, OpenAccount(player=name, currency="EUR"))
        if amount:
            self.ask(account, OPERATOR, DepositFunds(reference=f"d{len(self.records)}", amount=amount))

    def wake(self, now: int, tournament: str) -> None:
        self.now = max(self.now, now)
        self.ask(tournament, TIMER, asked.WakeTournament(due=self.now))

    def ask(self, stream: str, by: Principal, command: Command) -> str:
        """The reason of a refusal; empty: accepted."""
        return self.answer(stream, by, command)[0]

    def answer(self, stream: str, by: Principal, command: Command) -> tuple[str, str]:
        """Reason and rule of a refusal."""
        service = command.service
        machine = MACHINES[service]
        self._draws += 1
        fresh = LotSeed(self._draws.to_bytes(32)) if service == "tournament" else None
        decided = machine.decider.decide(self.state(service, stream), command, Given(self.now, fresh, by))
        if isinstance(decided, Rejected):
            return decided.reason, decided.rule or ""
        if decided.states:
            self.states[service, stream] = decided.states[-1]
        for fact in decided.events:
            event = self._event(service, stream, fact)
            for other, reactions in LISTENS[service].items():
                reaction = reactions.get(type(fact))
                self.waiting += [(other, message) for message in reaction(event, fact)] if reaction else []
        return "", ""

    def deliver(self) -> bool:
        """The command of a policy that waits longest arrives. False: none waits."""
        if not self.waiting:
            return False
        self.arrive(*self.waiting.pop(0))
        return True

    def arrive(self, service: str, message: CommandMessage) -> None:
        if (message.stream, message.id) not in self._known:  # a ring remembers them
            self._known.add((message.stream, message.id))
            self.ask(message.stream, message.principal, MACHINES[service].decode_command(message))

    def settle(self) -> Self:
        """Until every policy's command has arrived."""
        while self.deliver():
            pass
        return self

    def hand(self, tournament: str, *out: str, stacks: Mapping[str, int] | None = None) -> None:
        """At its only table the players `out` lose everything to another one. With `stacks` a hand before it brings
        them to so many chips."""
        if stacks is not None:
            self._hand(tournament, 1, stacks)
        self._hand(tournament, 1, dict.fromkeys(out, 0))

    def becomes(self, tournament: str, name: str, chips: int, kept: Mapping[str, int]) -> None:
        """All tables play until nobody is to move, then one a hand after which the player has so many; whoever is
        `kept` has what they had."""
        while True:
            play = self.state("tournament", tournament).play
            for number in [number for number, table in play.tables.items() if table.allowed > table.ended]:
                self._hand(tournament, number, {})
            moving = self.state("tournament", tournament).play.moving
            if not moving:
                break
            for entry in moving:
                self.ask(tournament, _TABLES, HearMove(sitting=play.sittings[entry], chips=play.stacks[entry]))
        state = self.state("tournament", tournament)
        self._hand(tournament, state.play.places[state.entry_of(name).entry].table, {**kept, name: chips})

    def _hand(self, tournament: str, number: int, chips: Mapping[str, int]) -> None:
        """What others win or lose is whoever's who sits there first, and of the next as far as they have it."""
        play, entries = self.state("tournament", tournament).play, self.state("tournament", tournament).entries
        table = play.tables[number]
        before = {entry: play.stacks[entry] for entry in table.entries.values() if play.stacks[entry]}
        after = {entry: chips.get(entries[entry].player, before[entry]) for entry in before}
        due = sum(before.values()) - sum(after.values())
        for entry in before:
            if entries[entry].player not in chips and due:
                part = max(due, 1 - before[entry])
                after[entry], due = before[entry] + part, due - part
        told = [StackHeard(play.sittings[entry], before[entry], after[entry]) for entry in before]
        button = positions(table.entries, table.button).button
        for command in (
            HearDeal(table=number, hand=table.allowed, button=button, began=self.now),
            HearHand(table=number, hand=table.allowed, stacks=told),
        ):
            refused = self.ask(tournament, _TABLES, command)
            assert not refused, refused
        self.settle()

    def state(self, service: str, stream: str) -> Any:
        return self.states.get((service, stream)) or MACHINES[service].decider.initial(stream)

    def available(self, name: str) -> int:
        return int(self.state("wallet", account_id(name, "EUR")).available)

    def _event(self, service: str, stream: str, fact: Fact) -> PublicEvent:
        version = self._versions[stream] = self._versions.get(stream, 0) + 1
        event = PublicEvent(
            stream=stream, version=version, type=wire_name(type(fact)), time=self.now, causation="c",
            data=encode_fact(fact)[1],
        )  # fmt: skip
        self.records.append((topic(service, "events").name, 0, event))
        self.told.append(fact)
        return event
