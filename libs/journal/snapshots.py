"""Snapshots of confirmed folds and the manifest over them (journal 16): their bytes and their place in the topic."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from libs.contracts.reading import read
from libs.journal.fold import Head, PartitionFold
from libs.journal.log import LogRecord, OutRecord
from libs.journal.ring import Answer, Ring

_log = logging.getLogger(__name__)

FORMAT = b"\x01"
MANIFEST_KEY = b"manifest"
_STREAM_PREFIX = b"stream/"
ReadT = TypeVar("ReadT")


class Snapshot(msgspec.Struct, frozen=True, array_like=True):
    """One stream as of `upto`: everything below that offset is in it."""

    journal_name: str
    stream: str
    upto: int
    last: int
    """Offset of the stream's last valid commit; freshness goes by this, not by version (journal 17)."""
    version: int
    prev: bytes
    time: int
    ring: tuple[tuple[bytes, Answer], ...]
    high_water: dict[str, int]
    state: bytes


class Manifest(msgspec.Struct, frozen=True, array_like=True):
    """Everything below `low` is published and in snapshots; `last` names every stream of them with a commit that its
    snapshot covers."""

    journal_name: str
    low: int
    last: dict[str, int]
    folded: int
    """Offset of the last record folded, with its digest: compared on restore (journal 21). -1: none."""
    digest: bytes


def snapshot_of(fold: PartitionFold[Any, Any], stream: str) -> Snapshot:
    """Only of a fold of confirmed records, whose public events are acknowledged (journal 16, 18)."""
    head = fold.heads[stream]
    assert fold.machine is not None
    return Snapshot(
        journal_name=fold.journal_name,
        stream=stream,
        upto=max(fold.position.next, fold.covered.get(stream, 0)),
        last=head.last_offset,
        version=head.version,
        prev=head.prev,
        time=head.time,
        ring=tuple(head.ring.items()),
        high_water=dict(head.high_water),
        state=fold.machine.encode_state(stream, fold.states[stream]),
    )


def manifest_of(
    fold: PartitionFold[Any, Any], low: int | None = None, last: Mapping[str, int] | None = None
) -> Manifest:
    """Unless told otherwise of a fold whose every stream is in a snapshot."""
    at = fold.position
    covered = {stream: head.last_offset for stream, head in fold.heads.items()} if last is None else dict(last)
    return Manifest(fold.journal_name, at.next if low is None else low, covered, folded=at.last, digest=at.digest)


def head_of(snapshot: Snapshot) -> Head:
    ring, high_water = Ring(snapshot.ring), dict(snapshot.high_water)
    return Head(snapshot.version, snapshot.prev, snapshot.time, snapshot.last, ring, high_water)


def snapshot_record(topic: str, partition: int, snapshot: Snapshot) -> OutRecord:
    key = _STREAM_PREFIX + snapshot.stream.encode()
    return OutRecord(topic, key, FORMAT + msgspec.msgpack.encode(snapshot), (), partition)


def manifest_record(topic: str, partition: int, manifest: Manifest) -> OutRecord:
    return OutRecord(topic, MANIFEST_KEY, FORMAT + msgspec.msgpack.encode(manifest), (), partition)


def latest(records: Iterable[LogRecord], journal_name: str) -> tuple[Manifest | None, dict[str, Snapshot]]:
    """Best manifest and snapshots of a partition; those of another incarnation or format count for nothing.

    So does a snapshot that can't be decoded: the journal has everything, and a stream without one is folded from it. A
    manifest that can't be decoded is raised: it may be the one that would show a log that was cut (journal 21).
    """
    manifest: Manifest | None = None
    written: dict[str, list[tuple[int, LogRecord]]] = {}
    for record in records:
        if not record.value or record.value[:1] != FORMAT:
            continue
        if record.key == MANIFEST_KEY:
            found = msgspec.msgpack.decode(_body(record), type=Manifest)
            if found.journal_name == journal_name and (manifest is None or found.low >= manifest.low):
                manifest = found
            continue
        place = _read(record, _Place)
        if place is not None and place.journal_name == journal_name:
            written.setdefault(place.stream, []).append((place.upto, record))
    return manifest, {stream: best for stream, each in written.items() if (best := _best(each)) is not None}


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """How a snapshot begins. Only the one that counts is decoded whole: those before it may lie there as well."""

    journal_name: str
    stream: str
    upto: int


def _best(written: list[tuple[int, LogRecord]]) -> Snapshot | None:
    """The one that reaches furthest and can be decoded; of two that reach as far the later one."""
    for _, record in sorted(written, key=lambda each: (each[0], each[1].offset), reverse=True):
        snapshot = _read(record, Snapshot)
        if snapshot is not None:
            return snapshot
    return None


def _read(record: LogRecord, kind: type[ReadT]) -> ReadT | None:
    try:
        return read(msgspec.msgpack.Decoder(kind), _body(record))
    except msgspec.MsgspecError:
        _log.error("a snapshot that can't be read is left aside", extra={"offset": record.offset})
        return None


def _body(record: LogRecord) -> memoryview:
    return memoryview(record.value or b"")[len(FORMAT) :]


def start_of(manifest: Manifest | None, snapshots: dict[str, Snapshot]) -> int:
    """Where folding starts so that no commit is missed (journal 17)."""
    if manifest is None:
        return 0
    start = manifest.low
    for stream, last in manifest.last.items():
        snapshot = snapshots.get(stream)
        if snapshot is None:
            return 0
        if snapshot.last < last:
            start = min(start, snapshot.upto)
    return start
