"""Snapshots of confirmed folds (journal 16): their bytes and their place in the topic."""

import logging
from typing import Any

import msgspec

from libs.contracts.reading import read
from libs.journal.fold import Head, PartitionFold, Woken
from libs.journal.log import OutRecord
from libs.journal.machine import EventT, Machine, OldSnapshot, StateT
from libs.journal.manifests import FORMAT, Manifest
from libs.journal.ring import Answer, Ring
from libs.journal.shelf import Place, Shelf, stream_key

_log = logging.getLogger(__name__)


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
    rests: bool = False
    """Nothing falls due for it: it need not be known before somebody asks something of it."""
    aside: str = ""
    """Why nothing can be decided on it (journal 25); `state` is empty then, which no older build goes on from."""
    initial: bytes = b""
    """Of such a one: an initial state in this build's format. A build of another format folds the stream anew."""


def snapshot_of(fold: PartitionFold[Any, Any], stream: str) -> Snapshot:
    """Only of a fold of confirmed records, whose public events are acknowledged (journal 16, 18)."""
    head, state, aside = fold.heads[stream], fold.states[stream], fold.aside.get(stream, "")
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
        state=fold.machine.encode_state(stream, state) if not aside else b"",
        rests=bool(aside) or fold.machine.rests(state),
        aside=aside,
        initial=fold.machine.encode_state(stream, state) if aside else b"",
    )


def manifest_of(fold: PartitionFold[Any, Any], low: int, last: dict[str, int]) -> Manifest:
    """As of this moment, of the streams that a round takes."""
    position, decided = fold.position, fold.decided
    return Manifest(
        *(fold.journal_name, low, last, position.last, position.digest),
        decided_source=fold.source,
        decided=decided.offset,
        decided_time=decided.time,
    )


def head_of(snapshot: Snapshot) -> Head:
    ring, high_water = Ring(snapshot.ring), dict(snapshot.high_water)
    return Head(snapshot.version, snapshot.prev, snapshot.time, snapshot.last, ring, high_water)


def encoded(snapshot: Snapshot) -> bytes:
    """As a record holds it, or its parts together."""
    return FORMAT + msgspec.msgpack.encode(snapshot)


def snapshot_record(topic: str, partition: int, snapshot: Snapshot) -> OutRecord:
    """In one record, whatever its size."""
    return OutRecord(topic, stream_key(snapshot.stream), encoded(snapshot), (), partition)


_PLACE = msgspec.msgpack.Decoder(Place)
_SNAPSHOT = msgspec.msgpack.Decoder(Snapshot)


class Unreadable(Exception):
    """A snapshot on the shelf can't be decoded: the stream has to be folded from the journal's beginning."""

    def __init__(self, stream: str) -> None:
        super().__init__(f"the snapshot of {stream} can't be read")
        self.stream = stream


def shelve(shelf: Shelf, machine: Machine[StateT, Any, EventT, Any], value: bytes, seal: bytes = b"") -> None:
    """Puts a record's value there, if it is a snapshot of this incarnation and of a format that is still read."""
    if value[:1] != FORMAT:
        return
    try:
        place = read(_PLACE, memoryview(value)[len(FORMAT) :])
        state = place.initial if place.aside else place.state
        counts = place.journal_name == machine.journal_name and machine.reads(state)
    except msgspec.MsgspecError:
        _log.error("a snapshot that can't be read is left aside")
        return
    if counts:
        shelf.put(place, value, seal)


def woken(shelf: Shelf, machine: Machine[StateT, Any, EventT, Any], stream: str) -> Woken[StateT] | None:
    """The stream as its snapshot has it; None where there is none. Raises `Unreadable`."""
    value = shelf.get(stream)
    if value is None:
        return None
    if (why := shelf.why_not(machine.seals, stream)) is not None:
        _log.critical("a snapshot on the shelf is not as it was put there: %s", why, extra={"stream": stream})
        raise Unreadable(stream)
    try:
        snapshot = read(_SNAPSHOT, memoryview(value)[len(FORMAT) :])
        if (snapshot.upto, snapshot.last, snapshot.rests) != shelf.row(stream):
            _log.critical("a snapshot on the shelf is another one than was put there", extra={"stream": stream})
            raise Unreadable(stream)
        if snapshot.aside:
            return Woken(head_of(snapshot), machine.decider.initial(stream), snapshot.upto, snapshot.aside)
        return Woken(head_of(snapshot), machine.decode_state(stream, snapshot.state), snapshot.upto)
    except (msgspec.MsgspecError, OldSnapshot):
        raise Unreadable(stream) from None
