"""A history as the house itself would have left it: tables and wallets really decided, on a real broker.

Twelve tables of four at a time, a hand each in turn, two hundred hands a day. After ten hands everybody goes home;
after thirty the table is closed and another one opens. Who sits down is new half the time, and beside each hand
somebody opens an account and never plays. What is over is put by, as in a running house: memory does not grow.

Commands are left out, and private deals but those of the last day: the broker would not hold them any more. So the
house is one that was moved here, whose record says where each journal ended then (ADR 15).
"""

import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.registry import parse_event, wire_name
from libs.contracts.table_events import PlayerLeft
from libs.contracts.topics import TABLE_PRIVATE, topic
from libs.contracts.wallet_commands import account_id
from libs.decider import Given, Rejected
from libs.journal.commit import Commit, digest, encode
from libs.journal.fold import PartitionFold, Step
from libs.journal.log import LogRecord, OutRecord
from libs.journal.manifests import Piece, head_record, piece_record
from libs.journal.publishing import public_events
from libs.journal.shelf import Shelf
from libs.journal.snapshots import manifest_of, shelve, snapshot_of, snapshot_record, woken
from libs.sealing.sealed import Wrapping
from libs.sealing.secret import DataKey
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from services.wallet.machine import wallet_machine
from services.wallet.policies.reactions import REACTIONS
from tests.audit.played import CONFIGURATION, PlayedHouse
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import Raw, SimulatedBroker

TABLES = 12
SEATS = 4
HANDS_A_DAY = 200
HANDS_A_SITTING = 10
HANDS_A_TABLE = 30
DAY_MS = 86_400_000
_PAGE = 2_000
_PIECE = 2_000
_LEFT = wire_name(PlayerLeft)


Timed = tuple[int, OutRecord]
"""Milliseconds since the epoch at which the broker takes it in, and what."""
Send = Callable[[str, Sequence[Timed]], Awaitable[None]]
"""Writes what a service says, in order."""


class Known(msgspec.Struct, frozen=True):
    """What the decider knows of its own commit (journal 7)."""

    digest: bytes
    commit: Commit
    steps: Sequence[Step[Any, Any]]


class Outgoing(SimulatedBroker):
    """Keeps nothing: what lands waits to be sent, and only counts."""

    def __init__(self) -> None:
        super().__init__(PARTITIONS)
        self.waiting: dict[str, list[Timed]] = {"table": [], "wallet": []}
        self.deals: deque[Timed] = deque()
        """Private deals of the last day."""
        self.events = 0
        self.time = 0
        self.ends: dict[tuple[str, int], int] = {}

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        base = self.ends.get((topic, partition), 0)
        _, service, kind, *_ = topic.split(".")
        if kind == "private":
            for key, value, headers in records:
                self.deals.append((self.time, OutRecord(topic, key or b"", value, headers, partition)))
            while self.deals[0][0] < self.time - DAY_MS:
                self.deals.popleft()
            return 0
        self.ends[topic, partition] = base + len(records)
        if kind != "commands":
            for key, value, headers in records:
                self.put(service, OutRecord(topic, key or b"", value, headers, partition))
            self.events += len(records) * (kind == "events")
        return base

    def put(self, service: str, *records: OutRecord) -> None:
        self.waiting[service] += [(self.time, each) for each in records]


