"""What was published against what was decided: the public topic holds every event of the journal, and nothing else."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind

GRACE_MS = 30_000
Stream = tuple[str, str]
"""Service and name: two services may have a stream of one name."""


@dataclass(slots=True)
class Publication:
    """Digests of what the journals say, per service and stream in order of version, and how far each was published."""

    decided: dict[Stream, list[bytes]] = field(default_factory=dict)
    times: dict[Stream, list[int]] = field(default_factory=dict)
    published: dict[Stream, int] = field(default_factory=dict)
    records: int = 0

    def decide(self, event: PublicEvent) -> None:
        """An event made from the journal; versions in order."""
        self.decided.setdefault(_of(event), []).append(digest_of(event))
        self.times.setdefault(_of(event), []).append(event.time)

    def publish(self, event: PublicEvent, place: tuple[str, int, int]) -> Iterator[Finding]:
        """An event read at (topic, partition, offset) of a public topic; true repetitions are let pass (journal 19)."""
        self.records += 1
        stream = _of(event)
        decided = self.decided.get(stream, [])
        if event.version > len(decided):
            detail = f"version {event.version} was published, the journal ends at {len(decided)}"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)
            return
        if event.version == self.published.get(stream, 0) + 1:  # journal 20: anything else comes again
            self.published[stream] = event.version
        if digest_of(event) != decided[event.version - 1]:
            detail = "what was published is not what was decided"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)

    def end(self, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
        """What should have been published by `now`, milliseconds since the epoch."""
        for stream, times in self.times.items():
            published = self.published.get(stream, 0)
            if published < len(times) and times[published] < now - grace_ms:
                detail = f"published up to version {published} of {len(times)}"
                yield Finding(Kind.PUBLICATION, stream[1], detail, published + 1)


def _of(event: PublicEvent) -> Stream:
    return event.service, event.stream


def digest_of(event: PublicEvent) -> bytes:
    """Of what counts: type, time, cause and body; trace context and the like may differ."""
    text = f"{event.type}\x1f{event.time}\x1f{event.causation}\x1f".encode()
    return hashlib.sha256(text + event.data).digest()[:16]
