"""Moved houses: whatever the count, wherever the mover dies, each stream is what it was; planted bugs are found."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import CommandMessage, Principal
from libs.contracts.topics import Topic, partition_of, topic
from libs.contracts.wallet_commands import account_id
from libs.journal.deciding import Deciding, Repeated
from libs.journal.fold import PartitionFold
from libs.journal.lane import Flight, Lane, Open
from libs.journal.log import LogRecord
from libs.journal.mark_keys import Plan, keys_of, marks_of
from libs.journal.marks import ASKED, Marking, Marks
from libs.journal.names import names_of
from libs.journal.positions import Position as Standing
from libs.journal.positions import beside, found
from libs.journal.restore import restore
from libs.journal.snapshots import snapshot_of
from services.cli.backups.files import Backup, Part, Position, Rows, Writer, digest_of, records_in, write_manifest
from services.cli.backups.log import places
from services.cli.moving import repartition
from services.cli.moving.repartition import Different, Repartition, Target
from tests.audit.played import PlayedHouse
from tests.testkit.marks import ROOT
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import SimulatedBroker, SimulatedLog

OLD, NEW = "old.", "new."
SERVICES = ("table", "wallet", "tournament")
SEEDS = range(12)
POLICIES, DECIDER = f"{OLD}wallet-policies", f"{OLD}wallet-decider"
T = 1_800_000_000_000
KNOWN = marks_of("audit", ROOT, Plan())


class Lost(AssertionError):
    """What a move must keep is not there."""


def keep(holds: object, what: str) -> None:
    if not holds:
        raise Lost(what)


def marks(writer: str, asked: bool) -> Marking:
    return Marks(writer, [k for k in keys_of(writer, ROOT, Plan()) if asked or not k.topic.endswith(f"/{ASKED}")])


@dataclass(slots=True)
class Closed:
    """A house that was played and closed, in a backup: with void commits, foreign records, events published twice or
    not yet, commands nobody has decided, and groups that are behind."""

    folder: Path
    house: PlayedHouse
    made: Backup
    luck: random.Random
    undecided: list[CommandMessage] = field(default_factory=list)
    behind: set[tuple[str, int]] = field(default_factory=set)
    """Stream and version of events that the policies have not come to."""


def closed(
    seed: int, folder: Path, meanwhile: Callable[[PlayedHouse], None] = lambda house: None, forged: bool = False
) -> Closed:
    luck = random.Random(seed)
    house = PlayedHouse(seed=seed)
    house.open(players=luck.randint(2, 4))
    house.play(luck.randint(0, 2))
    for number in range(9):
        account = account_id(f"extra-{seed}-{number}", "EUR", "real")
        opening = {"player": f"extra-{seed}-{number}", "currency": "EUR", "kind": "real"}
        house.ask("wallet", account, "OpenAccount", ("operator", "o"), **opening)
        house.ask("wallet", account, "DepositFunds", ("operator", "o"), reference=f"r{number}", amount=100 + number)
    for _ in range(luck.randint(0, 9)):
        house.step()
    journal = topic("wallet", "journal").name
    for number in range(PARTITIONS):
        if (old := house.broker.records(journal, number)) and luck.random() < 0.5:
            house.land("wallet", (old[0].key or b"").decode(), old[0].value or b"")  # a zombie's: void
    found = Closed(folder, house, Backup(T, T, OLD, (), (), ()), luck)
    found.undecided = [_undecided(found, seed, number) for number in range(3)]
    parts = [_part(found, name, number, each, forged) for (name, number), each in places(OLD, PARTITIONS).items()]
    content = b"1\n2\n"
    rows = []
    for table, since, below in (("reads", None, None), ("checkpoints", None, 3), ("checkpoints", 3, None)):
        each = Rows("audit", table, ("id",), "", 2, digest_of(content), since, below)
        rows.append(replace(each, file=f"{each.name}.1.rows"))
        (folder / rows[-1].file).write_bytes(content)
    found.made = Backup(T, T, OLD, tuple(_positions(found, parts)), tuple(rows), tuple(parts), partitions=PARTITIONS)
    write_manifest(folder, found.made, marks("inspector", False))
    meanwhile(house)
    return found


def _undecided(at: Closed, seed: int, number: int) -> CommandMessage:
    account = account_id(f"extra-{seed}-{at.luck.randint(0, 8)}", "EUR", "real")
    body = {"reference": f"late-{number}", "amount": 7}
    operator = Principal(kind="operator", id="o")
    message = CommandMessage(
        id=at.house._command_id(account), stream=account, type="DepositFunds", principal=operator, body=body
    )
    at.house.broker.land(
        topic("wallet", "commands").name, partition_of(account, PARTITIONS), [(account.encode(), message.encoded(), ())]
    )
    return message


def _part(at: Closed, name: str, number: int, of: Topic, forged: bool) -> Part:
    place = (name, number)
    writer = Writer(at.folder, Part(*place, f"{name}-{number}.{T}.records", 0, 0))
    held = at.house.broker.records(of.name, number)
    if forged and of.kind == "events" and held:
        held = [replace(held[0], value=(held[0].value or b"").replace(b"1", b"2")), *held[1:]]
    if of.kind == "events" and held and at.luck.random() < 0.5:
        held = held[: at.luck.randint(1, len(held))]  # the last ones are not published yet
        again = held[at.luck.randrange(len(held)) :]
        held = [*held, *again]
    by = marks(of.writers[0], True)
    offset = 0
    for each in held:
        if at.luck.random() < 0.05:
            writer.add([LogRecord(offset, each.key, b"forged", (), each.timestamp)])
            offset += 1
        headers = by.marked(place, each.key, each.value, each.headers)
        writer.add([LogRecord(offset, each.key, each.value, headers, each.timestamp)])
        offset += 1
    return writer.end(offset)


def _positions(at: Closed, parts: list[Part]) -> Iterator[Position]:
    for number in range(PARTITIONS):
        events = f"{OLD}{topic('wallet', 'events').name}"
        part = next(each for each in parts if each.place == (events, number))
        offset = at.luck.randint(0, part.end)
        yield _position(POLICIES, events, number, offset)
        lies = [each for each in records_in(at.folder, part) if KNOWN.why_foreign(part.place, each) is None]
        events_in = [(from_record(each.key, each.value, each.headers), each.offset) for each in reversed(lies)]
        met = {(event.stream, event.version): lies_at for event, lies_at in events_in}
        fold = at.house._folds.get(("wallet", number))
        for stream, head in (fold.heads if fold else {}).items():
            wanted = ((stream, version) for version in range(1, head.version + 1))
            at.behind |= {each for each in wanted if met.get(each, offset) >= offset}
        commands = f"{OLD}{topic('wallet', 'commands').name}"
        part = next(each for each in parts if each.place == (commands, number))
        late = {each.id for each in at.undecided}
        first = next(
            (r.offset for r in records_in(at.folder, part) if any(str(i).encode() in (r.value or b"") for i in late)),
            part.end,
        )
        yield _position(DECIDER, commands, number, first, T - number)


def _position(group: str, name: str, partition: int, offset: int, sign: int | None = None) -> Position:
    text = beside(marks("wallet", False), group, name, partition, Standing(offset, T, sign))
    return Position(group, name, partition, offset, text)


def moved(at: Closed, folder: Path, partitions: int, crashes: int = 0) -> Backup:
    """Begun anew after each crash."""
    machines = [at.house._machines[each] for each in SERVICES]
    whole = sum(each.records for each in at.made.parts)
    for number in range(crashes + 1):
        mover = Repartition(at.folder, at.made, folder, Target(NEW, partitions), KNOWN, marks, machines)
        try:
            with dying_after(at.luck.randint(1, whole) if number < crashes else None):
                return mover.run()[0]
        except Killed:
            continue
    return moved(at, folder, partitions)


class Killed(Exception):
    pass


@contextmanager
def dying_after(records: int | None) -> Iterator[None]:
    left, add = records, repartition._Lies.add

    def dying(self: Any, record: LogRecord) -> None:
        nonlocal left
        if left is not None and (left := left - 1) < 0:
            raise Killed
        add(self, record)

    with patch.object(repartition._Lies, "add", dying):
        yield


async def check(at: Closed, folder: Path, made: Backup, incarnation: int = 2) -> None:
    """Everything that a move has to keep, seen from what the new house starts on. Raises `Lost`."""
    broker = SimulatedBroker(made.partitions)
    for part in made.parts:
        for record in records_in(folder, part):
            keep(KNOWN.why_foreign(part.place, record) is None, "a record has no true mark")
            broker.land(part.topic, part.partition, [(record.key, record.value, record.headers)])
    published = _published(made, folder)
    for service in SERVICES:
        machine = at.house._machines[service]
        names = names_of(service, made.partitions, NEW, incarnation)
        truth = {s: f for (of, _), f in at.house._folds.items() if of == service for s in f.heads}
        starts: dict[int, PartitionFold[Any, Any]] = {
            n: (await restore(SimulatedLog(broker), machine, names, n)).fold for n in range(made.partitions)
        }
        anew = {n: PartitionFold[Any, Any](n, made.partitions, machine.journal_name, machine) for n in starts}
        for number, fold in anew.items():
            for record in broker.records(names.journal, number):
                fold.fold(record)
            keep(starts[number].position == fold.position, "a start has something to fold")
        for stream, old in truth.items():
            place = partition_of(stream, made.partitions)
            for new in (anew[place], starts[place]):
                keep(_all_of(new, stream) == _all_of(old, stream), f"{stream} is another one")
            keep(published.get(stream, 0) == old.heads[stream].version, f"events of {stream} are missing")
            deciding = Deciding(machine, starts[place], "w", 0, incarnation=incarnation)
            for command, answer in old.heads[stream].ring.items():
                again = deciding.weigh(Lane(stream), Open(command, 10**6, T, None, None, "", 0.0))  # type: ignore[arg-type]
                keep(again == Repeated(answer), f"a command of {stream} would be decided twice")
    _check_groups(at, folder, made)
    names, machine = names_of("wallet", made.partitions, NEW, incarnation), at.house._machines["wallet"]
    for message in at.undecided:
        place = partition_of(message.stream, made.partitions)
        _check_decided(at, message, (await restore(SimulatedLog(broker), machine, names, place)).fold, incarnation)


def _all_of(fold: Any, stream: str) -> object:
    head = fold.head(stream)
    return head.version, head.prev, head.time, tuple(head.ring.items()), head.high_water, fold.state(stream)


def _published(made: Backup, folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in made.parts:
        if ".events.v1" in part.topic:
            for record in records_in(folder, part):
                event = from_record(record.key, record.value, record.headers)
                keep(partition_of(event.stream, made.partitions) == part.partition, "an event lies elsewhere")
                keep(event.version == found.get(event.stream, 0) + 1, "events are not dense")
                found[event.stream] = event.version
    return found


def _sign(at: Position) -> int | None:
    there = found(marks("wallet", False), at.group, at.topic, at.partition, at.offset, at.beside).position
    keep(there is not None, "a position that nobody believes")
    return there.sign if there is not None else None


def _check_groups(at: Closed, folder: Path, made: Backup) -> None:
    """Nothing that a group had not come to lies below its place; signs of life are none that was not given."""
    ahead, waiting = set[tuple[str, int]](), set[str]()
    for each in made.positions:
        part = made.part(each.topic, each.partition)
        assert part is not None
        behind = [record for record in records_in(folder, part) if record.offset >= each.offset]
        if each.group == NEW + "wallet-policies":
            keep(_sign(each) is None, "policies have given a sign of life")
            events = [from_record(record.key, record.value, record.headers) for record in behind]
            ahead |= {(event.stream, event.version) for event in events}
        else:
            keep(_sign(each) == T - PARTITIONS + 1, "the sign of life is younger than one of them was")
            waiting |= {str(m.id) for m in at.undecided for r in behind if str(m.id).encode() in (r.value or b"")}
    keep(at.behind <= ahead, "a group is ahead of what it has caused")
    keep(waiting == {str(each.id) for each in at.undecided}, "a command that nobody has decided is gone")


def _check_decided(at: Closed, message: CommandMessage, fold: Any, incarnation: int) -> None:
    machine = at.house._machines["wallet"]
    asked = Open(message.id.bytes, 0, at.house.now, message, machine.decode_command(message), "", 0.0)
    made = Deciding(machine, fold, "w", 0, incarnation=incarnation).weigh(Lane(message.stream), asked)
    keep(isinstance(made, Flight), "the new house passes its first commands over")


@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_the_count_and_wherever_the_mover_dies(seed: int, tmp_path: Path) -> None:
    at = _closed(seed, tmp_path)
    partitions = at.luck.choice([1, 2, 3, 7, 16, 32])
    (folder := tmp_path / "new").mkdir()
    with patch.object(repartition, "SWEEP", at.luck.choice([1, 2, 7, 50])):
        made = moved(at, folder, partitions, crashes=at.luck.randint(0, 5))
    await check(at, folder, made)
    (again := tmp_path / "again").mkdir()
    anew = moved(at, again, partitions)
    assert anew.positions == made.positions
    for one, other in zip(made.parts, anew.parts, strict=True):
        # Of a state that is sealed no two snapshots have the same bytes.
        assert one == other or ".snapshots." in one.topic, "the same every time"
    rows = [(each.table, each.rows, each.since, each.below) for each in made.rows]
    assert rows == [("reads", 2, None, None), ("checkpoints", 0, None, None)], (
        "signed heads name offsets of the old journals"
    )


def test_a_group_of_which_one_position_was_left_out_begins_as_without_any(tmp_path: Path) -> None:
    """Its partition counts from 0, and what lies there was answered long ago: no true mark may say it was not."""
    at = _closed(1, tmp_path)
    at.made = replace(at.made, positions=tuple(e for e in at.made.positions if (e.group, e.partition) != (DECIDER, 0)))
    (folder := tmp_path / "new").mkdir()
    theirs = [each for each in moved(at, folder, 2).positions if each.group == NEW + "wallet-decider"]
    assert [each.beside for each in theirs] == ["", ""]


def test_of_policies_that_have_not_come_to_a_partition_no_position_is_carried(tmp_path: Path) -> None:
    """As where a house is closed moments after its start: they begin as where there is none, and an unmarked one
    would be told as somebody's doing."""
    at = _closed(1, tmp_path)
    positions = at.made.positions
    at.made = replace(at.made, positions=tuple(e for e in positions if (e.group, e.partition) != (POLICIES, 0)))
    assert len(at.made.positions) == len(positions) - 1
    (folder := tmp_path / "new").mkdir()
    groups = {each.group for each in moved(at, folder, 2).positions}
    assert groups == {NEW + "wallet-decider"}


