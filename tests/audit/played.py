"""Tables and wallets really played, on the simulated log: real deciders, real seals, real publishers, one writer."""

import random
from dataclasses import replace
from typing import Any
from uuid import UUID

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.registry import parse_event, wire_name
from libs.contracts.table_events import PlayerLeft, RefundSent
from libs.contracts.topics import TABLE_PRIVATE, topic
from libs.contracts.wallet_commands import account_id
from libs.decider import Given, Rejected
from libs.journal.commit import Commit, encode
from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord
from libs.journal.publishing import public_events
from libs.sealing.kek_file import Keks, KekVersion, keyring_of
from libs.sealing.secret import DataKey, SecretBytes
from services.table.domain.table.waking import next_wake
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from services.tournament.machine import tournament_machine
from services.tournament.publishing import tournament_publisher
from services.wallet.machine import wallet_machine
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.reactions import REACTIONS
from services.wallet.publishing import wallet_publisher
from tests.table.luck import seeded_shuffler
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

KEK = bytes(range(32))
NEXT_KEK = bytes(range(200, 232))
KEKS = Keks((KekVersion(1, SecretBytes(KEK)), KekVersion(2, SecretBytes(NEXT_KEK))), 1)
KEYRING = keyring_of(KEKS)
GATEWAY_KEY = bytes(range(100, 132))
T0 = 1_700_000_000_000
OF_ESCROWS = {**TO_ESCROWS, **GOES_HOME}
_OF_ESCROWS = frozenset(map(wire_name, OF_ESCROWS))
CONFIGURATION = {
    "mode": "continuous", "seats": 6, "structure": "pot_limit", "big_blind": 100, "buy_in_min": 2000,
    "buy_in_max": 10000, "top_up_to": 10000, "rake_mode": "pot", "rake_bp": 500, "decision_ms": 3000,
    "between_hands_ms": 0, "approval": "A-1",
}  # fmt: skip


