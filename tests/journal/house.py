"""Runs runners and followers over a simulated broker on the real clock, for the directed tests."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, cast
from uuid import UUID

import msgspec

from libs.contracts.messages import CommandMessage, Principal, Reply, command_id_at
from libs.journal.commit import Commit, decode, encode
from libs.journal.fold import PartitionFold
from libs.journal.kept import MakeShelf, nameless
from libs.journal.log import LogRecord
from libs.journal.manifests import Manifest, Sets
from libs.journal.observer import Observer
from libs.journal.parts import Parts
from libs.journal.runner import Hooks, Pace, PartitionRunner
from libs.journal.shelf import Shelf
from libs.journal.snapshots import Snapshot, manifest_of, shelve
from tests.journal.bank import NAMES, PLAYER, Account, Moved, bank, encode_event, message, publish
from tests.testkit.partitions import partition_of
from tests.testkit.simulated import Faults, SimulatedBroker, SimulatedLog, SimulatedSource

GROUP = "bank"
QUICK = Pace(replay_every=1, patience_s=0.3, offsets_every_s=0.01, read_wait_ms=50, first_pause_s=0.005)
STREAM = "account-1"
PARTITION = partition_of(STREAM, NAMES.partitions)


def latest(records: Iterable[LogRecord], machine=None) -> tuple[Manifest | None, dict[str, Snapshot]]:
    """What counts of a snapshots topic: the best manifest, its pieces in its `last`, and each snapshot."""
    machine = machine or bank()
    sets, shelf, parts = Sets(machine.journal_name), Shelf(), Parts(machine.journal_name)
    for record in records:
        with suppress(msgspec.MsgspecError):
            if not sets.take(record) and not parts.take(record) and record.value:
                shelve(shelf, machine, record.value)
    for _, whole in parts.joined():
        shelve(shelf, machine, whole)
    parts.close()
    best = sets.best()
    if best is not None:
        last = [some for _, some in reversed(list(sets.marks(best)))]
        best = msgspec.structs.replace(best, last={s: at for some in last for s, at in some.items()})
    held = {stream: shelf.get(stream) for page in shelf.marks(9) for stream in page}
    return best, {stream: msgspec.msgpack.decode(raw[1:], type=Snapshot) for stream, raw in held.items() if raw}


def manifest_over(fold: PartitionFold) -> Manifest:
    """As if every stream of the fold were in a snapshot."""
    return manifest_of(fold, fold.position.next, {stream: head.last_offset for stream, head in fold.heads.items()})


@dataclass
class Seen:
    """An observer that remembers."""

    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.calls.append((name, args))

    def count(self, name: str) -> int:
        return sum(1 for _, args in self.calls if args[:1] == (name,))


class House:
    def __init__(self, broker: SimulatedBroker | None = None, **machine: Any) -> None:
        self.broker = broker or SimulatedBroker(NAMES.partitions)
        self.machine = bank(**machine)
        self.seen = Seen()
        self._nonce = 0

    @asynccontextmanager
    async def runner(
        self,
        writer="w1",
        *,
        faults: Faults | None = None,
        generation=1,
        pace=QUICK,
        hooks: Hooks | None = None,
        partition=PARTITION,
        publish=publish,
        now: Callable[[], int] | None = None,
        shelf: MakeShelf = nameless,
        **follower: Any,
    ):
        """`follower`: further fields of the pace."""
        log = SimulatedLog(self.broker, faults)
        runner = PartitionRunner(
            self.machine,
            log,
            SimulatedSource(log, GROUP, NAMES.commands, partition),
            replace(NAMES, incarnation=self.machine.incarnation),
            partition,
            publish,
            writer=writer,
            generation=generation,
            observer=cast(Observer, self.seen),
            pace=replace(pace, **{"snapshot_commits": 5, "snapshot_s": 0.05, "slice_streams": 1, **follower}),
            hooks=hooks,
            now=now,
            shelf=shelf,
        )
        async with _running(runner.run()) as task:
            await first(asyncio.create_task(runner.ready.wait()), task)
            yield runner

    def command(
        self, kind: str, stream=STREAM, *, now_ms: int | None = None, by: Principal = PLAYER, **body: Any
    ) -> CommandMessage:
        self._nonce += 1
        return message(stream, kind, now_ms or self.broker.now_ms(), str(self._nonce), by, **body)

    def send(self, *commands: CommandMessage) -> None:
        for command in commands:
            partition = partition_of(command.stream, NAMES.partitions)
            value = command.encoded()
            self.broker.land(NAMES.commands, partition, [(command.stream.encode(), value, ())])

    def replies(self) -> list[Reply]:
        return [
            Reply.decoded(record.value or b"")
            for partition in range(NAMES.partitions)
            for record in self.broker.records(NAMES.replies, partition)
        ]

    async def replied(self, count: int, patience=30.0) -> list[Reply]:
        await until(lambda: len(self.replies()) >= count, patience)
        return self.replies()

    async def ask(self, *commands: CommandMessage) -> list[Reply]:
        """Sends them and waits for the answers, in the order of the commands."""
        before, asked = Counter(r.command_id for r in self.replies()), Counter(c.id for c in commands)
        self.send(*commands)

        def answers() -> dict[UUID, list[Reply]]:
            """New ones; of two owners at once each answers, also to what was asked before."""
            found: dict[UUID, list[Reply]] = {}
            for reply in self.replies():
                found.setdefault(reply.command_id, []).append(reply)
            return {each: found.get(each, [])[before[each] :] for each in asked}

        await until(lambda: all(len(new) >= asked[each] for each, new in answers().items()))
        new = answers()
        return [new[c.id][0] for c in commands]

    def fold(self, partition=PARTITION) -> PartitionFold:
        """An independent fold of the whole journal partition."""
        fold = PartitionFold(partition, NAMES.partitions, self.machine.journal_name, self.machine)
        for record in self.broker.records(NAMES.journal, partition):
            fold.fold(record)
        return fold

    def foreign(self, *amounts: int, stream=STREAM, **changes: Any) -> bytes:
        """Raw bytes of another writer's commit of deposits, chained on the true head."""
        fold = self.fold(partition_of(stream, NAMES.partitions))
        head, state = fold.head(stream), fold.state(stream)
        events = []
        for amount in amounts:
            state = Account(state.balance + amount, state.moves + 1)
            events.append(encode_event(Moved(amount, state.balance)))
        self._nonce += 1
        now = changes.pop("now_ms", None) or self.broker.now_ms()
        commit = Commit(
            stream=stream,
            base=head.version,
            prev=head.prev,
            command_id=command_id_at(now, "foreign", str(self._nonce)).bytes,
            source="elsewhere.1/0",
            command_offset=self._nonce,
            command_time=now,
            verdict="accepted",
            reason=None,
            rule=None,
            detail="",
            events=tuple(events),
            writer="other",
            generation=1,
        )
        return encode(msgspec.structs.replace(commit, **changes))

    def land(self, *raw: bytes, partition=PARTITION) -> int:
        """Appends to the journal behind everybody's back; base offset."""
        return self.broker.land(NAMES.journal, partition, [(b"x", each, ()) for each in raw])

    def judgements(self, partition=PARTITION) -> list[str]:
        fold = PartitionFold(partition, NAMES.partitions, self.machine.journal_name, self.machine)
        return [fold.fold(record).judgement for record in self.broker.records(NAMES.journal, partition)]

    def commits(self, partition=PARTITION) -> list[Commit]:
        return [decode(record.value) for record in self.broker.records(NAMES.journal, partition)]

    def raw(self, partition=PARTITION) -> list[bytes]:
        return [record.value or b"" for record in self.broker.records(NAMES.journal, partition)]


@asynccontextmanager
async def _running(coroutine):
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (failure := task.exception()) is not None:
            raise failure


async def first(wanted: "asyncio.Task[Any]", other: "asyncio.Task[Any]") -> None:
    await asyncio.wait([wanted, other], return_when=asyncio.FIRST_COMPLETED)
    if other.done():
        wanted.cancel()
        other.result()


async def until(condition, patience=30.0) -> None:
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        await asyncio.sleep(0.002)