def _closed(seed: int, tmp_path: Path, meanwhile: Callable[[PlayedHouse], None] = lambda house: None) -> Closed:
    (folder := tmp_path / "old").mkdir()
    return closed(seed, folder, meanwhile)


def test_streams_of_which_nothing_comes_are_not_in_memory(tmp_path: Path) -> None:
    at, most = _closed(1, tmp_path), 0
    take = repartition.Folding.take

    def counted(self: repartition.Folding, record: LogRecord) -> Any:
        nonlocal most
        folded = take(self, record)
        most = max(most, len(self.fold.heads))
        return folded

    (folder := tmp_path / "new").mkdir()
    with patch.object(repartition, "SWEEP", 1), patch.object(repartition.Folding, "take", counted):
        moved(at, folder, 1)
    assert sum(len(fold.heads) for (service, _), fold in at.house._folds.items() if service == "wallet") > 10
    assert most == 1, "all of them in one partition, and one at a time"


def _without(snapshot: Callable[..., Any], **fields: Any) -> Callable[..., Any]:
    return lambda fold, stream: replace(snapshot(fold, stream), **fields)


def _old_decides(house: PlayedHouse) -> None:
    account = account_id("extra-after", "EUR", "real")
    house.ask("wallet", account, "OpenAccount", ("operator", "o"), player="extra-after", currency="EUR", kind="real")


