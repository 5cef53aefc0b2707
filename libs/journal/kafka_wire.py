"""Five requests of Kafka's protocol as ready bytes: produce, fetch, list offsets, init producer id, and a topic's id.

aiokafka's own are described field by field and encoded in Python: a fetch of twelve partitions costs more there than
everything else around it. The versions are the last ones before flexible encoding, but for ids, which came after
it; brokers from 2.8 on have them, and 4.x still has.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from struct import Struct
from typing import Any, NamedTuple

from aiokafka.errors import CorruptRecordException
from aiokafka.record.memory_records import MemoryRecords

from libs.journal.interest import Interest
from libs.journal.log import LogRecord

_SHORT, _INT, _LONG = Struct(">h"), Struct(">i"), Struct(">q")
_FETCH_HEAD, _FETCH_PLACE = Struct(">iiiibii"), Struct(">iiqqi")
_FETCHED = Struct(">ihqqq")
_PRODUCED = Struct(">ihqqq")
_LISTED = Struct(">ihqq")
_CLIENT_HEAD = Struct(">hhi")
_RESPONSE_BYTES = 50 * 2**20

Place = tuple[str, int]
"""Topic and partition."""


class Call:
    """One request in the shape that aiokafka's connection sends: it asks for a header, a body, and what decodes."""

    __slots__ = ("_body", "_decode", "_key", "_version")

    def __init__(self, key: int, version: int, body: bytes, decode: Callable[[bytes], Any]) -> None:
        self._key = key
        self._version = version
        self._body = body
        self._decode = decode

    def prepare(self, versions: Mapping[int, tuple[int, int]]) -> "Call":
        return self

    def build_request_header(self, correlation_id: int, client_id: str) -> "_Bytes":
        return _Bytes(_CLIENT_HEAD.pack(self._key, self._version, correlation_id) + _text(client_id))

    def encode(self) -> bytes:
        return self._body

    def parse_response_header(self, response: BytesIO) -> "_Header":
        return _Header(*_INT.unpack(response.read(4)))

    @property
    def RESPONSE_TYPE(self) -> "Call":  # noqa: N802
        return self

    def decode(self, response: BytesIO) -> Any:
        return self._decode(response.read())


class _Flexible(Call):
    """In the encoding that came later: behind each header are tags, of which we have none."""

    def build_request_header(self, correlation_id: int, client_id: str) -> "_Bytes":
        return _Bytes(super().build_request_header(correlation_id, client_id) + b"\0")

    def parse_response_header(self, response: BytesIO) -> "_Header":
        found = super().parse_response_header(response)
        response.read(1)
        return found


class _Bytes(bytes):
    def encode(self) -> bytes:
        return self


class _Header(NamedTuple):
    correlation_id: int


class FetchedPlace(NamedTuple):
    error: int
    end: int
    """High watermark."""
    records: bytes


class Produced(NamedTuple):
    error: int
    offset: int
    """Of the batch's first record; -1 where the broker does not say."""


class Fetched(NamedTuple):
    error: int
    """Of the session."""
    session: int
    """0: the broker keeps none."""
    places: dict[Place, FetchedPlace]
    """Of a session: those of which there is anything new."""


def fetch(
    places: Mapping[Place, int], wait_ms: int, least: int, place_bytes: int,
    session: int = 0, epoch: int = -1, forgotten: Iterable[Place] = (),
) -> Call:  # fmt: skip
    """Records by place and offset; answers after `wait_ms`, or with `least` bytes. To `Fetched`.

    `session`: the broker knows the places that were named in it, with their offsets, but for the `forgotten` (KIP-227).
    `epoch`: how many requests of it there were; 0: end it and begin another one, with these; -1: ask once.
    """
    parts = [_FETCH_HEAD.pack(-1, wait_ms, least, _RESPONSE_BYTES, 0, session, epoch)]
    asked = _by_topic(places)
    parts.append(_INT.pack(len(asked)))
    for topic, partitions in asked.items():
        parts += (_text(topic), _INT.pack(len(partitions)))
        parts += [_FETCH_PLACE.pack(each, -1, places[topic, each], -1, place_bytes) for each in partitions]
    gone = _by_topic(forgotten)
    parts.append(_INT.pack(len(gone)))
    for topic, partitions in gone.items():
        parts += (_text(topic), _INT.pack(len(partitions)), *map(_INT.pack, partitions))
    parts.append(b"\0\0")  # no rack
    return Call(1, 11, b"".join(parts), _fetched)


def produce(batches: Mapping[str, Sequence[tuple[int, bytes]]], timeout_ms: int) -> Call:
    """Batches by topic of (partition, batch), acknowledged by all in-sync replicas. To `Produced` by place."""
    parts = [b"\xff\xff\xff\xff", _INT.pack(timeout_ms), _INT.pack(len(batches))]  # no transaction, acks=all
    for topic, partitions in batches.items():
        parts += (_text(topic), _INT.pack(len(partitions)))
        for partition, batch in partitions:
            parts += (_INT.pack(partition), _INT.pack(len(batch)), batch)
    return Call(0, 8, b"".join(parts), _produced)


def list_offsets(places: Iterable[Place], at: int) -> Call:
    """`at`: -1 for the end, -2 for the beginning, else milliseconds. To (error, offset) by place."""
    by_topic = _by_topic(places)
    parts = [_INT.pack(-1), b"\0", _INT.pack(len(by_topic))]
    for topic, partitions in by_topic.items():
        parts += (_text(topic), _INT.pack(len(partitions)))
        parts += [_INT.pack(partition) + _LONG.pack(at) for partition in partitions]
    return Call(2, 2, b"".join(parts), _listed)


