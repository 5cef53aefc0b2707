"""The newest snapshot of every stream of a partition, on disk and undecoded: what is idle lies here and not in memory.

A file without a name that goes with the process, and holds what the snapshots topic holds; it is filled from there at
each start, but for what a kept one (`libs/journal/kept.py`) has. Sealed cards lie in it as sealed as they lie there.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec

from libs.journal.log import LogRecord
from libs.journal.seals import Sealing

CACHE_KB = 2_048
TABLES = (
    "create table if not exists shelf"
    " (stream text primary key, upto int, last int, rests int, value blob, seal blob) without rowid",
    "create index if not exists awake on shelf (stream) where not rests",
)


STREAM_PREFIX = b"stream/"


def stream_key(stream: str) -> bytes:
    """Key of its snapshots' records."""
    return STREAM_PREFIX + stream.encode()


class Place(msgspec.Struct, frozen=True, array_like=True):
    """A snapshot without what costs time to decode: what it covers, and whether its stream has to be known at once."""

    journal_name: str
    stream: str
    upto: int
    last: int
    version: int
    prev: bytes
    time: int
    ring: msgspec.Raw
    high_water: msgspec.Raw
    state: bytes
    rests: bool = False
    aside: str = ""
    initial: bytes = b""


class Shelf:
    """Values are the bytes of the snapshots topic, by stream."""

    def __init__(self) -> None:
        self._count = 0
        self.first = 0
        """Offset of the snapshots topic from which on it has to be read: all below is here."""

    # What a shelf that is kept knows of what was read earlier

    def known(self) -> Iterator[LogRecord]:
        """Other records from below `first`, in their order: of manifests and parts, with their seals."""
        yield from ()

    def note(self, record: LogRecord) -> None:
        """Such a record, or that it was taken away."""

    def why_not(self, seals: Sealing, stream: str) -> str | None:
        """Why the stream's snapshot counts for nothing, in a few words; None: nobody else has had it in hand."""
        return None

    def bare(self) -> Iterable[str]:
        """Streams with a snapshot that bears no seal, and was not put together in this process's life."""
        return ()

    def is_checked(self, of: str, number: int) -> bool:
        """Whether each stream of this piece of a manifest is known to lie here, at what it says or further."""
        return False

    def check(self, of: str, number: int) -> None:
        """They do."""

    def check_alone(self, sets: Iterable[str]) -> None:
        """Of pieces of other sets nothing is known any more."""

    def settle(self, first: int | None = None) -> None:
        """All that was put, noted and checked stands; and below `first` there is nothing else."""

    def condemn(self) -> None:
        """The next start begins with nothing."""

    # Snapshots

    @cached_property
    def _at(self) -> sqlite3.Connection:
        """Made for the first snapshot: many a partition has none."""
        # Without a name SQLite makes a file of its own, once the cache is full, and unlinks it at once.
        made = sqlite3.connect("", isolation_level=None)
        for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{CACHE_KB}"):
            made.execute(f"pragma {pragma}")
        made.execute("begin")  # and no end: nothing of it is to last
        for statement in TABLES:
            made.execute(statement)
        return made

    def __len__(self) -> int:
        return self._count

    def put(self, place: Place, value: bytes, seal: bytes = b"") -> bool:
        """The one that reaches furthest stays, of two that reach as far the later one: whether it is this one.

        `seal`: of the record that holds it; what was put together from parts has none."""
        reached = self.place(place.stream)
        if reached is None:
            self._count += 1
        elif reached[0] > place.upto:
            return False
        row = (place.stream, place.upto, place.last, place.rests, value, seal)
        self._at.execute("insert or replace into shelf values (?, ?, ?, ?, ?, ?)", row)
        return True

    def get(self, stream: str) -> bytes | None:
        if not self._count:
            return None
        row: tuple[bytes] | None = self._at.execute("select value from shelf where stream = ?", (stream,)).fetchone()
        return row[0] if row is not None else None

    def place(self, stream: str) -> tuple[int, int] | None:
        """(`upto`, `last`) of the stream's snapshot."""
        if not self._count:
            return None
        row: tuple[int, int] | None = self._at.execute(
            "select upto, last from shelf where stream = ?", (stream,)
        ).fetchone()
        return row

    def row(self, stream: str) -> tuple[int, int, bool] | None:
        """(`upto`, `last`, `rests`) as the shelf goes by them; a value that says otherwise was put there by another."""
        row: tuple[int, int, int] | None = self._at.execute(
            "select upto, last, rests from shelf where stream = ?", (stream,)
        ).fetchone()
        return (row[0], row[1], bool(row[2])) if row is not None else None

    def drop(self, stream: str) -> None:
        if self._count:
            self._count -= self._at.execute("delete from shelf where stream = ?", (stream,)).rowcount

    def furthest(self) -> int:
        """The highest offset that a snapshot covers."""
        if not self._count:
            return 0
        found: int = self._at.execute("select coalesce(max(upto), 0) from shelf").fetchone()[0]
        return found

    def awake(self) -> list[str]:
        """Streams that something falls due for, or whose snapshot does not say."""
        if not self._count:
            return []
        return [stream for (stream,) in self._at.execute("select stream from shelf where not rests")]

    def marks(self, size: int) -> Iterator[dict[str, int]]:
        """Every stream to its snapshot's `last`, so many at a time; between two of them nothing may be put."""
        after = ""
        while self._count and (
            page := dict(
                self._at.execute(
                    "select stream, last from shelf where stream > ? order by stream limit ?", (after, size)
                )
            )
        ):
            yield page
            after = next(reversed(page))

    def close(self) -> None:
        if "_at" in vars(self):
            self._at.close()
