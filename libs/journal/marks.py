"""Whose record is it? Every record's last header names its writer, and proves it with a key of that writer and topic.

The mark covers topic, partition, writer, key, value and all headers before it, in MessagePack, which gives each its
length: nothing can be moved, added or taken away. What has no valid mark is as if the log did not hold it (journal 22).

Whoever checks a mark could make it. A service reads its commands and writes there, too (timers, policies): so a gateway
puts a second mark on what it brings, `asked`, of a key that those alone share with it who don't write there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Protocol, TypeVar

import msgspec

from libs.journal.log import Headers, LogRecord
from libs.sealing.secret import SecretBytes

HEADER = "mark"
ASKED = "asked"
"""The header before the mark on what a gateway writes to a commands topic; its keys are named after that, `…/asked`."""
MOST_VERSIONS = 255
SLACK_MS = 10_000
"""What the clock of who rotated keys may be behind the broker's."""
_MAC_BYTES = 16
MAC_DIGITS = 2 * _MAC_BYTES
_BLOCK_BYTES = 64
_covered = msgspec.msgpack.Encoder().encode
ValueT = TypeVar("ValueT")

Place = tuple[str, int]
"""Topic and partition."""
Bounds = Mapping[str, Sequence[int]]
"""An offset for each partition, by topic."""


class MayNotWrite(Exception):
    """This process has no key to write to a topic with. The text names the topic."""


class MarkKey(msgspec.Struct, frozen=True):
    """A key of one writer on one topic, named as in `libs/contracts/topics.py`. Versions count from 1 to 255."""

    topic: str
    writer: str
    version: int
    key: SecretBytes


RETIRED = "a retired key"
"""Why a record is foreign whose mark is true, but whose key counts no more where it lies."""


class Marking(Protocol):
    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        """The headers with the mark behind them. Raises `MayNotWrite`."""
        ...

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        """Why a record counts for nothing, in a few words; None: its mark is true."""
        ...

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        """Why no gateway has brought a command, in a few words; None: its second mark is true. The
        auditor's to ask, and the wallet's where money follows."""
        ...


class Marks:
    """The marks that one process makes and knows."""

    def __init__(
        self,
        process: str,
        keys: Iterable[MarkKey],
        writes: int = 1,
        unmarked: Bounds | None = None,
        retired: Mapping[int, Bounds] | None = None,
        said_at: Mapping[int, int] | None = None,
        disowned: Mapping[Place, Mapping[int, str]] | None = None,
    ) -> None:
        """`writes`: version of the keys that it writes with. Below the offsets of `unmarked` nothing needs a mark, and
        keys of a `retired` version count below its offsets only: there the log ended when that was said, `said_at` (ms;
        of the unmarked under 0), and nothing counts that the broker took in later. `disowned`: records
        that have a true mark and are not ours, digests by place and offset."""
        self._own: dict[str, tuple[bytes, _Mac]] = {}
        self._asks = False
        self._known: dict[str, dict[bytes, tuple[int, _Mac]]] = {}
        self._unmarked = unmarked or {}
        self._said_at = {version: at + SLACK_MS for version, at in (said_at or {}).items()}
        self._retired = retired or {}
        self._disowned = disowned or {}
        for each in keys:
            name, mac = b"%02x" % each.version + each.writer.encode(), _mac(each.key)
            self._known.setdefault(each.topic, {})[name] = (each.version, mac)
            if (each.writer, each.version) == (process, writes):
                self._own[each.topic] = (name, mac)
                self._asks = self._asks or each.topic.endswith(f"/{ASKED}")

    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers:
        own = _of(self._own, place[0])
        if own is None:
            raise MayNotWrite(place[0])
        if self._asks and (asks := _of(self._own, f"{place[0]}/{ASKED}")) is not None:
            headers = (*headers, (ASKED, _mark(asks, place, key, value, headers)))
        return (*headers, (HEADER, _mark(own, place, key, value, headers)))

    def why_foreign(self, place: Place, record: LogRecord) -> str | None:
        if self._disowned and self._disowned.get(place, {}).get(record.offset) == digest_of(record):
            return "disowned by the owner of the house"
        return self._why(place, place[0], HEADER, record, record.headers)

    def why_not_asked(self, place: Place, record: LogRecord) -> str | None:
        return self._why(place, f"{place[0]}/{ASKED}", ASKED, record, record.headers[:-1])

    def _why(self, place: Place, keys: str, header: str, record: LogRecord, headers: Headers) -> str | None:
        if self._unmarked and self._is_older(0, self._unmarked, place, record):
            return None
        if not headers or headers[-1][0] != header:
            return "no mark"
        mark = headers[-1][1] or b""
        name = mark[MAC_DIGITS:]
        found = (_of(self._known, keys) or {}).get(name)
        if found is None:
            return "a writer without a key"
        version, mac = found
        true = mac(_covered((place, name, record.key, record.value, headers[:-1]))).hex().encode()
        if not compare_digest(true, mark[:MAC_DIGITS]):
            return "a wrong mark"
        if version in self._retired and not self._is_older(version, self._retired[version], place, record):
            return RETIRED
        return None

    def _is_older(self, version: int, bounds: Bounds, place: Place, record: LogRecord) -> bool:
        if record.timestamp > self._said_at.get(version, record.timestamp):
            return False
        return record.offset < _bound(bounds, *place)


def _mark(own: tuple[bytes, "_Mac"], place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> bytes:
    name, mac = own
    return mac(_covered((place, name, key, value, headers))).hex().encode() + name


def digest_of(record: LogRecord) -> str:
    """SHA-256 of the whole record, hexadecimal: at the same place of a topic that was made anew lies another one."""
    return sha256(_covered((record.key, record.value, record.headers))).hexdigest()


def writer_of(headers: Headers) -> str:
    """Who a record says has written it; of one that was taken in, that is proved. Empty: it has no mark."""
    if not headers or headers[-1][0] != HEADER:
        return ""
    return (headers[-1][1] or b"")[MAC_DIGITS + 2 :].decode(errors="replace")


def _of(held: dict[str, ValueT], topic: str) -> ValueT | None:
    """Keys are of names without a test's prefix; the mark covers the whole name."""
    found = held.get(topic)
    if found is None:
        found = next((each for name, each in held.items() if topic.endswith(f".{name}")), None)
        if found is not None:
            held[topic] = found
    return found


def _bound(bounds: Bounds, topic: str, partition: int) -> int:
    """`partition` -1: of no topic (`libs/projecting/row_marks.py`)."""
    offsets = bounds.get(topic, ())
    return offsets[partition] if max(partition, 0) < len(offsets) else 0


_Mac = Callable[[bytes], bytes]


def _mac(key: SecretBytes) -> _Mac:
    """HMAC-SHA256 (RFC 2104), 16 bytes of it. The key's blocks are hashed once: `hmac.digest` takes twice as long."""
    block = key.reveal().ljust(_BLOCK_BYTES, b"\0")
    inner, outer = (sha256(bytes(byte ^ pad for byte in block)).copy for pad in (0x36, 0x5C))

    def mac(message: bytes) -> bytes:
        first, second = inner(), outer()
        first.update(message)
        second.update(first.digest())
        return second.digest()[:_MAC_BYTES]

    return mac
