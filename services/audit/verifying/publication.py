"""What was published against what was decided: the public topic holds every event of the journal, and nothing else."""

import hashlib
from collections.abc import Iterator

from libs.contracts.messages import PublicEvent
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.kept import Kept, Store

GRACE_MS = 30_000
Stream = tuple[str, str]
"""Service and name: two services may have a stream of one name."""


AT_HAND = 4_000
"""Streams whose versions are at hand; beyond it all of them lie on disk until something comes of them."""


class Publication:
    """What the journal of a partition says, and how far each stream of it was published."""

    def __init__(self, store: Store | None = None, place: str = "") -> None:
        """`store`: what an earlier walk left of this partition lies there, and what this one leaves."""
        self._own = Store() if store is None else None
        self._lasts = store is not None
        lies = store or self._own
        self._said: Kept[str, tuple[bytes, int]] = Kept(tuple[bytes, int], lies, f"said {place}")
        """Digest and time (ms) of each event; of those of an earlier walk, where they were not published."""
        self._put: Kept[str, tuple[int, int]] = Kept(tuple[int, int], lies, f"public {place}")
        """By stream, how far it was decided and published."""
        self._decided: dict[Stream, int] = {}
        self._published: dict[Stream, int] = {}

    def _recall(self, stream: Stream) -> None:
        if stream not in self._decided:
            if len(self._decided) >= AT_HAND:
                self._put_by()
            self._decided[stream], self._published[stream] = self._put.get(_name(stream), (0, 0))

    def _put_by(self) -> None:
        self._put.update((_name(each), (decided, self._published[each])) for each, decided in self._decided.items())
        self._decided.clear()
        self._published.clear()

    def decide(self, event: PublicEvent) -> None:
        """An event made from the journal; versions in order."""
        stream = event.service, event.stream
        self._recall(stream)
        version = self._decided[stream] = self._decided[stream] + 1
        self._said[_name(stream, version)] = digest_of(event), event.time

    def publish(self, event: PublicEvent, place: tuple[str, int, int]) -> Iterator[Finding]:
        """An event read at (topic, partition, offset) of a public topic; true repetitions are let pass (journal 19)."""
        stream = event.service, event.stream
        self._recall(stream)
        decided = self._decided[stream]
        if event.version > decided:
            detail = f"version {event.version} was published, the journal ends at {decided}"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)
            return
        if event.version == self._published[stream] + 1:  # journal 20: anything else comes again
            self._published[stream] = event.version
        said = self._said.get(_name(stream, event.version))
        # An earlier walk has compared it and let go of it; nobody takes in what comes again (journal 20).
        if said is not None and digest_of(event) != said[0]:
            detail = "what was published is not what was decided"
            yield Finding(Kind.PUBLICATION, event.stream, detail, event.version, *place)

    def published(self) -> Iterator[tuple[Stream, int]]:
        """Each stream, and the last version of it that was published."""
        self._put_by()
        return ((_stream(name), published) for name, (_, published) in self._put.items())

    def end(self, now: int, grace_ms: int = GRACE_MS) -> Iterator[Finding]:
        """What should have been published by `now`, milliseconds since the epoch. Nothing can be asked after it."""
        self._put_by()
        under_way = dict[str, tuple[bytes, int]]()
        for name, (decided, published) in self._put.items():
            if published == decided:
                continue
            stream = _stream(name)
            if self._said[_name(stream, published + 1)][1] < now - grace_ms:
                detail = f"published up to version {published} of {decided}"
                yield Finding(Kind.PUBLICATION, stream[1], detail, published + 1)
            for version in range(published + 1, decided + 1) if self._lasts else ():
                under_way[_name(stream, version)] = self._said[_name(stream, version)]
        if self._lasts:
            self._said.clear()
            self._said.update(under_way)
        if self._own is not None:
            self._own.close()


def _name(stream: Stream, version: int | None = None) -> str:
    name = f"{stream[0]}\x1f{stream[1]}"
    return name if version is None else f"{name}\x1f{version:012}"


def _stream(name: str) -> Stream:
    """Of a `_name`."""
    service, _, stream = name.partition("\x1f")
    return service, stream


def digest_of(event: PublicEvent) -> bytes:
    """Of what counts: type, time, cause and body; trace context and the like may differ."""
    text = f"{event.type}\x1f{event.time}\x1f{event.causation}\x1f".encode()
    return hashlib.sha256(text + event.data).digest()[:16]
