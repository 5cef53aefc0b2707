"""The log on Apache Kafka."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from aiokafka.errors import (
    GroupAuthorizationFailedError,
    KafkaError,
    OffsetOutOfRangeError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
)

from libs.broker import Broker
from libs.contracts.topics import batch_bytes, keeps_the_last, partition_of
from libs.journal.foreign import Judge, Tell, noticed
from libs.journal.interest import Interest
from libs.journal.kafka_cluster import Cluster
from libs.journal.kafka_fetch import Followed, Following
from libs.journal.kafka_produce import NO_PRODUCER, Entry, Track, Writing, size_of
from libs.journal.kafka_wire import Place, fetch
from libs.journal.log import Fetched, LogUnavailable, OffsetOutOfRange, OutRecord
from libs.journal.marks import Marking

_PATIENT_MS = 100
"""A read that would wait longer for its records follows the partition, with all that is followed; others ask."""
_BACKOFF_S = 0.05
SILENT_S = 15.0
"""A broker answers what is followed within five seconds, and a request is given ten: after so long it is not there."""
_REFUSALS = (TopicAuthorizationFailedError, GroupAuthorizationFailedError, SaslAuthenticationFailed)


class KafkaLog:
    """One process at one cluster; keeps the `Log` protocol.

    Everything made here shares connections: one that writes, one that follows, one that asks. They are made when first
    needed and closed when the last reader, appender and publisher is.
    """

    def __init__(
        self,
        broker: Broker,
        marks: Marking,
        *,
        client_id: str = "croupier",
        fetch_wait_ms: int = 5_000,
        fetch_bytes: int = 1,
        fetch_pause_ms: int = 0,
        request_timeout_ms: int = 10_000,
        on_foreign: Tell = noticed,
    ) -> None:
        """`marks`: what is written gets them, and what is read without is told to `on_foreign` and passed by.

        `fetch_wait_ms`: how long the broker holds a request for what is followed while it finds fewer than
        `fetch_bytes`; `fetch_pause_ms`: how long nothing is asked after something came, so that more comes at once."""
        self.broker = broker
        self.marks = marks
        self._on_foreign = on_foreign
        self.cluster = Cluster(broker, client_id, request_timeout_ms)
        self.writing = Writing(self.cluster)
        self._following: list[Following] = []
        self._fetch = (fetch_wait_ms, fetch_bytes, fetch_pause_ms / 1000)

    async def appender(self, topic: str, partition: int) -> "KafkaAppender":
        async with self._joined("no producer"):
            await self.cluster.partitions(topic)
            producer = await self.writing.producer() if keeps_the_last(topic) else NO_PRODUCER
            return KafkaAppender(self, Track(producer, (topic, partition)))

    async def publisher(self, *topics: str) -> "KafkaPublisher":
        """`put` takes records for these `topics` from the start."""
        async with self._joined("no producer"):
            for topic in topics:
                await self.cluster.partitions(topic)
            return KafkaPublisher(self, await self.writing.producer())

    async def reader(self, topic: str, partition: int, interest: Interest | None = None) -> "KafkaReader":
        """With `interest`, of the batches that may hold it."""
        async with self._joined("no reader"):
            await self.cluster.partitions(topic)
            return KafkaReader(self, (topic, partition), interest)

    async def identity(self, topic: str) -> bytes:
        """What the broker made with the topic."""
        async with self._joined("no answer"):
            found = await self.cluster.identity(topic)
        self.cluster.leave()
        return found

    def followed(self, place: Place, arrived: Callable[[], None], interest: Interest | None = None) -> Followed:
        """A partition to `follow`."""
        return Followed(place, Judge(self.marks, place, self._on_foreign), arrived, interest)

    def why_silent(self) -> str | None:
        """What is followed and the broker says nothing of, in a sentence; None: it answers, or nothing is followed."""
        told = max(filter(None, (line.quiet() for line in self._following)), default=None)
        if told is None or told[0] < SILENT_S:
            return None
        seconds, (topic, partition) = told
        return f"no answer of the broker about {topic}/{partition} for {seconds:.0f} s"

    def follow(self, followed: Followed) -> Following:
        """Where it is read from now on; a partition that is followed already gets a line of its own."""
        for line in self._following:
            if line.add(followed):
                return line
        line = Following(self.cluster, f"follow-{len(self._following)}", *self._fetch)
        self._following.append(line)
        line.add(followed)
        return line

    @asynccontextmanager
    async def _joined(self, what: str) -> AsyncIterator[None]:
        """What is made inside leaves the cluster when it is closed; where it can't be made, we leave at once."""
        with _unavailable(what):
            await self.cluster.join()
            try:
                yield
            except BaseException:
                self.cluster.leave()
                raise


