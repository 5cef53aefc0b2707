"""Where a reader starts: snapshots, manifest, and the proof that the log below them is still the same one."""

import asyncio
from collections.abc import Callable, Collection
from typing import Any, Generic, NamedTuple

import msgspec

from libs.journal.commit import digest
from libs.journal.fold import PartitionFold, Position
from libs.journal.log import Log, LogRecord, LogRewritten, OffsetOutOfRange, Reader
from libs.journal.machine import EventT, Machine, StateT
from libs.journal.manifests import Manifest, Sets, is_of_a_set, start_of
from libs.journal.names import Names
from libs.journal.parts import Left, Parts
from libs.journal.positions import Decided
from libs.journal.shelf import Shelf
from libs.journal.snapshots import Unreadable, shelve, woken
from libs.journal.telling import SNAPSHOT_DIFFERS, Telling

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
) -> Restored[StateT, EventT]:
    """A fold that stands where the manifest lets it stand. Raises `LogRewritten` rather than start on another log.

    Only streams that something falls due for are decoded; `aside`: those whose snapshots count as none; `source`: name
    of the partition's own commands. `tell` hears of every record that is none of ours (journal 24) or a manifest's head
    that can't be read.
    """
    shelf, sets = Shelf(), Sets(machine.journal_name)
    fold: PartitionFold[StateT, EventT] = PartitionFold(partition, names.partitions, machine.journal_name, machine)
    left = await _shelve(log, machine, names.snapshots, partition, shelf, sets, tell)
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
        marks = sets.marks(manifest) if manifest is not None else ()
        fold.source = source
        if manifest is not None and manifest.decided_source == source:
            fold.decided = Decided(manifest.decided, manifest.decided_time)
        fold.position = await _position(reader, await start_of(manifest, marks, shelf))
    finally:
        await reader.close()
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
) -> Left:
    parts = Parts(machine.journal_name)

    def take(record: LogRecord) -> str | None:
        """Why it counts for nothing. Whoever takes a record away adds nothing: more is folded (journal 17)."""
        key = record.key or b""
        if record.value and (why := machine.seals.why_not((topic, partition), record)) is not None:
            if is_of_a_set(key):
                sets.keys.add(key)  # it goes with the sets of others
            parts.put_aside(key)
            return why
        try:
            if not sets.take(record) and not parts.take(record) and record.value:
                shelve(shelf, machine, record.value)
        except msgspec.MsgspecError:
            parts.put_aside(key)
            return ("a manifest's head" if is_of_a_set(key) else "a part of a snapshot") + " that can't be read"
        return None

    def differs(offset: int, key: bytes) -> None:
        tell(Telling(SNAPSHOT_DIFFERS, (topic, partition), offset, key, "its parts are not what they say together"))

    reader = await log.reader(topic, partition)
    try:
        position, end = 0, await reader.end()
        while position < end:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
            for record in fetched.records:
                if (why := take(record)) is not None:
                    tell(Telling(SNAPSHOT_DIFFERS, (topic, partition), record.offset, record.key or b"", why))
            position = fetched.position
        for _, whole in parts.joined(differs):
            shelve(shelf, machine, whole)
            await asyncio.sleep(0)
        return parts.left(lambda stream: place[0] if (place := shelf.place(stream)) is not None else -1)
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
