"""Views kept on a compacted topic, so that a gateway starts from the present, not from the first event (journal 20).

As with the deciders' snapshots (journal 16, 17) a manifest stands over a partition's views: every event below `low` is
in them. What is torn, missing, of another build or of another log counts for nothing, and the log is read from its
first event: it has everything. Every gateway writes, and all of them the same: also what has got less, once more. What
one record does not hold goes in parts, as snapshots do (`libs/journal/parts.py`).

What is over for long goes in two steps: no manifest names it any more; and `LATER_MS` after that its view is taken
away, when no manifest stands, of whichever gateway, that would miss it. A start in between takes it up and drops it.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol
from uuid import uuid4

import msgspec

from libs.contracts.topics import MAX_SNAPSHOT_BYTES, PART_BYTES, VIEWS, topic
from libs.journal.kafka_log import KafkaLog, KafkaPublisher
from libs.journal.log import LogRecord, LogUnavailable, OffsetOutOfRange, OutRecord
from libs.journal.parts import KEY as PART
from libs.journal.parts import Cutter, Left, Parts, stream_in
from libs.telemetry import get_logger
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)
WAIT_S = 60.0
"""How long what happened at a table may be in no kept view: what a start reads of it, and how often it is written."""
_LOOK_S = 5.0
MANIFEST_BYTES_S = 100_000
"""It names each stream that is kept, and where those are many it is written less often than they change."""
LATER_MS = 3_600_000
"""How far manifests of several gateways may lie apart, and their clocks; beyond, a start reads the log."""
_AT_ONCE = 8
_PAGE = 500


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """One stream as of `upto`: all its events below that offset are in it."""

    build: bytes
    stream: str
    upto: int
    version: int
    state: bytes


class Manifest(msgspec.Struct, frozen=True, array_like=True):
    """Every event below `low` is in a kept view; `versions` names those views and how far they are at least."""

    build: bytes
    low: int
    versions: dict[str, int]
    folded: int
    """The last record heard, and its digest: whether the topic is still the same one (journal 21)."""
    digest: bytes


class Views(Protocol):
    """What the events of one topic are folded to, by stream."""

    gaps: set[str]
    """Streams that stand still for want of an event."""

    def kept(self, stream: str, now: int) -> tuple[int, bytes]:
        """Version and all that is needed at `now` (ms) to go on from it."""
        ...

    def quiet(self, now: int) -> list[str]:
        """Streams of which less is needed at `now` (ms) than was kept last."""
        ...

    def over(self, now: int) -> list[str]:
        """Streams that nobody here needs to know of any more at `now` (ms)."""
        ...

    def forget(self, stream: str) -> None: ...

    def take(self, kept: Iterable[tuple[str, int, bytes]]) -> None:
        """Goes on from these streams at these versions. ValueError for what can't be read, and none is taken."""
        ...


FOLDS = b"3"
"""Which folding and which shape of what is kept. Views of another one are not gone on from: a start reads the log.

Raised where a view of any past log may come out otherwise: `tests/gateway/test_folds.py` asks at every change."""


class _Partition:
    """How far one partition is heard, and what of it no kept view has."""

    def __init__(self) -> None:
        self.next = 0
        self.last, self.digest = -1, b""
        self.changed: dict[str, tuple[int, float]] = {}
        """Streams to the first such event and when it was heard (the loop's clock), in the log's order."""
        self.less: set[str] = set()
        """Streams in a kept view that holds more than is needed any more: they are written once more, and hold back
        nothing."""
        self.versions: dict[str, int] = {}
        self.unnamed: dict[str, int] = {}
        """Streams that are over, and since when (ms) no manifest of this process names them; their views lie there."""
        self.unsaid = False
        """Views were written that the last manifest does not name, or it names some that are over."""
        self.said_at, self.said_bytes = 0.0, 0
        """When the last manifest was written (the loop's clock), and how large it was."""
        self.cutter: Cutter

    def drop(self, stream: str, now: int) -> None:
        """It is over. Not before that is in its kept view: who takes up an older one would never hear of it."""
        if stream in self.versions and stream not in self.changed:
            del self.versions[stream]
            self.unnamed[stream] = now
            self.less.discard(stream)
            self.unsaid = True

    def put_back(self, changed: dict[str, tuple[int, float]]) -> None:
        self.changed = dict(sorted({**self.changed, **changed}.items(), key=lambda each: each[1]))


