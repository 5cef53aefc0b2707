"""Everything that a process writes: what gathers while one request is under way shares the next one.

A producer has one batch under way in each partition: the order of the calls is the order in the log, over any failure,
save that a batch whose answer was lost may land again, behind later ones, too. Every reader bears that (journal 6, 19),
but not what a producer id would bring: who writes to the topic, too, takes the next sequence of ours, and the broker
calls our batch a duplicate and says where the *other* one landed. So only topics that keep the last record of a key are
written to idempotently, where a late repetition would bring back what is over.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence

from aiokafka.errors import (
    DuplicateSequenceNumber,
    KafkaError,
    MessageSizeTooLargeError,
    RequestTimedOutError,
    for_code,
)
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from libs.contracts.topics import MAX_RECORD_BYTES, MAX_REQUEST_BYTES, batch_bytes
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_wire import Place, Produced, init_producer, produce
from libs.journal.log import AppendUnknown, Headers

_log = logging.getLogger(__name__)

Entry = tuple[bytes | None, bytes | None, Headers]
"""Key, value, headers."""
_REQUEST_BYTES = MAX_REQUEST_BYTES - 128 * 1024
"""Of batches in one request, below the bound by what stands around them: names of topics, a batch's own head."""
_BACKOFF_S = 0.05
NO_PRODUCER = (-1, -1)
"""Id and epoch of who is none."""
_UNDER_WAY = 1
"""Requests to one node at once: what comes meanwhile shares the next one."""


class Abandoned(KafkaError):  # type: ignore[misc]
    """The producer was closed before the broker answered."""


class _Told:
    """Records handed over in one call, and who waits for their place in the log."""

    __slots__ = ("count", "entries", "future", "since", "size")

    def __init__(self, entries: Sequence[Entry], now: float) -> None:
        self.entries = entries
        self.count = len(entries)
        self.size = sum(size_of(*entry) for entry in entries)
        self.since = now
        self.future: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self.future.add_done_callback(_look)


class Track:
    """One producer in one partition: what waits, and the batch under way."""

    __slots__ = ("batch", "dead", "flying", "place", "producer", "retry_at", "room", "sequence", "waiting")

    def __init__(self, producer: tuple[int, int], place: Place) -> None:
        self.producer = producer
        self.place = place
        self.room = batch_bytes(place[0])
        """For records in one batch; a single larger one goes alone."""
        self.sequence = -1 if producer == NO_PRODUCER else 0
        self.waiting: deque[_Told] = deque()
        self.flying: list[_Told] = []
        self.batch = b""
        """Of what is flying, byte for byte the same at every try."""
        self.dead: KafkaError | None = None
        self.retry_at = 0.0

    def fill(self) -> None:
        """Makes a batch of as much as fits."""
        builder = DefaultRecordBatchBuilder(2, 0, 0, *self.producer, self.sequence, self.room + 1_000)
        room, at = self.room, 0
        while self.waiting and (not self.flying or self.waiting[0].size <= room):
            told = self.waiting.popleft()
            room -= told.size
            for key, value, headers in told.entries:
                if builder.append(at, None, key, value, list(headers)) is None:
                    raise ValueError("a batch beyond the broker's limit")
                at += 1
            self.flying.append(told)
        self.batch = bytes(builder.build())
        if self.sequence >= 0:
            self.sequence = (self.sequence + at) % 2**31

    def ahead(self) -> int:
        """Bytes of the batch under way, or at most of the next one."""
        if self.flying:
            return len(self.batch)
        return max(self.waiting[0].size, min(self.room, sum(told.size for told in self.waiting)))

    def landed(self, offset: int | None) -> None:
        for told in self.flying:
            if not told.future.done():
                told.future.set_result(offset)
            if offset is not None:
                offset += told.count
        self.flying = []

    def fail(self, wrong: KafkaError) -> None:
        """From now on nothing more is taken."""
        self.dead = self.dead or wrong
        for told in (*self.flying, *self.waiting):
            if not told.future.done():
                told.future.set_exception(AppendUnknown(type(wrong).__name__))
        self.flying = []
        self.waiting.clear()


