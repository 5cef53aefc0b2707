"""What carries a tournament: processes that decide, policies that hear them, commands under way, and their faults.

Order is the log's: what one sender asks of one stream arrives as it was sent, and repetitions come behind.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TOURNAMENT_COMMANDS, ALL_WALLET_COMMANDS
from libs.journal.deciding import Deciding
from libs.journal.fold import AnyFold, PartitionFold, Step
from libs.journal.lane import Flight, Lane, Open
from libs.journal.log import LogRecord
from libs.journal.machine import AnyMachine
from libs.journal.publishing import public_events
from libs.journal.timers import Timers, Wake
from libs.policies import Reactions
from tests.simulation.violations import ensure
from tests.testkit.partitions import PARTITIONS, partition_of

_READ_AGAIN = 8
"""So many records at most are read once more by who comes back: offsets are committed now and then."""
_SNAPSHOT_FROM = 2_000
"""Commits from which on a process is restored from a snapshot; below it, at times from the journal alone."""
_RETRY_MS = 1_000
_SERVICES = {
    kind.__name__: kind.service for kind in (*ALL_TABLE_COMMANDS, *ALL_TOURNAMENT_COMMANDS, *ALL_WALLET_COMMANDS)
}


@dataclass(frozen=True, slots=True)
class Faults:
    """Chances and lengths; milliseconds of virtual time."""

    delay_ms: int = 0
    """The longest that a record is under way, mostly much less."""
    lost: float = 0.0
    """Of what people and timers send; policies read again what they can't send."""
    doubled: float = 0.0
    crash: float = 0.0
    """That a policy dies over an event, and comes back with some it has handled before."""
    kill_every_ms: int = 0
    """Between two ends of a deciding process; 0: none ends."""
    longest_outage_ms: int = 0
    skew_ms: int = 0
    """How far a process's clock may be off."""


@dataclass(frozen=True, slots=True)
class Part:
    """A service as it is wired: what decides, and what wakes it."""

    machine: AnyMachine
    wake: Wake | None = None
    due: Callable[[Any], int | None] = lambda state: None
    moved_at: Callable[[Any], int | None] = lambda state: None


Watch = Callable[[str, Step[Any, Any]], None]
"""Is shown each event of a stream and the state behind it, as it is decided."""


class Process:
    """One partition of one service: what it has folded is gone when it dies, the journal stays."""

    def __init__(self, rails: "Rails", part: Part, partition: int) -> None:
        self.rails, self.part, self.partition = rails, part, partition
        self.journal: list[LogRecord] = []
        self.readers: list[Reader] = []
        self.up_at = 0
        """Until then it is away; milliseconds."""
        self._landed: list[tuple[int, CommandMessage]] = []
        """With the log's time."""
        self._read = 0
        self._begin(self._folded())

    def land(self, message: CommandMessage) -> None:
        self._landed.append((self.rails.now, message))
        self.work()

    def work(self) -> None:
        while self._read < len(self._landed) and not self.is_down:
            offset, self._read = self._read, self._read + 1
            self._decide(offset, *self._landed[offset])

    @property
    def name(self) -> str:
        return self.part.machine.source_name(self.partition)

    @property
    def is_down(self) -> bool:
        return self.rails.now < self.up_at

    def state(self, stream: str) -> Any:
        return self.fold.state(stream)

    def kill(self, outage_ms: int) -> None:
        self.up_at = self.rails.now + outage_ms
        self.rails.after(outage_ms, self._come_back)

    def _come_back(self) -> None:
        """From the journal, or a snapshot of all but nothing: what comes of it is what was there."""
        lost, luck = self.fold, self.rails.luck
        fold = self._folded()
        if len(self.journal) > _SNAPSHOT_FROM or luck.random() < 0.5:
            machine = self.part.machine
            fold.heads, fold.position = deepcopy(lost.heads), lost.position
            fold.states = {
                name: machine.decode_state(name, machine.encode_state(name, each)) for name, each in lost.states.items()
            }
        else:
            for record in self.journal:
                ensure(fold.fold(record).valid, "chain_intact", f"{self.name}: {record.offset}")
        ensure(fold.states == lost.states, "rebuilt_is_the_same", self.name)
        self._read = max(0, self._read - luck.randint(0, _READ_AGAIN))
        self._begin(fold)
        for name in sorted(fold.states):
            self._plan(name)
        self.work()

    def rebuilt(self) -> dict[str, Any]:
        """Every stream's state from the bytes of the journal alone."""
        fold = self._folded()
        for record in self.journal:
            fold.fold(record)
        return fold.states

    def _folded(self) -> AnyFold:
        return PartitionFold(self.partition, PARTITIONS, self.part.machine.journal_name, self.part.machine)

    def _begin(self, fold: AnyFold) -> None:
        skew = self.rails.faults.skew_ms
        self.fold = fold
        self._off = self.rails.luck.randint(-skew, skew)
        self._deciding = Deciding(self.part.machine, fold, "w", 0)
        self._wakes: list[CommandMessage] = []
        self._timers = Timers(self._wakes.append, self._clock, self.part.wake) if self.part.wake else None

    def _clock(self) -> int:
        return self.rails.now + self._off

    def _decide(self, offset: int, time: int, message: CommandMessage) -> None:
        command = self.part.machine.decode_command(message)
        asked = Open(message.id.bytes, offset, time, message, command, "", 0.0)
        flight = self._deciding.weigh(Lane(message.stream), asked)
        if not isinstance(flight, Flight):
            self.rails.seen[getattr(flight, "reason", "repeated")] += 1
            return
        if flight.commit.verdict == "rejected":
            self.rails.refuse(message, flight.commit.reason or "")
        self.journal.append(LogRecord(len(self.journal), message.stream.encode(), flight.raw))
        self.fold.fold(self.journal[-1], flight)
        for event, step in zip(public_events(flight.commit), flight.steps, strict=True):
            self.rails.tell(message.stream, step)
            for reader in self.readers:
                reader.hear(event, step.event)
        self._plan(message.stream)

    def _plan(self, stream: str) -> None:
        if self._timers is None:
            return
        state = self.fold.state(stream)
        due, moved = self.part.due(state), self.part.moved_at(state)
        self._timers.plan(stream, self.fold.head(stream).version, due, moved)
        if due is not None:
            self.rails.at(max(due - self._off, self.rails.now), self._ring)
        self._ring()

    def _ring(self) -> None:
        if self.is_down or self._timers is None:
            return
        self._timers.ring()
        wakes, self._wakes[:] = list(self._wakes), []
        for wake in wakes:
            self.rails.send(wake)
        if wakes:
            self.rails.after(_RETRY_MS, self._ring)