_PLACE, _GROUPS, _WRITE = Repartition._place, Repartition._groups, Repartition._write
BUGS: dict[str, Any] = {
    "ring-lost": lambda: patch.object(repartition, "snapshot_of", _without(snapshot_of, ring=())),
    "version-anew": lambda: patch.object(repartition, "snapshot_of", _without(snapshot_of, version=0)),
    "high-water-lost": lambda: patch.object(repartition, "snapshot_of", _without(snapshot_of, high_water={})),
    "wrong-partition": lambda: patch.object(
        Repartition, "_place", lambda self, stream: (_PLACE(self, stream) + 1) % self._to.partitions
    ),
    "groups-at-the-end": lambda: patch.object(
        Repartition, "_groups", lambda self, of: {each: dict.fromkeys(range(4), 10**9) for each in _GROUPS(self, of)}
    ),
    "marks-not-made-anew": lambda: patch.object(
        Repartition, "_marked", lambda self, place, came, offset=-1: replace(came.record, offset=offset)
    ),
    "void-carried-as-valid": lambda: patch.object(Repartition, "_write", _backwards),
}


def _backwards(self: Repartition, of: Topic, records: Any, *rest: Any) -> None:
    """Each stream's newest commit first: what chains on nothing is void over there."""
    _WRITE(self, of, reversed(list(records)) if of.kind == "journal" else records, *rest)


