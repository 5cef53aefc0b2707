"""Where a reader starts: snapshots, manifest, and the proof that the log below them is still the same one."""

from contextlib import suppress
from typing import Any

from libs.journal.commit import digest
from libs.journal.fold import PartitionFold, Position
from libs.journal.log import Log, LogRecord, LogRewritten, OffsetOutOfRange, Reader
from libs.journal.machine import EventT, Machine, OldSnapshot, StateT
from libs.journal.names import Names
from libs.journal.snapshots import Manifest, Snapshot, head_of, latest, start_of

_PAGE = 1000
_WAIT_MS = 100


async def restore(
    log: Log, machine: Machine[StateT, Any, EventT, Any], names: Names, partition: int
) -> PartitionFold[StateT, EventT]:
    """A fold that stands where the manifest lets it stand. Raises `LogRewritten` rather than start on another log."""
    manifest, found = latest(await _whole(log, names.snapshots, partition), machine.journal_name)
    fold: PartitionFold[StateT, EventT] = PartitionFold(partition, names.partitions, machine.journal_name, machine)
    reader = await log.reader(names.journal, partition)
    try:
        await _check_end(reader, manifest, found)
        await _check_digest(reader, manifest)
        states = _states(machine, found)
        found = {stream: snapshot for stream, snapshot in found.items() if stream in states}
        start = start_of(manifest, found)
        fold.position = await _position(reader, start)
    finally:
        await reader.close()
    for stream, snapshot in found.items():
        # A snapshot below `start` that the manifest does not call stale has no commit in between (journal 17).
        fold.heads[stream] = head_of(snapshot)
        fold.states[stream] = states[stream]
        fold.covered[stream] = snapshot.upto
    return fold


def _states(machine: Machine[StateT, Any, Any, Any], found: dict[str, Snapshot]) -> dict[str, StateT]:
    """Decoded states; a stream whose snapshot is of an old format counts as one without (journal 17: start 0)."""
    states: dict[str, StateT] = {}
    for stream, snapshot in found.items():
        with suppress(OldSnapshot):
            states[stream] = machine.decode_state(stream, snapshot.state)
    return states


async def _whole(log: Log, topic: str, partition: int) -> list[LogRecord]:
    reader = await log.reader(topic, partition)
    try:
        records: list[LogRecord] = []
        position, end = 0, await reader.end()
        while position < end:
            fetched = await reader.read(position, _PAGE, _WAIT_MS)
            records.extend(fetched.records)
            position = fetched.position
        return records
    finally:
        await reader.close()


async def _check_end(reader: Reader, manifest: Manifest | None, snapshots: dict[str, Snapshot]) -> None:
    reached = max([manifest.low if manifest else 0, *(s.upto for s in snapshots.values())])
    if reached > await reader.end():  # journal 17
        raise LogRewritten("a snapshot reaches beyond the end of the journal")


async def _check_digest(reader: Reader, manifest: Manifest | None) -> None:
    if manifest is None or manifest.folded < 0:
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
