"""One seed: what happens to which process when, and what the clients send meanwhile."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from libs.contracts.messages import CommandMessage
from libs.contracts.topics import partition_of
from libs.journal.commit import Commit
from libs.journal.follower import Follower, FollowerPace
from libs.journal.log import LogRecord, LogUnavailable
from libs.journal.runner import Hooks, Pace, PartitionRunner, Superseded
from libs.journal.simulated import Fate, Faults, Gate, SimulatedBroker, SimulatedLog, SimulatedSource
from tests.journal.bank import NAMES as BANK_NAMES
from tests.journal.bank import bank, message, publish

PARTITIONS = 2
NAMES = replace(BANK_NAMES, partitions=PARTITIONS)
GROUP = "bank"
EPOCH_MS = 1_700_000_000_000
PACE = Pace(open_commands=50, page=10, depth=3, patience_s=2.0, offsets_every_s=0.2, longest_pause_s=0.5)
FOLLOWER_PACE = FollowerPace(snapshot_commits=6, snapshot_s=1.0, patience_s=2.0, longest_pause_s=0.5)
STREAMS = tuple(f"account-{n}" for n in range(6))


@dataclass(frozen=True)
class Plan:
    """Sizes of one seed."""

    seconds: float = 20.0
    """Virtual time with faults."""
    commands: int = 60
    horizon_ms: int = 25_000


class Weather(Faults):
    """Faults of one process's network; `clear` ends them for everybody."""

    def __init__(self, world: "World", random: Random) -> None:
        self.world = world
        self.random = random
        self.speed = random.choice([0.3, 1.0, 1.0, 4.0])

    def append(self, topic: str, partition: int) -> Fate:
        if self.world.healed:
            return Fate(before_s=0.001)
        roll = self.random.random
        return Fate(
            lost=roll() < 0.03,
            before_s=self._delay(0.05, 30.0),
            after_s=self._delay(0.03, 5.0),
            answer_lost=roll() < 0.04,
            place_unknown=roll() < 0.06,
            lands_twice=roll() < 0.03,
        )

    def publish(self, topic: str) -> Fate:
        if self.world.healed:
            return Fate(before_s=0.001)
        roll = self.random.random
        return Fate(
            lost=roll() < 0.02,
            before_s=self._delay(0.03, 8.0),
            after_s=self._delay(0.02, 4.0),
            answer_lost=roll() < 0.02,
        )

    def read(self, topic: str, partition: int) -> Fate:
        if self.world.healed:
            return Fate(before_s=0.001)
        return Fate(before_s=self._delay(0.02, 3.0), lost=self.random.random() < 0.01)

    def _delay(self, rarely: float, longest: float) -> float:
        usual = self.random.uniform(0.0005, 0.004) * self.speed
        return usual if self.random.random() > rarely else self.random.uniform(0.3, longest)


class Process:
    """One owner of one partition: runner and follower, which may sleep, wake as a zombie, or die at any await."""

    def __init__(self, world: "World", partition: int, number: int) -> None:
        self.world = world
        self.partition = partition
        self.gate = Gate()
        weather = Weather(world, Random(world.random.random()))
        log = SimulatedLog(world.broker, weather, self.gate)
        self.luck = Random(world.random.random())
        self.log = log
        self.number = number
        follower = Follower(world.machine, log, NAMES, partition, publish, pace=FOLLOWER_PACE)
        self.tasks = [
            asyncio.create_task(self._run_runner()),
            asyncio.create_task(follower.run()),
        ]

    async def _run_runner(self) -> None:
        while True:
            try:
                await self._runner().run()
            except LogUnavailable:
                await asyncio.sleep(0.05)
            except Superseded:
                return

    def _runner(self) -> PartitionRunner:
        world = self.world
        return PartitionRunner(
            replace(world.machine, fresh=lambda command: self.luck.randrange(1000)),
            self.log,
            SimulatedSource(self.log, GROUP, NAMES.commands, self.partition),
            NAMES,
            self.partition,
            writer=f"w{self.number}",
            generation=self.number if world.hint else 0,
            hooks=Hooks(on_fold=world.new_witness()),
            pace=PACE,
        )

    def kill(self) -> None:
        self.gate.kill()
        for task in self.tasks:
            task.cancel()

    def check(self) -> None:
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                raise task.exception()