class Writing:
    """The process's line to the cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._due: dict[Track, None] = {}
        self._under_way: dict[int, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._planned = False
        self._timer: asyncio.TimerHandle | None = None

    async def producer(self) -> tuple[int, int]:
        """A new idempotent producer's id and epoch. Raises `KafkaError` when the cluster gives none in time."""
        give_up = _now() + self._cluster.timeout_ms / 1000
        while True:
            error, number, epoch = await self._cluster.anywhere(init_producer(self._cluster.timeout_ms))
            if not error:
                return number, epoch
            if not for_code(error).retriable or _now() > give_up:
                raise for_code(error)
            await asyncio.sleep(_BACKOFF_S)

    def put(self, track: Track, entries: Sequence[Entry]) -> "asyncio.Future[int | None]":
        """Hands records over; the future is the first one's offset (None: accepted, place unknown), or
        `AppendUnknown`."""
        told = _Told(entries, _now())
        if track.dead is not None:
            told.future.set_exception(AppendUnknown(type(track.dead).__name__))
            return told.future
        if told.size > track.room and told.count > 1:
            raise ValueError("a batch beyond the broker's limit")
        track.waiting.append(told)
        if told.size > MAX_RECORD_BYTES:  # the broker would break off without an answer
            track.fail(MessageSizeTooLargeError())
            return told.future
        self._due[track] = None
        self._plan()
        return told.future

    def drop(self, track: Track) -> None:
        """Lets go without waiting; what is under way may land."""
        track.fail(Abandoned())
        self._due.pop(track, None)

    def _plan(self) -> None:
        if not self._planned:
            self._planned = True
            asyncio.get_running_loop().call_soon(self._ship)  # what else this turn of the loop writes goes along

    def _ship(self) -> None:
        self._planned = False
        now, later = _now(), 0.0
        requests: dict[int, dict[Place, Track]] = {}
        sizes: dict[int, int] = {}
        for track in list(self._due):
            if track.dead is not None or not (track.flying or track.waiting):
                del self._due[track]
                continue
            if track.retry_at > now:
                later = min(later or track.retry_at, track.retry_at)
                continue
            node = self._leader(track, now)
            if node is None:
                later = min(later or track.retry_at, track.retry_at)
                continue
            request = requests.setdefault(node, {})
            size = sizes.get(node, 0) + track.ahead()
            full = (request and size > _REQUEST_BYTES) or self._under_way.get(node, 0) >= _UNDER_WAY
            if full or track.place in request:  # one batch for each partition in a request
                continue
            request[track.place] = track
            sizes[node] = size
            del self._due[track]
        for node, tracks in requests.items():
            if tracks:
                self._send(node, tracks)
        if later and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(later - now, self._try_again)

    def _try_again(self) -> None:
        self._timer = None
        self._plan()

    def _leader(self, track: Track, now: float) -> int | None:
        try:
            node = self._cluster.leader(track.place)
        except KafkaError as wrong:
            track.fail(wrong)
            return None
        if node is None:
            self._again(track, now, RequestTimedOutError())
        return node

    def _send(self, node: int, tracks: dict[Place, Track]) -> None:
        self._under_way[node] = self._under_way.get(node, 0) + 1
        task = asyncio.create_task(self._request(node, tracks))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _request(self, node: int, tracks: dict[Place, Track]) -> None:
        batches: dict[str, list[tuple[int, bytes]]] = {}
        try:
            for (topic, partition), track in tracks.items():
                if track.dead is not None:
                    continue  # let go since
                if not track.flying:
                    track.fill()
                batches.setdefault(topic, []).append((partition, track.batch))
            request = produce(batches, self._cluster.timeout_ms)
            answers = await self._cluster.call(node, "produce", request) if batches else {}
        except KafkaError as wrong:
            self._cluster.doubt()
            for track in tracks.values():
                self._again(track, _now(), wrong)
        except Exception as wrong:  # a fault of our own must not look like a broker that is slow
            _log.critical("writing failed: %s", type(wrong).__name__, exc_info=wrong)
            for track in tracks.values():
                track.fail(KafkaError(f"writing failed: {type(wrong).__name__}"))
        else:
            for place, track in tracks.items():
                if place in answers:
                    self._answered(track, answers[place])
        finally:
            self._under_way[node] -= 1
            self._ship()

    def _answered(self, track: Track, answer: Produced) -> None:
        if answer.error in (0, DuplicateSequenceNumber.errno):
            track.landed(None if answer.error or answer.offset < 0 else answer.offset)
            if track.waiting:
                self._due[track] = None
            return
        kind = for_code(answer.error)
        if kind.retriable:
            self._cluster.doubt()
            self._again(track, _now(), kind())
        else:
            track.fail(kind())

    def _again(self, track: Track, now: float, wrong: KafkaError) -> None:
        """The same bytes once more, unless who waits has waited too long."""
        oldest = next(iter(track.flying or track.waiting), None)
        if track.dead is not None or oldest is None:
            return
        if now - oldest.since > self._cluster.timeout_ms / 1000:
            track.fail(wrong)
            return
        track.retry_at = now + _BACKOFF_S
        self._due[track] = None


def size_of(key: bytes | None, value: bytes | None, headers: Headers) -> int:
    """Upper bound of a record's bytes."""
    size = 40 + len(key or b"") + len(value or b"")
    return size + sum(10 + 4 * len(name) + len(text) for name, text in headers) if headers else size


def _now() -> float:
    return asyncio.get_running_loop().time()


def _look(told: "asyncio.Future[int | None]") -> None:
    if not told.cancelled():
        told.exception()  # whoever waited knows; whoever is gone need not be warned