@pytest.mark.parametrize("bug", BUGS)
async def test_a_planted_bug_is_found(bug: str, tmp_path: Path) -> None:
    at = _closed(3, tmp_path)
    (folder := tmp_path / "new").mkdir()
    with BUGS[bug](), pytest.raises((Lost, Different)):
        await check(at, folder, moved(at, folder, 7))


async def test_an_old_house_that_goes_on_deciding_is_found(tmp_path: Path) -> None:
    """Which is why the broker takes nothing there any more, and the mover looks once more before it opens."""
    at = _closed(4, tmp_path, _old_decides)
    (folder := tmp_path / "new").mkdir()
    with pytest.raises(Lost, match="is another one"):
        await check(at, folder, moved(at, folder, 7))


async def test_a_house_that_names_its_commands_as_the_old_one_passes_them_over(tmp_path: Path) -> None:
    """Its topics begin at offset 0, and the high water of a partition of the same name is far above (journal 14)."""
    at = _closed(5, tmp_path)
    (folder := tmp_path / "new").mkdir()
    with pytest.raises(Lost, match="passes its first commands over"):
        await check(at, folder, moved(at, folder, PARTITIONS), incarnation=1)


def test_an_event_that_no_commit_says_is_not_carried(tmp_path: Path) -> None:
    (old := tmp_path / "old").mkdir()
    at = closed(6, old, forged=True)
    (folder := tmp_path / "new").mkdir()
    with pytest.raises(Different, match="no commit says the event"):
        moved(at, folder, 7)
