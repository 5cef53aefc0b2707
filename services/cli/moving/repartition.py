"""A house's records in another number of partitions: a backup is read, and another one is written.

What was decided stays to the byte: a stream's commits, their chain, its public events. Only where they lie is new, so
each record gets the mark of its own writer for its new place (journal 22), and snapshots are made anew (journal 16).
"""

import heapq
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.topics import INSPECTOR, PART_BYTES, Topic, partition_of, topic
from libs.journal.commit import Commit, decode
from libs.journal.fold import Folded, PartitionFold, Woken
from libs.journal.log import LogRecord, OutRecord
from libs.journal.machine import AnyMachine
from libs.journal.manifests import Piece, head_record, piece_record
from libs.journal.mark_keys import POSITIONED
from libs.journal.marks import ASKED, HEADER, Marking, Place, writer_of
from libs.journal.parts import Cutter, Left
from libs.journal.positions import Position as Standing
from libs.journal.positions import beside, found
from libs.journal.publishing import public_events, public_records
from libs.journal.shelf import Shelf, stream_key
from libs.journal.snapshots import manifest_of, shelve, snapshot_of, snapshot_record, woken
from libs.stack import Progress
from services.audit.verifying.kept import Kept
from services.audit.verifying.publication import digest_of
from services.cli.backups.files import Backup, Part, Position, Rows, Writer, records_in, write_manifest
from services.cli.backups.files import digest_of as content_digest
from services.cli.backups.locks import sweep
from services.cli.backups.log import places
from services.cli.walking import SWEEP

LEFT = frozenset({"checkpoints"})
"""Rows that tell offsets of the old journals: they stay with those."""
_PIECE = 2_000
_EVERY = 5_000


class Different(Exception):
    """A stream is not the same on both sides: nothing may be opened. Names the stream, and what differs."""


@dataclass(frozen=True, slots=True)
class Target:
    prefix: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Came:
    """A record with where it lay (-1: nowhere yet), whose it is, and whether a gateway has brought it (`asked`)."""

    partition: int
    record: LogRecord
    writer: str
    asked: bool = False


Marks = Callable[[str, bool], Marking]
"""The marks that a writer makes; whether with the second one, of a gateway."""


@dataclass(slots=True)
class Service:
    """One journal, folded as it lay and as it will lie."""

    machine: AnyMachine
    topic: Topic
    old: list["Folding"]
    new: list["Folding"]
    due: Kept[str, bytes]
    """Digest of every event that a commit says, until it is found among the published ones."""

    @property
    def name(self) -> str:
        return self.machine.service

    def close(self) -> None:
        for each in (*self.old, *self.new):
            each.shelf.close()
        self.due.close()


class Folding:
    """A partition's fold. Streams that nothing comes of lie on disk, as snapshots: memory does not grow with them."""

    def __init__(self, partition: int, partitions: int, machine: AnyMachine) -> None:
        self.shelf, self._machine = Shelf(), machine
        self.fold: PartitionFold[Any, Any] = PartitionFold(partition, partitions, machine.journal_name, machine)
        self.fold.asleep = self.asked
        self._since = 0

    def take(self, record: LogRecord) -> Folded[Any, Any]:
        folded = self.fold.fold(record)
        self._since += 1
        if self._since % SWEEP == 0:
            self._put_by(self.fold.unused())
        return folded

    def rest(self) -> None:
        """Nothing more comes: every stream lies on the shelf."""
        self._put_by(list(self.fold.heads))

    def asked(self, stream: str) -> Woken[Any] | None:
        return woken(self.shelf, self._machine, stream)

    def streams(self) -> Iterator[str]:
        """Once it rests."""
        return (stream for page in self.shelf.marks(_PIECE) for stream in page)

    def _put_by(self, streams: list[str]) -> None:
        for stream in streams:
            value = snapshot_record("", self.fold.partition, snapshot_of(self.fold, stream)).value
            assert value is not None
            shelve(self.shelf, self._machine, value)
            self.fold.put_by(stream)