class KeepsViews:
    """Of the public events of one service, of these partitions."""

    def __init__(
        self,
        log: KafkaLog,
        partitions: Iterable[int],
        prefix: str,
        service: str,
        views: Views,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`now`: ms since the epoch."""
        self._log = log
        self._now = now
        self._service = service
        self._events = topic(service, "events")
        self._heard_topic = prefix + self._events.name
        self._topic = prefix + VIEWS.name
        self._views = views
        self._partitions = {number: _Partition() for number in partitions}
        self._run = uuid4().hex[:16]
        for of in self._partitions.values():
            of.cutter = self._cutter(Left())
        self._unwritable: set[str] = set()
        """Streams with a value that the format of kept views does not hold: until this process ends."""

    async def restore(self) -> dict[int, int]:
        """Partitions to the offset from which on their events are news."""
        return {number: await self._restored(number) for number in self._partitions}

    def heard(self, partition: int, records: Sequence[LogRecord]) -> None:
        """These are folded."""
        of, now = self._partitions[partition], asyncio.get_running_loop().time()
        for each in records:
            of.changed.setdefault((each.key or b"").decode(errors="replace"), (each.offset, now))
        of.next, of.last, of.digest = records[-1].offset + 1, records[-1].offset, _digest(records[-1])

    async def run(self, reader: TopicReader) -> None:
        """Until cancelled; nothing is written before everything of the past is heard."""
        await reader.catch_up()
        publisher: KafkaPublisher | None = None
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                try:
                    publisher = publisher or await self._log.publisher(self._topic)
                    for number in self._partitions:
                        await self.write(publisher, number, asyncio.get_running_loop().time() - WAIT_S)
                except LogUnavailable as wrong:
                    _log.warning("views were not kept", service=self._service, error=type(wrong).__name__)
                    if publisher is not None:
                        await publisher.abandon()
                    publisher = None
        finally:
            if publisher is not None:
                await publisher.abandon()

    async def write(self, publisher: KafkaPublisher, number: int, before: float) -> None:
        """Views of what changed first `before` (the loop's clock) and of what needs less, a few at a time, then the
        manifest over all."""
        of = self._partitions[number]
        now_ms = self._now()
        for stream in self._views.over(now_ms):
            of.drop(stream, now_ms)
        # What stands still is not kept: who starts reads from before what is missing, and may know it by then.
        still = self._views.gaps | self._unwritable
        due = [stream for stream, (_, heard) in of.changed.items() if heard <= before and stream not in still]
        of.less.update(stream for stream in self._views.quiet(self._now()) if stream in of.versions)
        less = [stream for stream in of.less if stream not in of.changed and stream not in still]
        streams = due + less
        for first in range(0, len(streams), _AT_ONCE):
            await self._write(publisher, number, streams[first : first + _AT_ONCE])
        of.unsaid = of.unsaid or bool(due)
        now = asyncio.get_running_loop().time()
        if of.unsaid and now - of.said_at >= of.said_bytes / MANIFEST_BYTES_S:
            await self._say(publisher, number, now)
        if not of.unsaid:
            await self._forget(publisher, number)
        await self._take_away(publisher, number, of.cutter.over())

    async def _forget(self, publisher: KafkaPublisher, number: int) -> None:
        """Views that no manifest names for long."""
        of = self._partitions[number]
        until = self._now() - LATER_MS
        due = [stream for stream, since in of.unnamed.items() if since <= until]
        gone = [stream for stream in due if stream not in of.versions and stream not in of.changed]
        await self._take_away(publisher, number, [self._name(stream).encode() for stream in gone])
        for stream in gone:
            del of.unnamed[stream]
            of.cutter.stands(self._name(stream))
            if stream not in of.changed:  # as the broker was waited for
                self._views.forget(stream)

    async def _take_away(self, publisher: KafkaPublisher, number: int, keys: Sequence[bytes]) -> None:
        for first in range(0, len(keys), _PAGE):
            page = [OutRecord(self._topic, key, None, (), number) for key in keys[first : first + _PAGE]]
            await (await publisher.send(page))

    async def _say(self, publisher: KafkaPublisher, number: int, now: float) -> None:
        of = self._partitions[number]
        low = next((offset for offset, _ in of.changed.values()), of.next)
        try:
            records = self._records(number, "", low, Manifest(FOLDS, low, of.versions, of.last, of.digest))
        except OverflowError as wrong:  # the one before it stands, and a start reads the log from there
            of.said_at = now
            _log.error("a manifest of views can't be written", service=self._service, partition=number, why=str(wrong))
            return
        await (await publisher.send(records))
        of.cutter.stands(self._name(""))
        of.unsaid, of.said_at, of.said_bytes = False, now, sum(len(each.value or b"") for each in records)

    async def _write(self, publisher: KafkaPublisher, number: int, streams: Iterable[str]) -> None:
        of, written, changed = self._partitions[number], {}, {}
        for stream in streams:
            if stream in of.changed:
                changed[stream] = of.changed.pop(stream)
            try:
                version, state = self._views.kept(stream, self._now())
                records = self._records(number, stream, of.next, Kept(FOLDS, stream, of.next, version, state))
            except KeyError:  # no event of it could be read: there is nothing to go on from
                changed.pop(stream, None)
            except (OverflowError, TypeError, ValueError) as wrong:
                # Its format does not hold a value of it. All others are kept; a start reads the log from here on.
                self._unwritable.add(stream)
                if stream in changed:
                    of.put_back({stream: changed.pop(stream)})
                why = {"service": self._service, "stream": stream, "why": type(wrong).__name__}
                _log.error("a view can't be written and is not kept", **why)
            else:
                written[stream] = version, records
        try:
            await (await publisher.send([record for _, records in written.values() for record in records]))
        except LogUnavailable:
            of.put_back(changed)
            raise
        of.versions |= {stream: version for stream, (version, _) in written.items()}
        of.less -= written.keys()
        for stream in written:
            of.cutter.stands(self._name(stream))

    def _name(self, stream: str) -> str:
        return f"{self._service}/{stream}"

    def _cutter(self, left: Left) -> Cutter:
        return Cutter(self._name("views"), self._run, PART_BYTES, left)

    def _records(self, number: int, stream: str, upto: int, kept: msgspec.Struct) -> list[OutRecord]:
        """OverflowError for what is too large."""
        name, whole = self._name(stream), msgspec.msgpack.encode(kept)
        if len(whole) > MAX_SNAPSHOT_BYTES:
            raise OverflowError(f"{len(whole):,} bytes are too many")
        parts = self._partitions[number].cutter.cut(name, upto, whole)
        return [OutRecord(self._topic, *each, (), number) for each in parts or [(name.encode(), whole)]]

    async def _restored(self, number: int) -> int:
        of = self._partitions[number]
        try:
            manifest, kept = await self._read(number)
            if manifest is None:
                return 0
            await self._is_that_log(number, manifest, kept.values())
            # An older one may stand where a gateway that was behind wrote after another one.
            old = [kept[stream].upto for stream, version in manifest.versions.items() if kept[stream].version < version]
            self._views.take([(each.stream, each.version, each.state) for each in kept.values()])
        except (msgspec.MsgspecError, LookupError, ValueError, OffsetOutOfRange) as wrong:
            why = {"service": self._service, "partition": number, "why": type(wrong).__name__}
            _log.warning("kept views are left aside, the log is read", **why)
            return 0
        of.next, of.last, of.digest = min([manifest.low, *old]), manifest.folded, manifest.digest
        of.versions = {each.stream: each.version for each in kept.values()}
        return of.next

    async def _read(self, number: int) -> tuple[Manifest | None, dict[str, Kept]]:
        """What reaches furthest of this build. Raises what decoding raises."""
        manifest: Manifest | None = None
        found: dict[str, Kept] = {}
        own, parts = self._name(""), Parts(self._name("views"))

        def take(name: str, value: bytes | None) -> None:
            nonlocal manifest
            if value is None:
                found.pop(name.removeprefix(own), None)
                return
            if name == own:
                read = msgspec.msgpack.decode(value, type=Manifest)
                if read.build == FOLDS and (manifest is None or read.low >= manifest.low):
                    manifest = read
                return
            each = msgspec.msgpack.decode(value, type=Kept)
            known = found.get(each.stream)
            if each.build == FOLDS and (known is None or each.upto >= known.upto):
                found[each.stream] = each

        def reached(name: str) -> int:
            if name == own:
                return manifest.low if manifest is not None else -1
            known = found.get(name.removeprefix(own))
            return known.upto if known is not None else -1

        reader = await self._log.reader(self._topic, number)
        try:
            position, end = await reader.beginning(), await reader.end()
            while position < end:
                fetched = await reader.read(position, _PAGE, 1_000)
                position = fetched.position
                for record in fetched.records:
                    key = record.key or b""
                    if key.startswith(PART):
                        if stream_in(key).startswith(own):
                            parts.take(record)
                    elif key.startswith(own.encode()):
                        take(key.decode(errors="replace"), record.value)
            for name, whole in parts.joined():
                take(name, whole)
            self._partitions[number].cutter = self._cutter(parts.left(reached))
        finally:
            parts.close()
            await reader.close()
        return manifest, found

    async def _is_that_log(self, number: int, manifest: Manifest, kept: Iterable[Kept]) -> None:
        """ValueError for a topic that ends before what is in the views, or where another record lies at the last one's
        place: it was cut or made anew."""
        reader = await self._log.reader(self._heard_topic, number)
        try:
            if await reader.end() < max([manifest.low, manifest.folded + 1, *(each.upto for each in kept)]):
                raise ValueError("views of events that are not there")
            fetched = await reader.read(manifest.folded, 1, 1_000)
        finally:
            await reader.close()
        last = [each for each in fetched.records if each.offset == manifest.folded]
        if [_digest(each) for each in last] != [manifest.digest]:
            raise ValueError("views of another log")


def _digest(record: LogRecord) -> bytes:
    return hashlib.sha256((record.key or b"") + b"\0" + (record.value or b"")).digest()
