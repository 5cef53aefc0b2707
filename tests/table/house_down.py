"""The table service as it runs, runner and timers, on a log and a clock in memory: it fails, and another comes back.

Nothing is sent by hand but what players and gateway send; what the house knows of its standstill it reads from its log.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from libs.contracts.commands import Command, message_of
from libs.contracts.facts import TableEvent
from libs.contracts.messages import CommandMessage, Principal, Reply, command_id_at
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import WakeTable
from libs.contracts.topics import TABLE_PRIVATE
from libs.journal.commit import Commit, digest, encode, genesis
from libs.journal.log import LogRecord
from libs.journal.names import names_of
from libs.journal.runner import Hooks, PartitionRunner
from libs.journal.timers import WakeLine
from libs.sealing.secret import DataKey
from services.table.domain.table.waking import moved_at, next_wake
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from tests.simulation.witness import KEYRING
from tests.table.luck import seeded_shuffler
from tests.testkit.clock import run
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import Gate, SimulatedBroker, SimulatedLog, SimulatedSource

NAMES = names_of("table", PARTITIONS)
PUBLISH = table_publisher(NAMES.events, TABLE_PRIVATE.name, DataKey(bytes(range(100, 132))))
_PHASE_S = 0.0003
"""So signs of life, one a second, come just before a whole one of the clock, and are of that millisecond."""
T = TypeVar("T")


class House:
    """`table` is the table as its log has it; times are milliseconds since its `now`."""

    def __init__(self, table: Any) -> None:
        self.stream: str = table.state.table
        self.partition = partition_of(self.stream, NAMES.partitions)
        self.start_ms: int = table.now
        self.broker = SimulatedBroker(NAMES.partitions, self.now)
        self.machine = table_machine(KEYRING, seeded_shuffler())
        self.state: Any = None
        """As confirmed last."""
        self.told: list[TableEvent] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._gate = Gate()
        self._asked = 0
        self._write(table)

    def now(self) -> int:
        return self.start_ms + round((asyncio.get_running_loop().time() - 1) * 1000)

    def _write(self, table: Any) -> None:
        prev = genesis(self.machine.journal_name, self.stream)
        for base, (event, deck) in enumerate(zip(table.told, table.decks, strict=True)):
            raw = encode(
                Commit(
                    stream=self.stream, base=base, prev=prev,
                    command_id=command_id_at(event.at, "before", str(base)).bytes,
                    source="before.1/0", command_offset=base, command_time=event.at,
                    verdict="accepted", reason=None, rule=None, detail="",
                    events=(encode_fact(event),), writer="before", generation=0,
                    sealed=self.machine.seal(self.stream, base, deck) if deck is not None else b"",
                )
            )  # fmt: skip
            # Of before: no clock runs yet that the broker could stamp it with, and nobody reads the journal's.
            self.broker.partition(NAMES.journal, self.partition).slots.append(
                LogRecord(base, self.stream.encode(), raw)
            )
            prev = digest(raw)

    async def up(self) -> None:
        """A process owns the partition; returns once it is back and has done what was due."""
        self._gate = Gate()
        log = SimulatedLog(self.broker, gate=self._gate)
        wakes = WakeLine(log, NAMES.commands, NAMES.partitions, self.now, WakeTable, next_wake, moved_at)

        def keep(stream: str, state: Any, version: int) -> None:
            self.state = state
            wakes.plan(stream, state, version)

        def tell(stream: str, state: Any, commit: Commit) -> None:
            self.told += [decode_fact(*event) for event in commit.events]

        self.source = SimulatedSource(log, "table-decider", NAMES.commands, self.partition)
        runner = PartitionRunner(
            self.machine, log, self.source, NAMES, self.partition, PUBLISH,
            writer=f"w{self.now()}", hooks=Hooks(keep, tell), now=self.now,
        )  # fmt: skip
        self._tasks = [asyncio.create_task(runner.run()), asyncio.create_task(wakes.run())]
        await runner.ready.wait()

    def fail(self) -> None:
        """At whatever await each task stands."""
        self._gate.kill()
        for task in self._tasks:
            task.cancel()
        self.told.clear()

    def cut_off(self) -> None:
        """Nothing gets through to the log, or back."""
        self._gate.hold()

    def reconnect(self) -> None:
        self._gate.release()

    async def at(self, ms: int) -> None:
        """Lets the time come; a fraction before it, so that what is due then comes after."""
        await asyncio.sleep(max(0.0, 1 + ms / 1000 - 0.0002 - asyncio.get_running_loop().time()))

    async def over(self) -> None:
        """Lets what is under way come to rest, within the same millisecond."""
        await asyncio.sleep(0.0001)

    def ask(self, by: Principal, command: Command) -> None:
        self._asked += 1
        message = message_of(
            command, id=command_id_at(self.now(), "asked", str(self._asked)), stream=self.stream, by=by
        )
        self.broker.land(NAMES.commands, self.partition, [(self.stream.encode(), message.encoded(), ())])

    @property
    def names(self) -> list[str]:
        """Of what was told since the failure."""
        return [type(event).__name__ for event in self.told]

    def answers(self) -> list[str | None]:
        """Reasons of the replies to what players asked; None: accepted."""
        sent = [
            CommandMessage.decoded(each.value or b"") for each in self.broker.records(NAMES.commands, self.partition)
        ]
        asked = {message.id for message in sent if message.principal.kind == "player"}
        replies = [
            Reply.decoded(record.value or b"")
            for partition in range(NAMES.partitions)
            for record in self.broker.records(NAMES.replies, partition)
        ]
        return [reply.reason for reply in replies if reply.command_id in asked]


def played(table: Any, script: Callable[[House], Awaitable[T]]) -> T:
    """On virtual time: a process is up from the beginning."""

    async def main() -> T:
        await asyncio.sleep(1 - _PHASE_S)
        house = House(table)
        await house.up()
        return await script(house)

    return run(main())
