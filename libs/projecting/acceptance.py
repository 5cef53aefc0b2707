"""Which of the records that arrived count: the next version of a stream, once, and nothing else (journal 20). Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from libs.contracts import versions
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import UnknownEvent, parse_event, place_of
from libs.projecting.positions import Head, Reached
from libs.projecting.projection import Told
from libs.projecting.source import Arrived, Partition


@dataclass(frozen=True, slots=True)
class Gap:
    """A version above the next one. It is skipped: its publisher sends the missing ones, and it again."""

    topic: str
    stream: str
    expected: int
    found: int


@dataclass(slots=True)
class Accepted:
    """What one batch comes to."""

    facts: list[Told] = field(default_factory=list)
    places: list[tuple[str, int, int]] = field(default_factory=list)
    """Topic, partition and offset of each of the facts."""
    heads: dict[Partition, Head] = field(default_factory=dict)
    streams: dict[tuple[str, str], Reached] = field(default_factory=dict)
    parked: list[tuple[Arrived, str]] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    duplicates: int = 0


def accept(
    records: Sequence[Arrived], heads: Mapping[Partition, Head], streams: Mapping[tuple[str, str], Reached]
) -> Accepted:
    """Sorts a batch. `heads` and `streams` are left as they are; the new ones stand in the result."""
    batch = Accepted()
    for record in records:
        partition = (record.topic, record.partition)
        head = batch.heads.get(partition)
        if head is None:
            head = batch.heads[partition] = replace(heads[partition])
        if record.offset < head.position:
            continue
        head.position = record.offset + 1
        if record.event is None:
            batch.parked.append((record, record.reason))
            continue
        _take(batch, head, record, record.event, streams)
    return batch


def rolled(digest: bytes, event: PublicEvent) -> bytes:
    """The rolling digest after one more event: SHA-256 over the digest before, id, type, time and the body.

    It is the same whether the event was read from the topic or made anew from the journal.
    """
    text = f"{event.stream}\x1f{event.version}\x1f{event.type}\x1f{event.time}\x1f".encode()
    return hashlib.sha256(digest + text + event.data).digest()


def _take(
    batch: Accepted,
    head: Head,
    record: Arrived,
    event: PublicEvent,
    streams: Mapping[tuple[str, str], Reached],
) -> None:
    key = (record.topic, event.stream)
    before = batch.streams.get(key) or streams.get(key) or Reached()
    accepted, seen = versions.accepts(before.version, event.version), max(before.seen, event.version)
    if accepted is versions.Accepted.SEEN:
        batch.duplicates += 1
        return
    if accepted is versions.Accepted.GAP:
        batch.gaps.append(Gap(record.topic, event.stream, before.version + 1, event.version))
        batch.streams[key] = Reached(before.version, seen)
        return
    try:
        body = parse_event(event)
    except UnknownEvent:
        body = None  # of a newer publisher: nothing for us in it, but it has its place in the stream
    except msgspec.MsgspecError as wrong:
        # Not accepted: what follows in the stream will show as a gap, rather than books that miss an entry.
        batch.parked.append((record, f"body of {event.type} out of bounds: {place_of(wrong)}"))
        batch.streams[key] = Reached(before.version, seen)
        return
    batch.streams[key] = Reached(event.version, seen)
    head.accepted += 1
    head.digest = rolled(head.digest, event)
    head.event_time = max(head.event_time, event.time)
    if body is not None:
        batch.facts.append((event, body))
        batch.places.append((record.topic, record.partition, record.offset))
