"""Where a reader starts: snapshots, manifest, and the proof that the log below them is still the same one."""

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import Any, Generic, NamedTuple

import msgspec

from libs.journal.commit import digest
from libs.journal.fold import PartitionFold, Position
from libs.journal.kept import MakeShelf, nameless
from libs.journal.log import Log, LogRecord, LogRewritten, LogUnavailable, OffsetOutOfRange, Reader
from libs.journal.machine import AnyMachine, EventT, Machine, StateT
from libs.journal.manifests import FORMAT, Manifest, Sets, is_of_a_set, start_of
from libs.journal.names import Names
from libs.journal.parts import KEY as PART
from libs.journal.parts import Left, Parts
from libs.journal.positions import Decided
from libs.journal.seals import seal_in
from libs.journal.shelf import Shelf
from libs.journal.snapshots import Unreadable, shelve, woken
from libs.journal.telling import SNAPSHOT_DIFFERS, Telling

_log = logging.getLogger(__name__)

_PAGE = 1000
_WAIT_MS = 100


class Restored(NamedTuple, Generic[StateT, EventT]):
    fold: PartitionFold[StateT, EventT]
    shelf: Shelf
    manifests: frozenset[bytes]
    """Keys of what was there of manifests."""
    parts: Left
    """And of snapshots in parts."""


async def restore(
    log: Log,
    machine: Machine[StateT, Any, EventT, Any],
    names: Names,
    partition: int,
    aside: Collection[str] = (),
    source: str = "",
    tell: Callable[[Telling], None] = lambda telling: None,
    make: MakeShelf = nameless,
) -> Restored[StateT, EventT]:
    """A fold that stands where the manifest lets it stand. Raises `LogRewritten` rather than start on another log.

    Only streams that something falls due for are decoded; `aside`: those whose snapshots count as none; `source`: name
    of the partition's own commands. `tell` hears of every record that is none of ours (journal 24) or a manifest's head
    that can't be read.
    """
    known_by = b"" if make is nameless else await _known_by(log, machine, names)
    shelf = make(names.snapshots, partition, known_by)
    try:
        return await _restored(log, machine, names, partition, aside, source, tell, shelf)
    except LogRewritten as wrong:
        shelf.close()
        if not shelf.first:
            raise
        # The topic itself has the last word about it.
        _log.error("what was kept is left aside: %s", wrong, extra={"partition": partition})
        shelf.condemn()
    except BaseException as wrong:
        shelf.close()
        if isinstance(wrong, Exception) and not isinstance(wrong, LogUnavailable):
            shelf.condemn()  # whatever lies there, the next start is not to end of it again
        raise
    shelf = Shelf()
    return await _restored(log, machine, names, partition, aside, source, tell, shelf)


async def _known_by(log: Log, machine: AnyMachine, names: Names) -> bytes:
    """What a kept shelf is of: this topic and no later one of its name, this format of states, these keys."""
    topic = await log.identity(names.snapshots)
    state = machine.encode_state("", machine.decider.initial(""))
    house = b"%d/%d" % (names.incarnation, names.partitions)
    parts = (FORMAT, topic, machine.journal_name.encode(), house, machine.seals.rule, state)
    return digest(b"".join(digest(each) for each in parts))


async def _restored(
    log: Log,
    machine: Machine[StateT, Any, EventT, Any],
    names: Names,
    partition: int,
    aside: Collection[str],
    source: str,
    tell: Callable[[Telling], None],
    shelf: Shelf,
) -> Restored[StateT, EventT]:
    sets = Sets(machine.journal_name, shelf.is_checked)
    fold: PartitionFold[StateT, EventT] = PartitionFold(partition, names.partitions, machine.journal_name, machine)
    read_to, left = await _shelve(log, machine, names.snapshots, partition, shelf, sets, tell)
    for stream in aside:
        shelf.drop(stream)
    reader = await log.reader(names.journal, partition)
    try:
        reached = max([shelf.furthest(), *(head.low for head in sets.heads.values())])
        if reached > await reader.end():  # journal 17
            raise LogRewritten("a snapshot reaches beyond the end of the journal")
        for head in sets.heads.values():
            await _check_digest(reader, head)
        _wake(fold, machine, shelf)
        manifest = sets.best()
        fold.source = source
        if manifest is not None and manifest.decided_source == source:
            fold.decided = Decided(manifest.decided, manifest.decided_time)
        marks = sets.marks(manifest) if manifest is not None else ()
        fold.position = await _position(reader, await start_of(manifest, marks, shelf))
    finally:
        await reader.close()
    shelf.check_alone(sets.heads)
    shelf.settle(read_to)
    # A snapshot below the start that the manifest does not call stale has no commit in between (journal 17).
    fold.asleep = lambda stream: woken(shelf, machine, stream)
    return Restored(fold, shelf, frozenset(sets.keys), left)