class KafkaAppender:
    """One producer for one partition."""

    def __init__(self, log: KafkaLog, track: Track) -> None:
        self._log = log
        self._track = track
        self._left = False

    def append(self, records: Sequence[tuple[bytes, bytes]]) -> "asyncio.Future[int | None]":
        place, marked = self._track.place, self._log.marks.marked
        entries = [(key, value, marked(place, key, value, ())) for key, value in records]
        told = self._log.writing.put(self._track, entries)
        told.add_done_callback(self._given_up)
        return told

    def _given_up(self, told: "asyncio.Future[int | None]") -> None:
        if told.cancelled():
            self._log.writing.drop(self._track)

    async def abandon(self) -> None:
        self._log.writing.drop(self._track)
        if not self._left:
            self._left = True
            self._log.cluster.leave()


class KafkaPublisher:
    """One producer for any topic, with an id where the last record of a key is kept alone."""

    def __init__(self, log: KafkaLog, producer: tuple[int, int]) -> None:
        self._log = log
        self._producer = producer
        self._tracks: dict[Place, Track] = {}
        self._dead = False
        self._left = False

    async def send(self, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        with _unavailable("not sent"):
            for topic in {record.topic for record in records}:
                if not self._log.cluster.partitions_known(topic):
                    await self._log.cluster.partitions(topic)
        return self.put(records)

    def put(self, records: Sequence[OutRecord]) -> "asyncio.Future[None]":
        """`send`, to topics that were written to before."""
        if self._dead:
            raise LogUnavailable("this producer is dead")
        try:
            sent = [self._log.writing.put(self._track(place), entries) for place, entries in self._gathered(records)]
        except KafkaError as wrong:
            self._dead = True
            raise LogUnavailable(f"not sent: {type(wrong).__name__}") from wrong
        return self._all(sent)

    async def abandon(self) -> None:
        self._dead = True
        for track in self._tracks.values():
            self._log.writing.drop(track)
        if not self._left:
            self._left = True
            self._log.cluster.leave()

    def _track(self, place: Place) -> Track:
        track = self._tracks.get(place)
        if track is None:
            if not place[1] < self._log.cluster.partitions_known(place[0]):
                raise KafkaError(f"no such partition: {place}")
            producer = self._producer if keeps_the_last(place[0]) else NO_PRODUCER
            track = self._tracks[place] = Track(producer, place)
        return track

    def _gathered(self, records: Sequence[OutRecord]) -> list[tuple[Place, list[Entry]]]:
        """The records in their order, gathered by partition into what fits a batch."""
        gathered: list[tuple[Place, list[Entry]]] = []
        filling: dict[Place, tuple[list[Entry], int]] = {}
        for record in records:
            place = record.topic, self._partition(record)
            headers = self._log.marks.marked(place, record.key, record.value, record.headers)
            size = size_of(record.key, record.value, headers)
            room = batch_bytes(place[0])
            entries, full = filling.get(place, ([], room))
            if full + size > room:
                entries, full = [], 0
                gathered.append((place, entries))
            entries.append((record.key, record.value, headers))
            filling[place] = entries, full + size
        return gathered

    def _partition(self, record: OutRecord) -> int:
        if record.partition is not None:
            return record.partition
        return partition_of(record.key.decode(), self._log.cluster.partitions_known(record.topic))

    def _all(self, sent: "list[asyncio.Future[int | None]]") -> "asyncio.Future[None]":
        """Ends with the last of them, or with the first that fails."""
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        told.add_done_callback(lambda told: told.cancelled() or told.exception())
        left = len(sent)

        def landed(one: "asyncio.Future[int | None]") -> None:
            nonlocal left
            left -= 1
            if (wrong := one.exception()) is not None:
                self._dead = True
                if not told.done():
                    told.set_exception(LogUnavailable(f"not acknowledged: {wrong}"))
            elif not left and not told.done():
                told.set_result(None)

        for one in sent:
            one.add_done_callback(landed)
        if not sent:
            told.set_result(None)
        return told


class KafkaReader:
    """One partition from the leader, uncommitted records included, offsets given by the caller."""

    def __init__(self, log: KafkaLog, place: Place, interest: Interest | None = None) -> None:
        self._log = log
        self._place = place
        self._arrived = asyncio.Event()
        self._read = log.followed(place, self._arrived.set, interest)
        self._line: Following | None = None
        self._left = False

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        if offset != self._read.position:
            self._read.seek(offset)
            if self._line is not None:
                self._line.stir()
        if not self._read.has_news:
            if self._line is None and wait_ms <= _PATIENT_MS:
                await self._ask(wait_ms)
            else:
                await self._wait(wait_ms)
        try:
            records = self._read.take(max_records)
        except OffsetOutOfRangeError:
            raise OffsetOutOfRange(f"offset {offset}") from None
        except KafkaError as wrong:
            raise LogUnavailable(f"not read: {told(wrong)}") from wrong
        if self._line is not None:
            self._line.taken()
        return Fetched(records, self._read.position)

    async def end(self) -> int:
        """Offset that the next record will get."""
        return await self._offset(-1)

    async def beginning(self) -> int:
        return await self._offset(-2)

    async def since(self, ms: int) -> int:
        """Of the first record that the broker took in at this time or later; the end, where there is none yet."""
        end = await self.end()
        found = await self._offset(max(0, ms))
        return end if found < 0 else found

    def known_end(self) -> int:
        return self._read.end

    def rest(self) -> None:
        self._read.rest()  # what comes next is asked of the broker, not of what lies here (journal 21)
        if self._line is not None:
            self._line.remove(self._read)
            self._line = None

    async def close(self) -> None:
        self.rest()
        if not self._left:
            self._left = True
            self._log.cluster.leave()

    async def _wait(self, wait_ms: int) -> None:
        if self._line is None:
            self._line = self._log.follow(self._read)
        self._arrived.clear()
        timer = asyncio.get_running_loop().call_later(wait_ms / 1000, self._arrived.set)
        try:
            await self._arrived.wait()
        finally:
            timer.cancel()

    async def _ask(self, wait_ms: int) -> None:
        with _unavailable("not read"):
            node, offset = self._log.cluster.leader(self._place), self._read.next
            if node is not None:
                call = fetch({self._place: offset}, wait_ms, 1, 2**20)
                answer = await self._log.cluster.call(node, "ask", call)
                if self._read.answered(offset, answer.places[self._place]):
                    return
        self._log.cluster.doubt()
        await asyncio.sleep(_BACKOFF_S)

    async def _offset(self, at: int) -> int:
        with _unavailable("no offset"):
            return (await self._log.cluster.offsets([self._place], at))[self._place]


def silence(*logs: KafkaLog) -> str | None:
    """Why a process that reads these must not call itself ready; None: there is no reason."""
    return next(filter(None, (log.why_silent() for log in logs)), None)


@contextmanager
def _unavailable(what: str) -> Iterator[None]:
    try:
        yield
    except KafkaError as wrong:
        raise LogUnavailable(f"{what}: {told(wrong)}") from wrong


def told(wrong: KafkaError) -> str:
    """The kind of an error, and of a refusal also what it is about."""
    refused = isinstance(wrong, _REFUSALS)
    return f"{type(wrong).__name__} {' '.join(map(str, wrong.args))}".strip() if refused else type(wrong).__name__
