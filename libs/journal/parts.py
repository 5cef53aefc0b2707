"""A snapshot beyond one record: in parts, under keys that no other writer or snapshot uses (journal 16, 17).

A *set* is the parts of one snapshot, written once, by one run of one owner. Each part says how many belong to it and
the digest of the whole: a set of which one is missing is not there at all, and nobody's set takes another one's place.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import msgspec

from libs.contracts.reading import read
from libs.journal.log import LogRecord

FORMAT = b"\x02"
KEY = b"part/"
_UNDER_WAY = 2
"""So many sets of a stream that are not whole may be under way when a reader meets them: two owners write one each."""
_CACHE_KB = 2_048


class Part(msgspec.Struct, frozen=True, array_like=True):
    journal_name: str
    stream: str
    of: str
    """Name of the set."""
    number: int
    """From 0."""
    count: int
    """So many belong to the set."""
    upto: int
    """The journal's offset that the snapshot covers."""
    digest: bytes
    """SHA-256 of the whole: of what the snapshot's record would hold."""
    value: bytes


_PART = msgspec.msgpack.Decoder(Part)


def cut(journal_name: str, stream: str, upto: int, whole: bytes, of: str, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of its parts, of `size` bytes each."""
    digest, count = sha256(whole).digest(), _count(whole, size)
    for number in range(count):
        value = whole[number * size : (number + 1) * size]
        part = Part(journal_name, stream, of, number, count, upto, digest, value)
        yield _key(stream, of, number), FORMAT + msgspec.msgpack.encode(part)


def _count(whole: bytes, size: int) -> int:
    return -(-len(whole) // size)


def _key(stream: str, of: str, number: int) -> bytes:
    return KEY + f"{stream}/{of}/{number}".encode()


def stream_in(key: bytes) -> str:
    """Whose part lies under this key."""
    return key.removeprefix(KEY).rsplit(b"/", 2)[0].decode(errors="replace")


class Left(NamedTuple):
    """Keys of what a reader found of parts."""

    lying: Mapping[str, frozenset[bytes]] = {}
    """By stream: they may go once another snapshot of it stands."""
    over: frozenset[bytes] = frozenset()
    """Nobody needs them any more."""


@dataclass(slots=True, eq=False)
class _Set:
    stream: str
    upto: int
    count: int
    digest: bytes
    keys: dict[int, bytes] = field(default_factory=dict)
    seen: int = 0
    """Offset of the part that was read last."""
    whole: bool = False


class Parts:
    """What of them lies in a snapshots topic; the bytes on disk, in a file without a name."""

    def __init__(self, journal_name: str) -> None:
        self._journal_name = journal_name
        self._sets: dict[str, _Set] = {}
        self._former: set[bytes] = set()
        """Keys of another incarnation's."""
        self._aside: dict[str, set[bytes]] = {}
        """Keys of what counts for nothing, by stream."""

    @cached_property
    def _at(self) -> sqlite3.Connection:
        """Made for the first part: many a partition has none."""
        made = sqlite3.connect("", isolation_level=None)
        for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{_CACHE_KB}"):
            made.execute(f"pragma {pragma}")
        made.execute("begin")  # and no end: nothing of it is to last
        made.execute("create table parts (key blob primary key, value blob) without rowid")
        return made

    def put_aside(self, key: bytes) -> None:
        """What lies under this key counts for nothing, and goes with what else lies there of its stream."""
        if key.startswith(KEY):
            self._aside.setdefault(stream_in(key), set()).add(key)

    def take(self, record: LogRecord) -> bool:
        """Whether the record is one. Raises `msgspec.MsgspecError` for one that can't be decoded."""
        key = record.key or b""
        if not key.startswith(KEY):
            return False
        if not record.value:
            self._forget(key)
        elif record.value[:1] == FORMAT:
            part = read(_PART, memoryview(record.value)[1:])
            if part.journal_name == self._journal_name:
                self._keep(record.offset, key, part)
            else:
                self._former.add(key)
        return True

    def _keep(self, offset: int, key: bytes, part: Part) -> None:
        held = self._sets.setdefault(part.of, _Set(part.stream, part.upto, part.count, part.digest))
        held.keys[part.number], held.seen = key, offset
        self._at.execute("insert or replace into parts values (?, ?)", (key, part.value))

    def _forget(self, key: bytes) -> None:
        of, _, number = key.removeprefix(KEY).decode(errors="replace").rpartition("/")
        held = self._sets.get(of.rpartition("/")[2])
        if held is not None and number.isdecimal() and held.keys.pop(int(number), None) is not None:
            self._at.execute("delete from parts where key = ?", (key,))
        self._former.discard(key)
        self._aside.get(stream_in(key), set()).discard(key)

    def joined(self, differs: Callable[[int, bytes], None] = lambda offset, key: None) -> Iterator[tuple[str, bytes]]:
        """Every stream with a whole one, as its record would hold it; `differs` hears where a set is not what it says
        of itself."""
        for held in self._sets.values():
            if len(held.keys) < held.count:
                continue
            whole = b"".join(self._value(held.keys[number]) for number in sorted(held.keys))
            held.whole = sha256(whole).digest() == held.digest
            if held.whole:
                yield held.stream, whole
            else:
                differs(held.seen, held.keys[min(held.keys)])

    def _value(self, key: bytes) -> bytes:
        found: tuple[bytes] = self._at.execute("select value from parts where key = ?", (key,)).fetchone()
        return found[0]

    def left(self, reached: Callable[[str], int]) -> Left:
        """Once they are joined; `reached`: up to where the stream's best snapshot goes, -1 where there is none.

        What does not reach as far as that is over. What does may be whole, or under way: the other owner that writes it
        takes away what it believes to be older.
        """
        over, lying = set(self._former), {stream: set(keys) for stream, keys in self._aside.items()}
        torn: dict[str, int] = {}
        for held in sorted(self._sets.values(), key=lambda held: -held.seen):
            late = not held.whole and torn.get(held.stream, 0) >= _UNDER_WAY
            torn[held.stream] = torn.get(held.stream, 0) + (not held.whole)
            if held.upto < reached(held.stream) or late:
                over.update(held.keys.values())
            else:
                lying.setdefault(held.stream, set()).update(held.keys.values())
        return Left({stream: frozenset(keys) for stream, keys in lying.items()}, frozenset(over))

    def close(self) -> None:
        if "_at" in vars(self):
            self._at.close()


class Cutter:
    """Of one run of an owner: cuts its snapshots, and knows what they take the place of."""

    def __init__(self, journal_name: str, run: str, size: int, left: Left) -> None:
        """`run` differs from that of every other run that ever was; `size`: bytes in one record."""
        self._journal_name = journal_name
        self._run = run
        self._size = size
        self._sets = 0
        self._lying = {stream: set(keys) for stream, keys in left.lying.items()}
        self._newest: dict[str, set[bytes]] = {}
        self._over = set(left.over)

    def cut(self, stream: str, upto: int, whole: bytes) -> Iterator[tuple[bytes, bytes]] | None:
        """Keys and values of its parts; None: one record holds it."""
        self._newest[stream] = set()
        if len(whole) <= self._size:
            return None
        self._sets += 1
        of = f"{self._run}.{self._sets}"
        self._newest[stream] = {_key(stream, of, number) for number in range(_count(whole, self._size))}
        self._lying.setdefault(stream, set()).update(self._newest[stream])
        return cut(self._journal_name, stream, upto, whole, of, self._size)

    def stands(self, stream: str) -> None:
        """Its last snapshot is acknowledged: whatever else lies there of it is over."""
        newest = self._newest.pop(stream, set())
        self._over |= self._lying.pop(stream, set()) - newest
        if newest:
            self._lying[stream] = newest

    def over(self) -> list[bytes]:
        """Keys whose records are to be taken away; told once."""
        over, self._over = sorted(self._over), set()
        return over