@dataclass
class World:
    seed: int
    plan: Plan = field(default_factory=Plan)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.wobble = Random(-self.seed - 1)
        self.machine = bank(horizon_ms=self.plan.horizon_ms, ring_cap=200)
        self.hint = self.random.random() < 0.3
        self.broker = SimulatedBroker(PARTITIONS, self._log_time)
        self.healed = False
        self.sent: list[CommandMessage] = []
        """Every command record, repetitions included, in the order of sending."""
        self.late: list[CommandMessage] = []
        """Those sent after healing: each must be decided."""
        self.garbage: list[bytes] = []
        self.folds: list[list[Commit]] = []
        """What each runner that ever ran took for valid, in order."""
        self.checkpoints: list[tuple[int, list[LogRecord | None]]] = []
        """(partition, snapshots topic) at random moments: a reader may start from each."""
        self.processes: list[Process] = []
        self._count = 0
        self._fates: list[asyncio.Task[None]] = []

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
        stormy = [asyncio.create_task(self._own(partition)) for partition in range(PARTITIONS)]
        stormy.append(asyncio.create_task(self._clients()))
        stormy.append(asyncio.create_task(self._compaction()))
        await asyncio.sleep(self.plan.seconds)
        for task in stormy:
            task.cancel()
        await self._heal()

    async def _own(self, partition: int) -> None:
        """Ownership of one partition: a new owner about every two seconds, the old one dead, asleep or still alive."""
        random = self.random
        owner = self._start(partition)
        while True:
            await asyncio.sleep(random.expovariate(0.5))
            fate = random.choice(["crash", "sleep", "live", "nap"])
            if fate == "nap":
                self._later(self._sleep(owner, random.uniform(0.1, 3.0), None))
                continue
            if fate == "crash":
                owner.kill()
            elif fate == "sleep":
                self._later(self._sleep(owner, random.uniform(1.0, 30.0), random.uniform(0.5, 5.0)))
            else:
                self._later(self._sleep(owner, 0.0, random.uniform(0.1, 8.0)))
            if random.random() < 0.3:
                await asyncio.sleep(random.uniform(0.0, 2.0))
            owner = self._start(partition)

    def _later(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._fates.append(asyncio.create_task(coroutine))

    async def _sleep(self, process: Process, seconds: float, then_lives: float | None) -> None:
        process.gate.hold()
        await asyncio.sleep(seconds)
        if process.gate.dead:
            return
        process.gate.release()
        if then_lives is not None:
            await asyncio.sleep(then_lives)
            process.kill()

    def _start(self, partition: int) -> Process:
        self._count += 1
        process = Process(self, partition, self._count)
        self.processes.append(process)
        return process

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

    def _command(self, stream: str, nonce: str) -> CommandMessage:
        kind = self.random.choices(["Deposit", "Withdraw", "Gamble", "Look", "Explode"], [4, 4, 6, 1, 0.3])[0]
        body = {"amount": self.random.randint(1, 30)} if kind in ("Deposit", "Withdraw", "Gamble") else {}
        return message(stream, kind, self._now_ms(), nonce, **body)

    def _send(self, command: CommandMessage) -> None:
        self.sent.append(command)
        partition = partition_of(command.stream, PARTITIONS)
        value = command.model_dump_json().encode()
        self.broker.land(NAMES.commands, partition, [(command.stream.encode(), value, ())])

    def _send_garbage(self, number: int) -> None:
        partition = self.random.randrange(PARTITIONS)
        if self.random.random() < 0.5:
            self.broker.land(NAMES.journal, partition, [(b"x", b"\x07garbage", ())])
            return
        garbage = b"garbage %d" % number
        self.garbage.append(garbage)
        self.broker.land(NAMES.commands, partition, [(b"x", garbage, ())])

    async def _compaction(self) -> None:
        while True:
            await asyncio.sleep(self.random.expovariate(0.3))
            partition = self.random.randrange(PARTITIONS)
            if self.random.random() < 0.5:
                self.broker.compact(NAMES.snapshots, partition)
            self.checkpoints.append((partition, list(self.broker.partition(NAMES.snapshots, partition).slots)))

    async def _heal(self) -> None:
        """Zombies wake up with a whole network once more; then only one owner of each partition is left."""
        self.healed = True
        for process in self.processes:
            if not process.gate.dead:
                process.gate.release()
        await asyncio.sleep(1.0)
        for process in self.processes:
            process.check()
            process.kill()
        for partition in range(PARTITIONS):
            self._start(partition)
        await asyncio.sleep(1.0)
        for number, stream in enumerate(STREAMS):
            command = self._command(stream, f"late{number}")
            self.late.append(command)
            self._send(command)
        await asyncio.sleep(45.0)  # everything that was delayed has landed by now
        for process in self.processes:
            if not process.gate.dead:
                process.check()