class PlayedHouse:
    """One table, some players. Everything that a running house would leave in its topics is in `broker`."""

    def __init__(self, table: str = "table-1", seed: int = 1) -> None:
        self.broker = SimulatedBroker(PARTITIONS, lambda: self.now)
        self.now = T0
        self._asked = 0
        self.table = table
        self.random = random.Random(seed)
        self.rejections: list[Rejected] = []
        self._shuffler = seeded_shuffler()
        self._machines: dict[str, Any] = {
            "table": table_machine(KEYRING, self._shuffler),
            "wallet": wallet_machine(),
            "tournament": tournament_machine(),
        }
        self._folds: dict[tuple[str, int], PartitionFold[Any, Any]] = {}
        self._commands = 0
        self._publish: dict[str, Any] = {
            "table": table_publisher(topic("table", "events").name, TABLE_PRIVATE.name, DataKey(GATEWAY_KEY)),
            "wallet": wallet_publisher(topic("wallet", "events").name),
            "tournament": tournament_publisher(topic("tournament", "events").name),
        }

    def seal_under(self, version: int) -> None:
        """As after a rotation."""
        self._machines["table"] = table_machine(keyring_of(replace(KEKS, seals=version)), self._shuffler)

    @property
    def log(self) -> SimulatedLog:
        return SimulatedLog(self.broker)

    @property
    def state(self) -> Any:
        return self._fold("table", self.table).state(self.table)

    def ask(self, service: str, stream: str, kind: str, who: tuple[str, str], /, **body: Any) -> Commit:
        """One command, decided, journalled, folded and published."""
        machine, fold = self._machines[service], self._fold(service, stream)
        principal = Principal(kind=who[0], id=who[1])  # type: ignore[arg-type]
        message = CommandMessage(id=self._command_id(stream), stream=stream, type=kind, principal=principal, body=body)
        command = machine.decode_command(message)
        commands = topic(service, "commands").name
        offset = self.broker.land(commands, fold.partition, [(stream.encode(), message.encoded(), ())])
        state = fold.state(stream)
        outcome = machine.decider.decide(state, command, Given(self.now, machine.fresh(state, command), principal))
        made = self._commit(service, fold, message, outcome, offset)
        self.land(service, stream, encode(made))
        self._follow(made)
        return made

    def _follow(self, made: Commit) -> None:
        """What the wallet's policies do about what the wallet has told."""
        for event in public_events(made):
            if event.type not in _OF_ESCROWS:
                continue
            fact = parse_event(event)
            for message in OF_ESCROWS[type(fact)](event, fact):
                by = (message.principal.kind, message.principal.id)
                self.ask("wallet", message.stream, message.type, by, **message.body)

    def _command_id(self, stream: str) -> UUID:
        """As a client of this house's time would choose it: what is remembered goes by the time in it (journal 13)."""
        self._asked += 1
        return command_id_at(self.now, stream, str(self._asked))

    def land(self, service: str, stream: str, raw: bytes) -> None:
        """A journal record as it is, folded and, if valid, published."""
        fold = self._fold(service, stream)
        name = topic(service, "journal").name
        offset = self.broker.land(name, fold.partition, [(stream.encode(), raw, ())])
        folded = fold.fold(LogRecord(offset, stream.encode(), raw))
        if not folded.valid or folded.commit is None:
            return
        commit = folded.commit
        for out in self._publish[service](commit, folded.steps):
            partition = partition_of(out.key.decode())
            self.broker.land(out.topic, partition, [(out.key, out.value, out.headers)])

    def open(self, players: int = 4, amount: int = 5000, **configuration: Any) -> None:
        rules = {**CONFIGURATION, **configuration}
        opening = {"name": "One", "rulebook": "pt-811-2015-omaha", "configuration": rules}
        self.ask("table", self.table, "OpenTable", ("operator", "o"), **opening)
        for number in range(1, players + 1):
            self.sit(f"player-{number}", amount)

    def sit(self, player: str, amount: int) -> None:
        """Deposit, seat, reserve, confirmation: what gateway and policies do between them."""
        rules = self.state.rules
        account, sitting = account_id(player, rules.currency, rules.kind), f"{player}.{self._commands}"
        operator, policy = ("operator", "o"), ("policy", "p")
        if self._fold("wallet", account).head(account).version == 0:
            opening = {"player": player, "currency": rules.currency, "kind": rules.kind}
            self.ask("wallet", account, "OpenAccount", operator, **opening)
        self.ask("wallet", account, "DepositFunds", operator, reference=f"d{self._commands}", amount=2 * amount)
        self.ask("table", self.table, "TakeSeat", ("player", player), reservation=sitting, amount=amount)
        reserve = {"reserve": sitting, "sitting": sitting, "table": self.table, "amount": amount}
        self.ask("wallet", account, "ReserveFunds", policy, **reserve)
        self.ask("table", self.table, "ConfirmSeat", policy, reservation=sitting)

    def play(self, hands: int) -> None:
        """Until so many hands are over. Everybody acts at random, within what is offered."""
        target = self.state.hands + hands
        while self.state.hands < target or self.state.hand is not None:
            self.step()

    def step(self) -> None:
        self.now += 7
        hand = self.state.hand
        if hand is None or hand.turn is None:
            due = next_wake(self.state)
            assert due is not None, "nothing moves this table any more"
            self.now = max(self.now, due)
            self.ask("table", self.table, "WakeTable", ("timer", "t"), due=due)
            return
        act, to = self._choice(hand.turn.legal)
        player = hand.players[hand.turn.seat].player
        body = {"hand": hand.number, "seat": hand.turn.seat, "turn": hand.turn.version, "act": act}
        self.ask("table", self.table, "Act", ("player", player), **body, **({"to": to} if to else {}))

    def leave(self, player: str) -> None:
        made = self.ask("table", self.table, "LeaveTable", ("player", player))
        assert made.events

    def settle(self) -> None:
        """What the policy does for every player who left: each leaving comes home once, however often it is asked."""
        for record in self.broker.records(topic("table", "events").name, partition_of(self.table)):
            event = from_record(record.key, record.value, record.headers)
            fact = parse_event(event)
            if isinstance(fact, PlayerLeft | RefundSent):
                [message] = REACTIONS[type(fact)](event, fact)
                who = (message.principal.kind, message.principal.id)
                self.ask("wallet", message.stream, message.type, who, **message.body)

    def _choice(self, legal: Any) -> tuple[str, int | None]:
        dice = self.random.random()
        if dice < 0.15 and not legal.check:
            return "fold", None
        if dice > 0.75 and legal.min_to is not None:
            return ("raise" if legal.call else "bet" if self.state.hand.bet == 0 else "raise"), legal.min_to
        return ("check", None) if legal.check else ("call", None)

    def _fold(self, service: str, stream: str) -> PartitionFold[Any, Any]:
        key = (service, partition_of(stream))
        if key not in self._folds:
            machine = self._machines[service]
            self._folds[key] = PartitionFold(key[1], PARTITIONS, machine.journal_name, machine)
        return self._folds[key]

    def _commit(
        self, service: str, fold: PartitionFold[Any, Any], message: CommandMessage, outcome: Any, offset: int
    ) -> Commit:
        head, stream = fold.head(message.stream), message.stream
        refused = outcome if isinstance(outcome, Rejected) else None
        if refused:
            self.rejections.append(refused)
        machine = self._machines[service]
        sealed = None if refused else outcome.secret
        self._commands += 1
        return Commit(
            stream=stream,
            base=head.version,
            prev=head.prev,
            command_id=message.id.bytes,
            source=f"{service}-commands.1/{fold.partition}",
            command_offset=offset,
            command_time=self.now,
            verdict="rejected" if refused else "accepted",
            reason=refused.reason if refused else None,
            rule=refused.rule if refused else None,
            detail=refused.detail if refused else "",
            events=() if refused else tuple(map(machine.encode_event, outcome.events)),
            writer="test",
            generation=1,
            principal=str(message.principal),
            correlation=message.correlation,
            sealed=machine.seal(stream, head.version, sealed) if sealed is not None else b"",
        )


def played(hands: int = 6, players: int = 4, seed: int = 1) -> PlayedHouse:
    """A house with some hands behind it, one player gone home, and everything settled."""
    house = PlayedHouse(seed=seed)
    house.open(players)
    house.play(hands)
    house.leave("player-2")
    house.settle()
    return house