class Repartition:
    """Once from one folder into another, which holds a backup of the new house when it has come to its end.

    Killed, it is begun again: nothing in the new folder counts before its manifest.
    """

    def __init__(
        self, source: Path, made: Backup, folder: Path, to: Target, known: Marking, marks: Marks,
        machines: Sequence[AnyMachine], tell: Progress = lambda what, done, total: None, part_bytes: int = PART_BYTES,
    ) -> None:  # fmt: skip
        self._source, self._made, self._folder, self._to = source, made, folder, to
        self._known, self._marks = known, marks
        self._tell = tell
        self._part_bytes = part_bytes
        self._at = made.taken_at
        self._positions: list[Position] = []
        self._parts: list[Part] = []
        self._services = [self._service(each) for each in machines]

    def run(self) -> tuple[Backup, str]:
        """Raises `Different`, `Damaged`."""
        for service in self._services:
            self._journal(service)
            self._compare(service)
            self._events(service)
            self._snapshots(service)
            service.close()
        done = {each.topic for each in self._parts}
        for each in sorted({each.name: each for each in places("", 1).values()}.items()):
            if self._to.prefix + each[0] not in done:
                self._carry(each[1])
        # of what stays one empty piece is enough, and of any table there is one that begins at the lowest number
        rows = tuple(self._rows(each) for each in self._made.rows if each.table not in LEFT or each.since is None)
        made = Backup(
            *(self._made.began_at, self._made.taken_at, self._to.prefix, tuple(self._positions), rows),
            parts=tuple(self._parts),
            partitions=self._to.partitions,
        )
        digest = write_manifest(self._folder, made, self._marks(INSPECTOR, False))
        sweep(self._folder, made.files)
        return made, digest

    def _service(self, machine: AnyMachine) -> Service:
        def folds(partitions: int) -> list[Folding]:
            return [Folding(n, partitions, machine) for n in range(partitions)]

        of = topic(machine.service, "journal")
        return Service(machine, of, folds(self._made.partitions), folds(self._to.partitions), Kept(bytes))

    def _journal(self, service: Service) -> None:
        """Valid commits alone, stream by stream in their order; what is void stays where it was."""

        def valid() -> Iterator[tuple[Came, int]]:
            for came in self._records(service.topic):
                folded = service.old[came.partition].take(came.record)
                if folded.valid and folded.commit is not None:
                    for event in public_events(folded.commit):
                        service.due[_name(event.stream, event.version)] = digest_of(event)
                    yield came, self._place(folded.commit.stream)

        def fold(partition: int, record: LogRecord) -> None:
            service.new[partition].take(record)

        self._write(service.topic, valid(), fold)
        for each in (*service.old, *service.new):
            each.rest()

    def _compare(self, service: Service) -> None:
        """Every stream: version, chain, time, remembered commands, high water, state."""
        before, after = (sum(len(each.shelf) for each in folds) for folds in (service.old, service.new))
        if before != after:
            raise Different(f"{service.name}: {before} streams became {after}")
        for each in service.old:
            for stream in each.streams():
                new, old = service.new[self._place(stream)].asked(stream), each.asked(stream)
                if new is None or old is None:
                    raise Different(f"{stream} is not where it belongs")
                said, wanted = _told(new), _told(old)
                for name in wanted:
                    if said[name] != wanted[name]:
                        raise Different(f"{stream}: another {name}")

    def _events(self, service: Service) -> None:
        """Those that are accepted (journal 20), each as its commit says it; behind them what was not yet published."""
        of, due = topic(service.name, "events"), service.due

        def events() -> Iterator[tuple[Came, int]]:
            for came in self._records(of):
                try:
                    event = from_record(came.record.key, came.record.value, came.record.headers)
                except NotAPublicEvent:
                    continue
                wanted = due.get(_name(event.stream, event.version))
                if _name(event.stream, event.version - 1) in due:
                    continue  # the one before it was not published yet
                if wanted is None and event.version != self._version(service, event.stream) + 1:
                    continue  # it comes again
                if wanted != digest_of(event):
                    raise Different(f"{event.stream}: no commit says the event of version {event.version}")
                del due[_name(event.stream, event.version)]
                yield came, self._place(event.stream)
            for commit in self._commits(service) if due else ():
                for event, out in zip(public_events(commit), public_records(of.name, commit), strict=True):
                    if _name(event.stream, event.version) in due:
                        record = LogRecord(-1, out.key, out.value, out.headers, self._at)
                        yield Came(-1, record, service.name), self._place(event.stream)

        self._write(of, events())

    def _version(self, service: Service, stream: str) -> int:
        found = service.new[self._place(stream)].asked(stream)
        return found.head.version if found is not None else 0

    def _commits(self, service: Service) -> Iterator[Commit]:
        """Of the new journal, in which all are valid."""
        name = self._to.prefix + service.topic.name
        for part in [each for each in self._parts if each.topic == name]:
            for record in records_in(self._folder, part):
                yield decode(record.value or b"")

    def _snapshots(self, service: Service) -> None:
        """Of the fold that was compared, and a manifest: a start folds nothing (journal 16, 17)."""
        name = self._to.prefix + topic(service.name, "snapshots").name
        for each in service.new:
            fold, place = each.fold, (name, each.fold.partition)
            lies, pieces = self._lies(place), 0

            def add(out: OutRecord, place: Place = place, lies: _Lies = lies) -> None:
                out = service.machine.seals.sealed(out)
                came = Came(-1, LogRecord(-1, out.key, out.value, out.headers, self._at), service.name)
                lies.add(self._marked(place, came))

            cutter = Cutter(fold.journal_name, "moved", self._part_bytes, Left())
            for stream in each.streams():
                whole, covered = each.shelf.get(stream), each.shelf.place(stream)
                assert whole is not None
                assert covered is not None
                for key, value in cutter.cut(stream, covered[0], whole) or [(stream_key(stream), whole)]:
                    add(OutRecord(name, key, value, (), fold.partition))
            for pieces, page in enumerate(each.shelf.marks(_PIECE), 1):
                add(piece_record(*place, Piece(fold.journal_name, "moved", pieces - 1, page)))
            add(head_record(*place, replace(manifest_of(fold, fold.position.next, {}), of="moved", pieces=pieces)))
            self._parts.append(lies.end())

    def _carry(self, of: Topic) -> None:
        def all_of_it() -> Iterator[tuple[Came, int]]:
            for came in self._records(of):
                if came.record.key is not None:
                    yield came, 0 if of.is_single else self._place(came.record.key.decode())

        self._write(of, all_of_it())

    def _place(self, stream: str) -> int:
        return partition_of(stream, self._to.partitions)

    def _records(self, of: Topic) -> Iterator[Came]:
        """Those with a true mark, in the order of their times; those of one partition stay in theirs."""

        def part(partition: int) -> Iterator[Came]:
            held = self._made.part(self._made.prefix + of.name, partition)
            assert held is not None, "a backup has all partitions"
            for record in records_in(self._source, held):
                if self._known.why_foreign(held.place, record) is None:
                    asked = self._known.why_not_asked(held.place, record) is None
                    yield Came(partition, record, writer_of(record.headers) or of.writers[-1], asked)

        parts = [part(n) for n in range(of.partitions(self._made.partitions))]
        yield from heapq.merge(*parts, key=lambda came: came.record.timestamp)

    def _write(
        self, of: Topic, records: Iterable[tuple[Came, int]],
        on: Callable[[int, LogRecord], None] = lambda partition, record: None,
    ) -> None:  # fmt: skip
        """Each record at the end of its new partition; and how far every group has come there: up to the first record
        that it had not come to."""
        name, count = self._to.prefix + of.name, of.partitions(self._to.partitions)
        groups = self._groups(of)
        reached: dict[tuple[str, int], int] = {}
        lie = [self._lies((name, n)) for n in range(count)]
        total = sum(each.records for each in self._made.parts if each.topic == self._made.prefix + of.name)
        for done, (came, partition) in enumerate(records):
            record = self._marked((name, partition), came, lie[partition].offset)
            for group, at in groups.items():
                if came.partition < 0 or came.record.offset >= at.get(came.partition, 0):
                    reached.setdefault((group, partition), record.offset)
            lie[partition].add(record)
            on(partition, record)
            if done % _EVERY == 0:
                self._tell(name, done, total)
        for partition, each in enumerate(lie):
            for group in groups:
                came_to = reached.get((group, partition), each.offset)
                if (position := self._position(group, name, partition, came_to, of)) is not None:
                    self._positions.append(position)
            self._parts.append(each.end())

    def _lies(self, place: Place) -> "_Lies":
        return _Lies(self._folder, place, self._at)

    def _groups(self, of: Topic) -> Mapping[str, Mapping[int, int]]:
        found: dict[str, dict[int, int]] = defaultdict(dict)
        for each in self._made.positions:
            if each.topic == self._made.prefix + of.name:
                found[each.group][each.partition] = each.offset
        return found

    def _position(self, group: str, name: str, partition: int, at: int, of: Topic) -> Position | None:
        """With the oldest sign of life that any partition has (journal 12): nobody was there later than it says.

        Where any of them bore no true mark, or was left out (`backups/judging.py`), the new one bears none: its owner
        begins as if there were none, and tells it. Of policies that have not come to a partition yet, as where a house
        is closed moments after its start, there is none: they begin so, too, and there is nothing to tell.
        """
        bare = group.removeprefix(self._made.prefix)
        who, renamed, old = bare.partition("-")[0], self._to.prefix + bare, self._made.prefix + of.name
        theirs = [each for each in self._made.positions if (each.group, each.topic) == (group, old)]
        if who not in POSITIONED:
            return Position(renamed, name, partition, at, "")
        marks = self._marks(who, False)
        true = [
            there
            for each in theirs
            if (there := found(marks, group, old, each.partition, each.offset, each.beside).position) is not None
        ]
        if len(true) < of.partitions(self._made.partitions):
            if len(true) == len(theirs) and of != topic(who, "commands"):
                return None
            return Position(renamed, name, partition, at, "")
        sign = min((each.sign for each in true if each.sign is not None), default=None)
        position = Standing(at, max((each.at for each in true), default=0), sign)
        return Position(renamed, name, partition, at, beside(marks, renamed, name, partition, position))

    def _marked(self, place: Place, came: Came, offset: int = -1) -> LogRecord:
        record = came.record
        bare = tuple(each for each in record.headers if each[0] not in (HEADER, ASKED))
        headers = self._marks(came.writer, came.asked).marked(place, record.key, record.value, bare)
        return LogRecord(offset, record.key, record.value, headers, record.timestamp)

    def _rows(self, rows: Rows) -> Rows:
        if rows.table not in LEFT:
            shutil.copyfile(self._source / rows.file, self._folder / rows.file)
            return rows
        (self._folder / rows.file).write_bytes(b"")
        return replace(rows, rows=0, sha256=content_digest(b""), below=None)


class _Lies:
    """A partition as it is written: dense, from offset 0."""

    def __init__(self, folder: Path, place: Place, at: int) -> None:
        self._writer = Writer(folder, Part(*place, f"{place[0]}-{place[1]}.{at}.records", 0, 0))
        self.offset = 0

    def add(self, record: LogRecord) -> None:
        self._writer.add([replace(record, offset=self.offset)])
        self.offset += 1

    def end(self) -> Part:
        return self._writer.end(self.offset)


def _told(found: Woken[Any]) -> dict[str, object]:
    head = found.head
    return {
        "version": head.version,
        "digest": head.prev,
        "time": head.time,
        "memory of commands": tuple(head.ring.items()),
        "high water": head.high_water,
        "state": found.state,
    }


def _name(stream: str, version: int) -> str:
    return f"{stream}\x1f{version:012}"