class Reader:
    """A policy on one partition of a service's events; at least once, in their order."""

    def __init__(self, rails: "Rails", reactions: Reactions) -> None:
        self._rails, self._reactions = rails, reactions
        self._events: list[tuple[PublicEvent, Fact]] = []
        self._position = 0
        self._waits = False
        self._landing = 0

    def hear(self, event: PublicEvent, fact: Fact) -> None:
        if type(fact) in self._reactions:
            self._events.append((event, fact))
            self._wake(self._rails.way())

    def _wake(self, after_ms: int) -> None:
        if not self._waits:
            self._waits = True
            self._rails.after(after_ms, self._go_on)

    def _go_on(self) -> None:
        self._waits = False
        if self._position == len(self._events):
            return
        rails, (event, fact) = self._rails, self._events[self._position]
        messages = self._reactions[type(fact)](event, fact)
        if rails.happens(rails.faults.crash, "policy crashed"):
            self._send(messages[: rails.luck.randint(0, len(messages))])
            self._position = max(0, self._position - rails.luck.randint(0, _READ_AGAIN))
            self._wake(rails.luck.randint(100, 8_000))
            return
        self._send(messages)
        self._position += 1
        self._wake(rails.way())

    def _send(self, messages: Sequence[CommandMessage]) -> None:
        for message in messages:
            self._landing = max(self._landing, self._rails.now + self._rails.way())
            self._rails.send(message, self._landing)


class Rails:
    """`now`: milliseconds since the epoch, everybody's but for the skew of a process's clock."""

    def __init__(self, luck: Random, faults: Faults, now: int, parts: dict[str, Part], watch: Watch) -> None:
        self.luck, self.faults, self.now, self.tell = luck, faults, now, watch
        self.healed = False
        self.fired: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        """What was not decided, by why."""
        self.refused: Counter[tuple[str, str]] = Counter()
        """By command and reason; what policies asked."""
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self.processes = {
            (name, partition): Process(self, part, partition)
            for name, part in parts.items()
            for partition in range(PARTITIONS)
        }

    def listen(self, service: str, reactions: Reactions) -> None:
        for partition in range(PARTITIONS):
            self.processes[service, partition].readers.append(Reader(self, reactions))

    def owner(self, service: str, stream: str) -> Process:
        return self.processes[service, partition_of(stream)]

    def state(self, service: str, stream: str) -> Any:
        return self.owner(service, stream).state(stream)

    def at(self, time: int, do: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._queue, (time, self._count, do))

    def after(self, ms: int, do: Callable[[], None]) -> None:
        self.at(self.now + ms, do)

    def step(self) -> bool:
        """The next thing happens; False: nothing is under way and nothing due."""
        if not self._queue:
            return False
        time, _, do = heapq.heappop(self._queue)
        self.now = max(self.now, time)
        do()
        return True

    def way(self) -> int:
        """How long a record is under way, milliseconds."""
        if self.healed or self.luck.random() > 0.05:
            return self.luck.randint(0, 3)
        return self.luck.randint(0, self.faults.delay_ms)

    def happens(self, chance: float, what: str) -> bool:
        if self.healed or self.luck.random() >= chance:
            return False
        self.fired[what] += 1
        return True

    def send(self, message: CommandMessage, at: int | None = None) -> None:
        """`at`: of a policy, which sends again what is lost; else it may be."""
        process = self.owner(_SERVICES[message.type], message.stream)
        if at is None and self.happens(self.faults.lost, "lost"):
            return
        at = self.now + self.way() if at is None else at
        self.at(at, lambda: process.land(message))
        if self.happens(self.faults.doubled, "doubled"):
            self.at(at + self.luck.randint(0, 30_000), lambda: process.land(message))

    def refuse(self, message: CommandMessage, reason: str) -> None:
        if message.principal.kind in ("policy", "tournament"):
            self.refused[message.type, reason] += 1

    def kill_one(self) -> None:
        """Any process that has something to lose, for a while; and then another one."""
        if self.healed or not self.faults.kill_every_ms:
            return
        alive = [each for each in self.processes.values() if each.journal and not each.is_down]
        if alive:
            process = self.luck.choice(alive)
            self.fired[f"{process.part.machine.service} killed"] += 1
            process.kill(self.luck.randint(50, self.faults.longest_outage_ms))
        self.after(1 + int(self.luck.expovariate(1 / self.faults.kill_every_ms)), self.kill_one)