class Floor(PlayedHouse):
    """What all tables share: deciders, folds, who has an account; one table at a time is `self.table`."""

    def __init__(self, began: int, keyring: Wrapping, gateway_key: bytes) -> None:
        super().__init__()
        self.broker = self.outgoing = Outgoing()
        self.now = began
        # With entropy of its own: a seed would deal the same decks at each table.
        self._machines = {"table": table_machine(keyring), "wallet": wallet_machine()}
        private = topic("table", "events").name, TABLE_PRIVATE.name, DataKey(gateway_key)
        self._publish["table"] = table_publisher(*private)
        self._shelves: dict[tuple[str, int], Shelf] = {}
        self.random = random.Random(1)
        self.players = 0
        self.away: list[str] = []
        """Who may come again."""

    def newcomer(self) -> str:
        """With an account and money in it."""
        self.players += 1
        player = f"player-{self.players}"
        account = account_id(player, "EUR", "real")
        self.ask("wallet", account, "OpenAccount", ("operator", "o"), player=player, currency="EUR", kind="real")
        self._deposit(account, player)
        return player

    def _deposit(self, account: str, player: str) -> None:
        self.ask("wallet", account, "DepositFunds", ("operator", "o"), reference=f"d{self._commands}", amount=10_000)

    def guest(self) -> str:
        """New half the time."""
        if not self.away or self.random.random() < 0.5:
            return self.newcomer()
        at = self.random.randrange(len(self.away))
        self.away[at], self.away[-1] = self.away[-1], self.away[at]
        player = self.away.pop()
        self._deposit(account_id(player, "EUR", "real"), player)
        return player

    def seat(self, player: str, amount: int) -> None:
        account, policy = account_id(player, "EUR", "real"), ("policy", "p")
        sitting = f"reservation-{command_id_at(self.now, self.table, player)}"
        self.ask("table", self.table, "TakeSeat", ("player", player), reservation=sitting, amount=amount)
        reserve = {"reserve": sitting, "sitting": sitting, "table": self.table, "amount": amount}
        self.ask("wallet", account, "ReserveFunds", policy, **reserve)
        self.ask("table", self.table, "ConfirmSeat", policy, reservation=sitting)

    def ask(self, service: str, stream: str, kind: str, who: tuple[str, str], /, **body: Any) -> Commit:
        """With what the wallet's policy does about it."""
        self.outgoing.time = self.now
        made = self._decided(service, stream, kind, who, body)
        for event in public_events(made):
            if event.type == _LEFT:
                [message] = REACTIONS[PlayerLeft](event, parse_event(event))
                by = (message.principal.kind, message.principal.id)
                self.ask("wallet", message.stream, message.type, by, **message.body)
        self._follow(made)
        return made

    def _decided(self, service: str, stream: str, kind: str, who: tuple[str, str], body: dict[str, Any]) -> Commit:
        """As `PlayedHouse.ask`, but that nothing is decoded and folded again: the decider knows what it made."""
        machine, fold = self._machines[service], self._fold(service, stream)
        principal = Principal(kind=who[0], id=who[1])  # type: ignore[arg-type]
        message = CommandMessage(id=self._command_id(stream), stream=stream, type=kind, principal=principal, body=body)
        command = machine.decode_command(message)
        offset = self.outgoing.land(topic(service, "commands").name, fold.partition, [(stream.encode(), None, ())])
        state = fold.state(stream)
        outcome = machine.decider.decide(state, command, Given(self.now, machine.fresh(state, command), principal))
        assert not isinstance(outcome, Rejected), f"{kind}: {outcome}"
        made = self._commit(service, fold, message, outcome, offset)
        told = zip(made.events, outcome.events, outcome.states, strict=True)
        steps = [Step(made.base + n, name, fact, after) for n, ((name, _), fact, after) in enumerate(told, start=1)]
        raw = encode(made)
        at = self.outgoing.land(journal_of(service), fold.partition, [(stream.encode(), raw, ())])
        folded = fold.fold(LogRecord(at, stream.encode(), raw), Known(digest(raw), made, steps))
        assert folded.valid
        for out in self._publish[service](made, steps):
            self.outgoing.land(out.topic, partition_of(out.key.decode()), [(out.key, out.value, out.headers)])
        return made

    def put_by(self, service: str, stream: str) -> None:
        """Its snapshot goes out, and it leaves memory until somebody asks for it (journal 16)."""
        fold = self._fold(service, stream)
        out = snapshot_record(topic(service, "snapshots").name, fold.partition, snapshot_of(fold, stream))
        self.outgoing.put(service, out)
        assert out.value is not None
        shelve(self._shelves[service, fold.partition], self._machines[service], out.value)
        fold.put_by(stream)

    def rest(self, made: int) -> None:
        """All that is in memory is put by, and manifests say so: nothing is left to be folded at a start."""
        for (service, partition), fold in self._folds.items():
            for stream in list(fold.heads):
                self.put_by(service, stream)
            name, of = topic(service, "snapshots").name, f"made-{made}"
            pieces = list(self._shelves[service, partition].marks(_PIECE))
            manifest = replace(manifest_of(fold, fold.position.next, {}), of=of, pieces=len(pieces))
            told = [piece_record(name, partition, Piece(fold.journal_name, of, n, p)) for n, p in enumerate(pieces)]
            self.outgoing.put(service, *told, head_record(name, partition, manifest))

    def _fold(self, service: str, stream: str) -> PartitionFold[Any, Any]:
        fold = super()._fold(service, stream)
        if fold.asleep is None:
            shelf, machine = Shelf(), self._machines[service]
            self._shelves[service, fold.partition] = shelf
            fold.asleep = lambda wanted: woken(shelf, machine, wanted)
        return fold