def _wake(fold: PartitionFold[StateT, EventT], machine: Machine[StateT, Any, EventT, Any], shelf: Shelf) -> None:
    """Those that have to be known at once. One whose snapshot can't be read counts as one without."""
    for stream in shelf.awake():
        try:
            found = woken(shelf, machine, stream)
        except Unreadable:
            shelf.drop(stream)
            continue
        assert found is not None
        fold.take_up(stream, found)


async def _shelve(
    log: Log,
    machine: Machine[StateT, Any, EventT, Any],
    topic: str,
    partition: int,
    shelf: Shelf,
    sets: Sets,
    tell: Callable[[Telling], None],
) -> tuple[int, Left]:
    """Up to where the topic is read, and what lies there of parts."""
    parts = Parts(machine.journal_name)

    def take(record: LogRecord, why: str | None) -> str | None:
        """Why it counts for nothing. Whoever takes a record away adds nothing: more is folded (journal 17)."""
        key = record.key or b""
        if why is not None:
            if is_of_a_set(key):
                sets.keys.add(key)  # it goes with the sets of others
            parts.put_aside(key)
            return why
        try:
            if not sets.take(record) and not parts.take(record) and record.value:
                shelve(shelf, machine, record.value, seal_in(record.headers) or b"")
        except msgspec.MsgspecError:
            parts.put_aside(key)
            return ("a manifest's head" if is_of_a_set(key) else "a part of a snapshot") + " that can't be read"
        return None

    def differs(offset: int, key: bytes) -> None:
        tell(Telling(SNAPSHOT_DIFFERS, (topic, partition), offset, key, "its parts are not what they say together"))

    for record in shelf.known():
        take(record, machine.seals.why_not((topic, partition), record))
    reader = await log.reader(topic, partition)
    try:
        position, end = shelf.first, await reader.end()
        while position < end:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
            for record in fetched.records:
                foreign = machine.seals.why_not((topic, partition), record) if record.value else None
                if (why := take(record, foreign)) is not None:
                    tell(Telling(SNAPSHOT_DIFFERS, (topic, partition), record.offset, record.key or b"", why))
                if is_of_a_set(key := record.key or b"") or key.startswith(PART):
                    shelf.note(record)
            position = fetched.position
        for _, whole in parts.joined(differs):
            shelve(shelf, machine, whole)
            await asyncio.sleep(0)
        for stream in shelf.bare():  # its parts are gone, for another owner's snapshot took their place
            if shelf.why_not(machine.seals, stream) is not None:
                shelf.drop(stream)
        return position, parts.left(lambda stream: place[0] if (place := shelf.place(stream)) is not None else -1)
    finally:
        parts.close()
        await reader.close()


async def _check_digest(reader: Reader, manifest: Manifest) -> None:
    if manifest.folded < 0:
        return
    found = await _record_at(reader, manifest.folded)
    if found is None or digest(found.value or b"") != manifest.digest:  # journal 21
        raise LogRewritten("the journal holds another record where the manifest saw its last")


async def _position(reader: Reader, start: int) -> Position:
    """A position at `start` that remembers the record before it, where there is one."""
    if start == 0:
        return Position()
    before = await _record_at(reader, start - 1)
    if before is None:
        return Position(start)
    return Position(start, before.offset, digest(before.value or b""))


async def _record_at(reader: Reader, offset: int) -> LogRecord | None:
    """The record at this offset; None if the log has a hole there."""
    while True:
        try:
            fetched = await reader.read(offset, 1, _WAIT_MS)
        except OffsetOutOfRange:
            raise LogRewritten("the journal no longer holds an offset that was folded") from None
        if fetched.records:
            return fetched.records[0] if fetched.records[0].offset == offset else None
        if fetched.position > offset:
            return None