def topic_id(topic: str) -> Call:
    """To (error, the id that the broker made with the topic)."""
    name = topic.encode()
    size = len(name) + 1
    varint = bytes((size,) if size < 0x80 else (size & 0x7F | 0x80, size >> 7))
    named = bytes((2,)) + bytes(16) + varint + name + b"\0"
    return _Flexible(3, 10, named + b"\0\0\0\0", _identified)


def _identified(body: bytes) -> tuple[int, bytes]:
    """Behind brokers and cluster; a length is a varint of one more, and each struct ends with its tags."""
    at = 4

    def count() -> int:
        nonlocal at
        found = shift = 0
        while True:
            byte = body[at]
            at += 1
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return found - 1

    def skip_text() -> None:
        nonlocal at
        length = count()
        at += max(0, length)

    for _ in range(count()):
        at += 4
        skip_text()
        at += 4
        skip_text()
        at += 1
    skip_text()
    at += 4
    count()
    error = _SHORT.unpack_from(body, at)[0]
    at += 2
    skip_text()
    return error, body[at : at + 16]


def init_producer(timeout_ms: int) -> Call:
    """A new idempotent producer. To (error, producer id, epoch)."""
    return Call(22, 1, b"\xff\xff" + _INT.pack(timeout_ms), lambda body: Struct(">hqh").unpack_from(body, 4))


class Unread(NamedTuple):
    """A batch that no writer of ours makes: compressed, or of another shape than its header says."""

    offset: int
    records: int
    timestamp: int


_BATCH_HEAD = 12
"""Bytes of a batch up to its length, which counts those behind it."""


def records_in(raw: bytes, offset: int, interest: Interest | None = None) -> tuple[list[LogRecord], int, list[Unread]]:
    """The records of whole batches from `offset` on, the offset behind the last batch, and batches that are not read.
    With `interest` batches without it are left out.

    Raises `CorruptRecordException` for what the broker has damaged: then the checksum is wrong.
    """
    found: list[LogRecord] = []
    unread: list[Unread] = []
    batches = MemoryRecords(raw)
    position, at, end = offset, 0, 0
    while batches.has_next():
        batch = batches.next_batch()
        at, end = end, end + _BATCH_HEAD + int.from_bytes(raw[end + 8 : end + _BATCH_HEAD], "big")
        if not batch.validate_crc():
            raise CorruptRecordException("a batch of records")
        if not batch.is_control_batch and (
            interest is None or batch.compression_type or interest.may_be_in(raw, at, end, batch.last_offset_delta + 1)
        ):
            try:
                found += _read(batch, offset)
            except Exception:  # the checksum is right: this is what somebody wrote
                first = max(position, getattr(batch, "base_offset", position))
                unread.append(Unread(first, batch.next_offset - first, getattr(batch, "max_timestamp", 0)))
        position = max(position, batch.next_offset)
    return found, position, unread


def _read(batch: Any, offset: int) -> list[LogRecord]:
    if batch.compression_type:
        raise ValueError("nobody here compresses: it may be small on the wire and huge in memory")
    return [
        LogRecord(each.offset, each.key, each.value, tuple(each.headers), each.timestamp)
        for each in batch
        if each.offset >= offset
    ]


def _by_topic(places: Iterable[Place]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for topic, partition in places:
        found.setdefault(topic, []).append(partition)
    return found


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _SHORT.pack(len(encoded)) + encoded


class _Cursor:
    """Reads a response from its start on."""

    __slots__ = ("_at", "_body")

    def __init__(self, body: bytes, at: int = 0) -> None:
        self._body = body
        self._at = at

    def take(self, what: Struct) -> tuple[Any, ...]:
        values = what.unpack_from(self._body, self._at)
        self._at += what.size
        return values

    def count(self) -> int:
        return int(self.take(_INT)[0])

    def bytes(self, size: int) -> bytes:
        """Nothing where `size` says null."""
        start = self._at
        self._at += max(0, size)
        return self._body[start : self._at]

    def topics(self) -> Iterator[str]:
        """The topic of each partition that follows; whoever asks takes the rest of the partition in between."""
        for _ in range(self.count()):
            topic = self.bytes(*self.take(_SHORT)).decode()
            for _ in range(self.count()):
                yield topic


def _fetched(body: bytes) -> Fetched:
    cursor = _Cursor(body, 4)
    (error,) = cursor.take(_SHORT)
    session = cursor.count()
    found: dict[Place, FetchedPlace] = {}
    for topic in cursor.topics():
        partition, wrong, end, _, _ = cursor.take(_FETCHED)
        cursor.bytes(16 * max(0, cursor.count()) + 4)  # aborted transactions, preferred replica
        found[topic, partition] = FetchedPlace(error or wrong, end, cursor.bytes(cursor.count()))
    return Fetched(error, session, found)


def _produced(body: bytes) -> dict[Place, Produced]:
    cursor = _Cursor(body)
    found: dict[Place, Produced] = {}
    for topic in cursor.topics():
        partition, error, offset, _, _ = cursor.take(_PRODUCED)
        found[topic, partition] = Produced(error, offset)
        for _ in range(cursor.count()):  # what is wrong with which record
            cursor.count()
            cursor.bytes(*cursor.take(_SHORT))
        cursor.bytes(*cursor.take(_SHORT))
    return found


def _listed(body: bytes) -> dict[Place, tuple[int, int]]:
    cursor = _Cursor(body, 4)
    found: dict[Place, tuple[int, int]] = {}
    for topic in cursor.topics():
        partition, error, _, offset = cursor.take(_LISTED)
        found[topic, partition] = (error, offset)
    return found
