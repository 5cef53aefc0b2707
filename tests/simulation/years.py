"""Between two evenings: the house is moved to another number of partitions, stands or is away for months, goes on."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from libs.contracts.escrow_commands import ClaimHome, NoteReserve
from libs.contracts.messages import CommandMessage, command_id_at
from libs.contracts.wallet_events import ReferencesForgotten, SittingsForgotten
from libs.journal.log import LogRecord
from libs.journal.mark_keys import Plan as Keys
from libs.journal.mark_keys import keys_of, marks_of
from libs.journal.marks import ASKED, Marking, Marks
from libs.journal.positions import Position as Standing
from libs.journal.positions import beside
from services.cli.backups.files import Backup, Part, Position, Writer, records_in
from services.cli.backups.log import places
from services.cli.moving import repartition
from services.cli.moving.repartition import Repartition, Target
from services.tournament.machine import tournament_machine
from services.wallet.domain.escrow.decide import LASTS_MS
from tests.simulation.checks import readers
from tests.simulation.house import MARKS
from tests.simulation.topics import TABLE, WALLET
from tests.simulation.truth import Entry
from tests.simulation.violations import ensure
from tests.testkit.marks import ROOT
from tests.testkit.simulated import Raw, SimulatedBroker

if TYPE_CHECKING:
    from tests.simulation.world import World

_FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None  # in memory: thousands of houses are moved
_decoded = lru_cache(4096)(CommandMessage.decoded)
"""The same ones are looked through again and again."""
_READER = marks_of("audit", ROOT, Keys())


_COUNTS_MS = {each.__name__: LASTS_MS for each in (NoteReserve, ClaimHome)}
"""So old is what is asked again of these at least, milliseconds."""


class Killed(Exception):
    """The mover dies here, and is begun anew."""


async def move(world: "World", partitions: int, dice: Random) -> None:
    """As `croupier house move` does it, over the product's own copying; what must be the same is held against the log.

    The house is closed: nobody runs, nothing is under way.
    """
    broker = world.broker
    world.sky.fired["house moved"] += 1
    machines = [*world.witness.truth.machines.values(), tournament_machine()]
    with tempfile.TemporaryDirectory(dir=_FOLDER) as old, tempfile.TemporaryDirectory(dir=_FOLDER) as new:
        source, target = Path(old), Path(new)
        made = _backup(world, source)
        whole = sum(each.records for each in made.parts)
        dies = dice.random() < 0.5
        for crash in (True, False) if dies else (False,):
            mover = Repartition(
                source,
                made,
                target,
                Target("", partitions),
                _READER,
                _marks,
                machines,
                part_bytes=world.plan.part_bytes,
            )
            try:
                with _dying_after(dice.randrange(whole)) if crash else nullcontext():
                    moved, _ = mover.run()
            except Killed:
                world.sky.fired["mover killed"] += 1
        groups = {(each.group, each.topic, each.partition): each for each in moved.positions}
        broker.move(partitions, {part.place: list(records_in(target, part)) for part in moved.parts})
        for key, each in groups.items():
            broker.offsets[key] = each.offset
            broker.beside[key] = each.beside
            # Without a mark its owner looks by itself where to begin, and where it was put shows nothing.
            world.sky.fired["position carried over"] += bool(each.beside)
    world.witness.truth.partitions = partitions
    world.checkpoints.clear()
    world.database.forget()
    world.witness.hear_again()
    _journals_are_the_valid_commits(world)
    await readers_agree(world)


async def readers_agree(world: "World") -> None:
    """A start from the snapshots that lie there is the fold of the whole journal: memories of commands and all."""
    for service, names, partition in world.posts_in_use():
        await readers.restores_agree(world.witness.truth, service, names, world.broker, partition, [], world.disks)


def _journals_are_the_valid_commits(world: "World") -> None:
    """Each once, in the order of its stream, byte for byte, and nothing else."""
    truth = world.witness.truth
    for service, names in (("table", TABLE), ("wallet", WALLET)):
        found: dict[str, list[bytes]] = {}
        for partition in range(world.broker.partitions):
            for record in world.broker.records(names.journal, partition):
                found.setdefault((record.key or b"").decode(), []).append(record.value or b"")
        wanted = {
            s: [e.raw for e in entries] for s, entries in truth.by_stream.items() if entries[0].service == service
        }
        ensure(found == wanted, "moved_as_it_was", f"the journal of the {service} is not its valid commits, each once")


def _backup(world: "World", folder: Path) -> Backup:
    broker, parts = world.broker, []
    for (name, number), _ in places("", broker.partitions).items():
        writer = Writer(folder, Part(name, number, f"{name}-{number}.1.records", 0, 0))
        held = [each for each in broker.partition(name, number).slots if each is not None]
        writer.add(held)
        parts.append(writer.end(len(broker.partition(name, number).slots)))
    positions = {
        (group, name, number): Position(group, name, number, offset, broker.beside.get((group, name, number), ""))
        for (group, name, number), offset in broker.offsets.items()
    }
    positions |= {(each.group, each.topic, each.partition): each for each in _where_nothing_is(world)}
    standing = tuple(positions[key] for key in sorted(positions))
    return Backup(world.now(), world.now(), "", standing, (), tuple(parts), partitions=broker.partitions)


def _where_nothing_is(world: "World") -> Iterator[Position]:
    """A house has an owner for each partition, who writes its position every few seconds (journal 12). Here only those
    run that have something to do; and where one position of a group is missing, none of its new ones bears a mark."""
    broker = world.broker
    for group, name in sorted({(group, name) for group, name, _ in broker.offsets}):
        for number in range(broker.partitions):
            if broker.end(name, number) == 0:
                marks, there = _marks(group.partition("-")[0], False), Standing(0, world.now())
                yield Position(group, name, number, 0, beside(marks, group, name, number, there))


@cache
def _marks(writer: str, asked: bool) -> Marking:
    return Marks(writer, [k for k in keys_of(writer, ROOT, Keys()) if asked or not k.topic.endswith(f"/{ASKED}")])


@contextmanager
def _dying_after(records: int) -> Iterator[None]:
    left, add = records, repartition._Lies.add

    def dying(self: Any, record: LogRecord) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        add(self, record)

    with patch.object(repartition._Lies, "add", dying):
        yield


def repeat_newest(world: "World") -> None:
    """What was asked last is asked again, by its old id: the answers are those from before."""
    for _, names, partition in world.posts_in_use():
        again = world.broker.records(names.commands, partition)[-8:]
        world.broker.land(names.commands, partition, [(each.key, each.value, each.headers) for each in again])


class LongAgo:
    """Asks once more, under new ids, what policies asked the wallet in another year. Nothing may come of it."""

    def __init__(self, broker: SimulatedBroker, dice: Random) -> None:
        self._broker = broker
        self._dice = dice
        self._asked: set[bytes] = set()
        self._count = 0
        self.refused = 0

    def ask(self, entries: list[Entry], before: int, now: int) -> bool:
        """False: policies had asked nothing of it `before`, milliseconds since the epoch."""
        done = {
            e.commit.command_id for e in entries if e.commit.verdict == "accepted" and e.commit.command_time < before
        }
        # An escrow counts by the id alone, and refuses by age once the journal may have forgotten it (adr/0022).
        found = [
            each
            for each in self._commands()
            if each[1].id.bytes in done and now - each[1].body.get("told_at", 0) > _COUNTS_MS.get(each[1].type, 0)
        ]
        if not found:
            return False
        partition, message = self._dice.choice(found)
        self._count += 1
        late = command_id_at(now, "late", str(self._count))
        self._asked.add(late.bytes)
        again = CommandMessage(
            id=late, stream=message.stream, type=message.type, principal=message.principal, body=message.body
        )
        place, key, value = (WALLET.commands, partition), message.stream.encode(), again.encoded()
        record: Raw = (key, value, MARKS["wallet"].marked(place, key, value, ()))
        self._broker.land(*place, [record])
        return True

    def moves_nothing(self, entry: Entry) -> str | None:
        """What is wrong with a commit of one of these; None: nothing."""
        if entry.commit.command_id not in self._asked:
            return None
        self.refused += entry.commit.reason == "forgotten"
        if all(isinstance(told.fact, SittingsForgotten | ReferencesForgotten) for told in entry.told):
            return None
        return f"{entry.commit.stream}/{entry.commit.version}: {[type(told.fact).__name__ for told in entry.told]}"

    def _commands(self) -> Iterator[tuple[int, CommandMessage]]:
        for partition in range(self._broker.partitions):
            for record in self._broker.records(WALLET.commands, partition):
                if (record.value or b"").startswith(b"{"):
                    message = _decoded(record.value or b"")
                    if message.principal.kind == "policy" and message.id.bytes not in self._asked:
                        yield partition, message
