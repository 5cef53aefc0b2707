"""What was published against what was decided: the public topic holds every event of the journal, and nothing else."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept, Store

GRACE_MS = 30_000
Stream = tuple[str, str]
"""Service and name: two services may have a stream of one name."""


@dataclass(slots=True)
class Publication:
    """What journals say, and how far each stream of theirs was published."""

    decided: dict[Stream, int] = field(default_factory=dict)
    """Stream to its version."""
    said: Kept[str, tuple[bytes, int]] = field(default_factory=lambda: Kept(tuple[bytes, int]))
    """Digest and time (ms) of each event."""
    published: dict[Stream, int] = field(default_factory=dict)
    records: int = 0
    before: Kept[str, tuple[int, int]] | None = None
    """By stream, how far an earlier walk has seen it decided and published; its `said` has what lies between."""

    @classmethod
    def going_on(cls, store: Store, place: str) -> "Publication":
        """With what an earlier walk left of this partition."""
        said: Kept[str, tuple[bytes, int]] = Kept(tuple[bytes, int], store, f"said {place}")
        return cls(said=said, before=Kept(tuple[int, int], store, f"public {place}"))

    def _recall(self, stream: Stream) -> None:
        if self.before is not None and stream not in self.decided:
            self.decided[stream], self.published[stream] = self.before.get(_name(stream), (0, 0))

    def decide(self, event: PublicEvent) -> None:
        """An event made from the journal; versions in order."""
        stream = event.service, event.stream
        self._recall(stream)
        version = self.decided[stream] = self.decided.get(stream, 0) + 1
        self.said[_name(stream, version)] = digest_of(event), event.time

    def publish(self, event: PublicEvent, place: tuple[str, int, int]) -> Iterator[Finding]:
        """An event read at (topic, partition, offset) of a public topic; true repetitions are let pass (journal 19)."""
        self.records += 1
        stream = event.service, event.stream
        self._recall(stream)
        decided = self.decided.get(stream, 0)
        if event.version > decided:
            detail = f"version {event.version} was published, the journal ends at {decided}"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)
            return
        if event.version == self.published.get(stream, 0) + 1:  # journal 20: anything else comes again
            self.published[stream] = event.version
        said = self.said.get(_name(stream, event.version))
        # An earlier walk has compared it and let go of it; nobody takes in what comes again (journal 20).
        if said is not None and digest_of(event) != said[0]:
            detail = "what was published is not what was decided"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)

    def end(self, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
        """What should have been published by `now`, milliseconds since the epoch. Nothing can be asked after it."""
        for name in [name for name, (decided, published) in (self.before or {}).items() if published < decided]:
            service, _, of = name.partition("\x1f")
            self._recall((service, of))
        for stream, decided in self.decided.items():
            due = self.published.get(stream, 0) + 1
            if due <= decided and self.said[_name(stream, due)][1] < now - grace_ms:
                detail = f"published up to version {due - 1} of {decided}"
                yield Finding(Kind.PUBLICATION, stream[1], detail, due)
        if self.before is not None:
            self._leave(self.before)
        self.said.close()

    def _leave(self, before: Kept[str, tuple[int, int]]) -> None:
        before.update((_name(each), (decided, self.published.get(each, 0))) for each, decided in self.decided.items())
        under_way = {
            name: self.said[name]
            for stream, decided in self.decided.items()
            for version in range(self.published.get(stream, 0) + 1, decided + 1)
            if (name := _name(stream, version)) in self.said
        }
        self.said.clear()
        self.said.update(under_way)


def _name(stream: Stream, version: int | None = None) -> str:
    name = f"{stream[0]}\x1f{stream[1]}"
    return name if version is None else f"{name}\x1f{version:012}"


def digest_of(event: PublicEvent) -> bytes:
    """Of what counts: type, time, cause and body; trace context and the like may differ."""
    text = f"{event.type}\x1f{event.time}\x1f{event.causation}\x1f".encode()
    return hashlib.sha256(text + event.data).digest()[:16]
