"""The house: starts each kind of process as its service's wiring does, on a log and a clock of its own."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import WakeTable
from libs.decider import Decided, Given, Rejected, Standstill
from libs.journal.mark_keys import Plan, marks_of
from libs.journal.marks import Marks
from libs.journal.runner import Hooks
from libs.journal.timers import WakeLine
from libs.projecting import Projector
from libs.sealing.deck import ShuffledCards
from libs.sealing.secret import DataKey
from libs.sealing.shuffle import ShoeShuffle, Shuffle, Shuffler
from services.table.domain.games.game import Fresh
from services.table.domain.table.decide import TableDecider
from services.table.domain.table.state import Table
from services.table.domain.table.waking import moved_at, next_wake
from services.table.machine import table_machine
from services.table.policies.reactions import TO_WALLET
from services.table.publishing import table_publisher
from services.wallet.machine import wallet_machine
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.reactions import REACTIONS
from services.wallet.projections import BOOKS
from services.wallet.publishing import wallet_publisher
from tests.simulation.checks import readers
from tests.simulation.parts.decider import Post, work
from tests.simulation.parts.gateway import GatewayProcess
from tests.simulation.parts.policies import PolicyReader
from tests.simulation.parts.projecting import MemoryStore, TopicsSource
from tests.simulation.plan import accounts_in, tables_in
from tests.simulation.topics import PRIVATE, TABLE, TABLE_EVENTS, WALLET, WALLET_EVENTS, now_of
from tests.simulation.witness import KEYRING, SEALS
from tests.testkit.marks import ROOT, Remembered
from tests.testkit.process import Process
from tests.testkit.weather import Weather

if TYPE_CHECKING:
    from tests.simulation.world import World

GATEWAY_KEY = bytes(range(100, 132))
_PATIENCE_S = 2.0
Role = Literal["table", "wallet", "gateway"]
MARKS: dict[Role, Marks] = {role: marks_of(role, ROOT, Plan()) for role in get_args(Role)}
"""Each process has the keys of its role, and no other."""


class SteppingClock:
    """A process's own clock: off by something, and by something else from one moment to the next."""

    def __init__(self, true: Callable[[], int], random: Random, skew_ms: int) -> None:
        self._true = true
        self._random = random
        self._skew_ms = skew_ms
        self._off = random.randint(-skew_ms, skew_ms)

    def __call__(self) -> int:
        return self._true() + self._off

    def jump(self) -> None:
        self._off = self._random.randint(-self._skew_ms, self._skew_ms)

    def mend(self) -> None:
        self._off = self._skew_ms = 0


class KnownShuffler(Shuffler):
    """The product's shuffler; what decides again gets to know every deck and shoe that it ever drew."""

    def __init__(self, source: Callable[[int], bytes], known: "dict[ShuffledCards, Fresh]") -> None:
        super().__init__(source)
        self._known = known

    def shuffle(self) -> Shuffle:
        drawn = super().shuffle()
        self._known[drawn.deck] = drawn
        return drawn

    def shoe(self, decks: int) -> ShoeShuffle:
        drawn = super().shoe(decks)
        self._known[drawn.shoe] = drawn
        return drawn


class KnowsOfStandstills(TableDecider):
    """The product's; what decides again gets to know what this writer knew."""

    def __init__(self, writer: str, known: dict[tuple[str, str, int, int], Standstill]) -> None:
        self._writer = writer
        self._known = known

    def decide(self, state: Table, command: TableCommand, given: Given[Any]) -> Decided[Table, TableEvent] | Rejected:
        if given.stood is not None:
            self._known[self._writer, state.table, state.version, given.now] = given.stood
        return super().decide(state, command, given)


