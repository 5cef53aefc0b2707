"""One seed: what happens to which process when, and what the clients send meanwhile."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

from libs.contracts.messages import CommandMessage, Principal
from libs.journal.commit import Commit
from libs.journal.log import LogRecord, LogUnavailable
from libs.journal.mark_keys import POSITIONS
from libs.journal.marks import MarkKey, Marks
from libs.journal.runner import Hooks, Pace, PartitionRunner, Superseded
from libs.journal.seals import Seals
from libs.sealing.secret import SecretBytes
from tests.journal.bank import EVENTS, PLAYER, bank, message, publish
from tests.journal.bank import NAMES as BANK_NAMES
from tests.testkit.disks import Disks
from tests.testkit.forging import Forger, Mover
from tests.testkit.insider import Insider
from tests.testkit.partitions import partition_of
from tests.testkit.process import Process
from tests.testkit.simulated import PostLost, SimulatedBroker, SimulatedSource
from tests.testkit.storm import Churn, Storm
from tests.testkit.weather import Climate, Sky, Weather

PARTITIONS = 2
NAMES = replace(BANK_NAMES, partitions=PARTITIONS)
GROUP = "bank"
EPOCH_MS = 1_700_000_000_000
POLICY = Principal("policy", "bank.news")
PEOPLE = (PLAYER, Principal("player", "p2"), Principal("player", "guest-1"), Principal("staff", "ana"), POLICY)
"""The first sends as much as all others together."""
TIMER = Principal("timer", "bank")
PACE = Pace(
    snapshot_commits=6,
    snapshot_s=1.0,
    snapshot_streams=2,
    manifest_streams=1,
    idle_s=1.5,
    slice_streams=1,
    behind=40,
    open_commands=50,
    page=10,
    depth=3,
    patience_s=2.0,
    offsets_every_s=0.2,
    longest_pause_s=0.5,
    replay_every=1,
)
_WRITTEN = (NAMES.journal, NAMES.snapshots, NAMES.replies, NAMES.parked, EVENTS)
_KEYS = [
    *(MarkKey(topic, "bank", 1, SecretBytes(sha256(topic.encode()).digest())) for topic in (*_WRITTEN, POSITIONS)),
    *(MarkKey(NAMES.commands, writer, 1, SecretBytes(writer.encode())) for writer in ("bank", "gateway")),
]
BANK_MARKS, CLIENT_MARKS = Marks("bank", _KEYS), Marks("gateway", _KEYS)
SEALS = Seals(Marks("bank", [MarkKey(NAMES.snapshots, "bank", 1, SecretBytes(b"of the bank alone"))]))
STREAMS = tuple(f"account-{n}" for n in range(6))


@dataclass(frozen=True)
class Plan:
    """Sizes of one seed."""

    seconds: float = 20.0
    """Virtual time with faults."""
    commands: int = 60
    horizon_ms: int = 25_000
    ring_cap: int = 200
    snapshot_bytes: int = PACE.snapshot_bytes
    part_bytes: int = PACE.part_bytes


class Owner(Process):
    """One owner of one partition: a runner, its follower with it."""

    def __init__(self, world: "World", partition: int, number: int) -> None:
        weather = Weather(world.sky, Random(world.random.random()), Climate())
        super().__init__(world.broker, weather, BANK_MARKS)
        self.world = world
        self.partition = partition
        self.luck = Random(world.random.random())
        self.number = number
        self.start(self._run_runner())

    async def _run_runner(self) -> None:
        while True:
            try:
                await self._runner().run()
            except (LogUnavailable, PostLost):
                await asyncio.sleep(0.05)
            except Superseded:
                return

    def _runner(self) -> PartitionRunner:
        world = self.world
        return PartitionRunner(
            replace(world.machine, fresh=lambda state, command: self.luck.randrange(1000)),
            self.log,
            SimulatedSource(self.log, GROUP, NAMES.commands, self.partition),
            NAMES,
            self.partition,
            publish,
            writer=f"w{self.number}",
            generation=self.number if world.hint else 0,
            hooks=Hooks(on_fold=world.new_witness()),
            shelf=world.disks.any(),
            pace=replace(PACE, snapshot_bytes=world.plan.snapshot_bytes, part_bytes=world.plan.part_bytes),
        )


@dataclass
class World:
    seed: int
    plan: Plan = field(default_factory=Plan)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.wobble = Random(-self.seed - 1)
        bare = bank(horizon_ms=self.plan.horizon_ms, ring_cap=self.plan.ring_cap)
        self.machine = replace(bare, rests=lambda account: account.moves % 3 > 0, seals=SEALS)
        self.hint = self.random.random() < 0.3
        self.broker = SimulatedBroker(PARTITIONS, self._log_time)
        self.sky = Sky()
        self.disks = Disks(Random(f"disks {self.seed}"), self.sky.fired)
        self.storm = Storm(self.sky, self.random, Churn())
        self.sent: list[CommandMessage] = []
        """Every command record, repetitions included, in the order of sending."""
        self.late: list[CommandMessage] = []
        """Those sent after healing: each must be decided."""
        self.garbage: list[bytes] = []
        self.folds: list[list[Commit]] = []
        """What each runner that ever ran took for valid, in order."""
        self.checkpoints: list[tuple[int, list[LogRecord | None]]] = []
        """(partition, snapshots topic) at random moments: a reader may start from each."""
        self._count = 0

    def _now_ms(self) -> int:
        return EPOCH_MS + int(asyncio.get_running_loop().time() * 1000)

    def _log_time(self) -> int:
        """A new leader's clock may be behind the last one's."""
        return self._now_ms() - (self.wobble.randrange(800) if self.wobble.random() < 0.1 else 0)

    def new_witness(self) -> Callable[[str, object, Commit], None]:
        """Remembers what one runner took for valid."""
        seen: list[Commit] = []
        self.folds.append(seen)
        return lambda stream, state, commit: seen.append(commit)

    async def run(self) -> None:
        """Faults, then healing, until every command is answered and every event is public."""
        stormy = [
            asyncio.create_task(self.storm.own(partial(self._start, partition))) for partition in range(PARTITIONS)
        ]
        stormy.append(asyncio.create_task(self._clients()))
        stormy.append(asyncio.create_task(self._compaction()))
        stormy.append(asyncio.create_task(self._forging()))
        if self.seed % 3 == 0:
            mover = Mover(self.broker, Random(f"positions {self.seed}"))
            stormy.append(asyncio.create_task(mover.run(every_s=0.7)))
        await asyncio.sleep(self.plan.seconds)
        for task in stormy:
            task.cancel()
        await self._heal()

    def _start(self, partition: int) -> Owner:
        self._count += 1
        return Owner(self, partition, self._count)

    async def _clients(self) -> None:
        random = self.random
        for number in range(self.plan.commands):
            await asyncio.sleep(random.expovariate(self.plan.commands / self.plan.seconds * 1.3))
            stream = random.choice(STREAMS)
            for burst in range(random.choice([1, 1, 1, 2, 6])):
                self._send(self._command(stream, f"{number}.{burst}"))
            if random.random() < 0.25 and self.sent:
                self._send(random.choice(self.sent[-8:]))
            if random.random() < 0.15:
                again = random.choice(self.sent)
                asyncio.get_running_loop().call_later(random.uniform(0.0, 40.0), self._send, again)
            if random.random() < 0.05:
                self._send_garbage(number)

    def _command(self, stream: str, nonce: str, by: Principal | None = None) -> CommandMessage:
        kind = self.random.choices(["Deposit", "Withdraw", "Gamble", "Look", "Explode"], [4, 4, 6, 1, 0.3])[0]
        body: dict[str, Any] = (
            {"amount": self.random.randint(1, 30)} if kind in ("Deposit", "Withdraw", "Gamble") else {}
        )
        asks = by or self.random.choices(PEOPLE, [3, 1, 1, 1, 1])[0]
        return message(stream, kind, self._now_ms(), nonce, asks, **body)

    def _send(self, command: CommandMessage) -> None:
        self.sent.append(command)
        partition = partition_of(command.stream, PARTITIONS)
        value = command.encoded()
        writer = BANK_MARKS if command.principal in (TIMER, POLICY) else CLIENT_MARKS
        self._land(writer, NAMES.commands, partition, command.stream.encode(), value)

    def _send_garbage(self, number: int) -> None:
        partition = self.random.randrange(PARTITIONS)
        if self.random.random() < 0.5:
            self._land(BANK_MARKS, NAMES.journal, partition, b"x", b"\x07garbage")
            return
        garbage = b"garbage %d" % number
        self.garbage.append(garbage)
        self._land(CLIENT_MARKS, NAMES.commands, partition, b"x", garbage)

    def _land(self, marks: Marks, topic: str, partition: int, key: bytes, value: bytes) -> None:
        self.broker.land(topic, partition, [(key, value, marks.marked((topic, partition), key, value, ()))])

    async def _forging(self) -> None:
        """Somebody reaches the broker, and has no key; in every third seed the bank's marks, and no seal."""
        dice = Random(self.wobble.random())
        self.forger = Forger(self.broker, dice, [*_WRITTEN, NAMES.commands])
        self.insider = Insider(self.broker, dice, BANK_MARKS)
        while True:
            await asyncio.sleep(dice.expovariate(2.0))
            if self.seed % 3 == 0 and dice.random() < 0.5:
                self.insider.strike(NAMES.snapshots, dice.randrange(PARTITIONS))
            else:
                self.forger.strike()

    async def _compaction(self) -> None:
        while True:
            await asyncio.sleep(self.random.expovariate(0.3))
            partition = self.random.randrange(PARTITIONS)
            if self.random.random() < 0.5:
                self.broker.compact(NAMES.snapshots, partition)
            self.checkpoints.append((partition, list(self.broker.partition(NAMES.snapshots, partition).slots)))

    async def _heal(self) -> None:
        """Zombies wake up with a whole network once more; then only one owner of each partition is left."""
        self.sky.healed = True
        self.storm.awake()
        await asyncio.sleep(1.0)
        self.storm.end()
        owners = [self.storm.adopt(self._start(partition)) for partition in range(PARTITIONS)]
        await asyncio.sleep(1.0)
        for number, stream in enumerate(STREAMS):
            command = self._command(stream, f"late{number}", TIMER)
            self.late.append(command)
            self._send(command)
        await asyncio.sleep(200.0)  # everything that was delayed has landed, and policies have found room
        for owner in owners:
            owner.check()