class Table:
    """One of those that are open: played at for thirty hands, then closed."""

    def __init__(self, floor: Floor, name: str) -> None:
        self._floor, self.name = floor, name
        self.players: list[str] = []
        self.hands = 0
        opening = {"name": name, "rulebook": "pt-811-2015-omaha", "configuration": CONFIGURATION}
        floor.table = name
        floor.ask("table", name, "OpenTable", ("staff", "s"), **opening)

    def next(self) -> None:
        """A hand, with whoever comes before it and goes after it."""
        floor = self._floor
        floor.table = self.name
        if not self.players:
            self.players = [floor.guest() for _ in range(SEATS)]
            for player in self.players:
                floor.seat(player, 5_000)
        floor.play(1)
        self.hands += 1
        if self.hands % HANDS_A_SITTING == 0:
            self.go_home()

    def go_home(self) -> None:
        floor = self._floor
        floor.table = self.name
        for player in self.players:
            if floor.state.sitter_of(player) is not None:
                floor.ask("table", self.name, "LeaveTable", ("player", player))
            floor.put_by("wallet", account_id(player, "EUR", "real"))
        floor.away += self.players
        self.players = []

    def close(self) -> None:
        self.go_home()
        self._floor.ask("table", self.name, "CloseTable", ("staff", "s"), reason="its time is over")
        self._floor.put_by("table", self.name)


class History:
    """Goes on from where it is; `until` may be asked for more and more events."""

    def __init__(self, send: Send, began: int, keyring: Wrapping, gateway_key: bytes) -> None:
        self._send_out = send
        self._began = began
        self._floor = Floor(began, keyring, gateway_key)
        self._outgoing = self._floor.outgoing
        self._open: deque[Table] = deque()
        self._rests = 0
        self.tables = 0
        self.hands = 0

    @property
    def events(self) -> int:
        return self._outgoing.events

    @property
    def players(self) -> int:
        return self._floor.players

    async def until(self, events: int) -> int:
        """Plays on until there are so many public events, then everybody goes home; how many there are."""
        while self.events < events:
            await self.play()
        await self.close()
        return self.events

    async def play(self) -> None:
        """One hand, at the table whose turn it is."""
        floor = self._floor
        floor.now = max(floor.now, self._began + self.hands * DAY_MS // HANDS_A_DAY)
        while len(self._open) < TABLES:
            self.tables += 1
            self._open.append(Table(floor, f"table-{self.tables}"))
        table = self._open.popleft()
        table.next()
        self.hands += 1
        if table.hands < HANDS_A_TABLE:
            self._open.append(table)
        else:
            table.close()
        floor.put_by("wallet", account_id(floor.newcomer(), "EUR", "real"))
        await self._send(_PAGE)

    async def close(self) -> None:
        """The house stands still with nobody in it."""
        while self._open:
            self._open.popleft().close()
        self._rests += 1
        self._floor.rest(self._rests)
        self._outgoing.waiting["table"] += self._outgoing.deals
        self._outgoing.deals.clear()
        await self._send(1)

    def carried(self, service: str) -> tuple[int, ...]:
        """Where each partition of its journal ends."""
        name = journal_of(service)
        return tuple(self._outgoing.ends.get((name, partition), 0) for partition in range(PARTITIONS))

    def ends(self, service: str) -> dict[int, int]:
        """The same of its public events."""
        name = topic(service, "events").name
        return {partition: self._outgoing.ends.get((name, partition), 0) for partition in range(PARTITIONS)}

    async def _send(self, at_least: int) -> None:
        for service, records in self._outgoing.waiting.items():
            if len(records) >= at_least:
                self._outgoing.waiting[service] = []
                await self._send_out(service, records)


def journal_of(service: str) -> str:
    return topic(service, "journal").name