class House:
    def __init__(self, world: "World") -> None:
        self.world = world
        self.clocks: list[SteppingClock] = []
        self.gateways: list[GatewayProcess] = []
        self._count = 0
        self._marks = {role: Remembered(marks) for role, marks in MARKS.items()}
        self._table_publish = table_publisher(TABLE_EVENTS, PRIVATE, DataKey(GATEWAY_KEY))
        self._wallet_publish = wallet_publisher(WALLET_EVENTS)

    def posts(self) -> list[Callable[[], Process]]:
        """What has to be owned: one starter for each."""
        return [
            *(lambda p=p: self.table(p) for p in self._tables_in),
            *(lambda p=p: self.wallet(p) for p in self._accounts_in),
            *(lambda p=p: self.wallet_policies(p) for p in self._tables_in),
            self.table_policies,
            self.own_policies,
            self.projector,
            self.gateway,
        ]

    @property
    def _tables_in(self) -> list[int]:
        return tables_in(self.world.broker.partitions)

    @property
    def _accounts_in(self) -> list[int]:
        return accounts_in(self.world.broker.partitions)

    def table(self, partition: int) -> Process:
        """Runner, follower, and what wakes the tables."""
        process, plan = self._process("table"), self.world.plan
        wakes = WakeLine(
            process.log,
            TABLE.commands,
            self.world.broker.partitions,
            self._clock(),
            WakeTable,
            next_wake,
            moved_at,
            patience_s=_PATIENCE_S,
        )
        agrees = readers.same_deck(self.world.witness.truth, self.world.witness.canaries)

        def on_state(table: str, state: Any, version: int) -> None:
            agrees(table, state, version)
            wakes.plan(table, state, version)

        machine = plan.limited(table_machine(KEYRING, self._shuffler()))
        knows = KnowsOfStandstills(f"w{self._count}", self.world.witness.stood)
        post = self._post(
            replace(machine, decider=knows, seals=SEALS["table"]), self._table_publish, TABLE, partition, on_state,
            wakes.put_by,
        )  # fmt: skip
        post = replace(post, now=self._clock())
        process.start(work(process, post), wakes.run())
        return process

    def wallet(self, partition: int) -> Process:
        process = self._process("wallet")
        machine = replace(wallet_machine(self.world.plan.kept), seals=SEALS["wallet"])
        post = self._post(machine, self._wallet_publish, WALLET, partition, lambda *state: None)
        process.start(work(process, post))
        return process

    def wallet_policies(self, partition: int) -> Process:
        process = self._process("wallet")
        reader = PolicyReader(
            process, "wallet-policies", TABLE_EVENTS, partition, WALLET.commands, WALLET.parked, REACTIONS
        )
        process.start(reader.run())
        return process

    def own_policies(self) -> Process:
        """What the wallet asks because of its own events: of escrows, and of accounts once an escrow has covered it."""
        process, dice = self._process("wallet"), self._dice()

        def rests_s() -> float:
            """Now and then until somebody who has just sat down is gone again."""
            return 0.0 if self.world.sky.healed or dice.random() > 0.05 else dice.uniform(1.0, 12.0)

        late, until_s = self.world.plan.notes_late or (None, 0.0)
        for at, partition in enumerate(self._accounts_in):
            place = (WALLET_EVENTS, partition, WALLET.commands, WALLET.parked)
            is_late = late is not None and late % len(self._accounts_in) == at
            rests = (lambda: max(0.0, until_s - self.world.elapsed_s())) if is_late else rests_s
            notes = PolicyReader(process, "wallet-escrows", *place, TO_ESCROWS, rests)
            goes = PolicyReader(process, "wallet-notes", *place, GOES_HOME)
            process.start(notes.run())
            process.start(goes.run())
        return process

    def table_policies(self) -> Process:
        process = self._process("table")
        for partition in self._accounts_in:
            reader = PolicyReader(
                process, "table-policies", WALLET_EVENTS, partition, TABLE.commands, TABLE.parked,
                TO_WALLET,
            )  # fmt: skip
            process.start(reader.run())
        return process

    def projector(self) -> Process:
        process = self._process("wallet")
        partitions = [(TABLE_EVENTS, p) for p in self._tables_in] + [(WALLET_EVENTS, p) for p in self._accounts_in]
        store = MemoryStore(process, self.world.database, self.world.sky, self._dice())
        process.start(Projector(None, BOOKS, [], TopicsSource(process, partitions), limit=30, store=store).run())
        return process

    def gateway(self) -> Process:
        process = self._process("gateway")
        dice = self._dice()

        def times() -> int:
            if self.world.sky.healed or dice.random() > 0.15:
                return 1
            self.world.sky.fired["sent twice"] += 1
            return 2

        partitions = self.world.broker.partitions
        listens_at = dice.randrange(partitions) if dice.random() < 0.5 else None
        gateway = GatewayProcess(process, DataKey(GATEWAY_KEY), self.world, self._clock(), times, listens_at)
        gateway.start()
        self.gateways.append(gateway)
        return process

    def _post(
        self, machine: Any, publish: Any, names: Any, partition: int, on_state: Any,
        put_by: Callable[[str], None] = lambda stream: None,
    ) -> Post:  # fmt: skip
        def hooks() -> Hooks[Any]:
            return Hooks(on_state, readers.one_writer_per_version(self.world.witness.truth), put_by)

        generation = self._count if self.world.plan.hint else 0
        names = now_of(names, self.world.broker)
        part_bytes = self.world.plan.part_bytes
        writer, disks = f"w{self._count}", self.world.disks.any
        return Post(machine, publish, names, partition, writer, generation, hooks, part_bytes=part_bytes, shelf=disks)

    def _process(self, role: Role) -> Process:
        self._count += 1
        weather = Weather(self.world.sky, self._dice(), self.world.plan.climate)
        return Process(self.world.broker, weather, self._marks[role])

    def _shuffler(self) -> Shuffler:
        dice = self._dice()
        if self.world.plan.entropy_fails and not self.world.sky.healed and dice.random() < 0.5:
            self.world.sky.fired["entropy stuck"] += 1
            return KnownShuffler(bytes, self.world.witness.shuffles)
        return KnownShuffler(dice.randbytes, self.world.witness.shuffles)

    def _clock(self) -> SteppingClock:
        clock = SteppingClock(self.world.now, self._dice(), 0 if self.world.sky.healed else self.world.plan.skew_ms)
        self.clocks.append(clock)
        return clock

    def _dice(self) -> Random:
        return Random(self.world.random.random())
