"""The shelf in a file that outlasts its process: a start reads what has come into the snapshots topic since.

It stands for the topic up to an offset (journal 16), as the stores of Kafka Streams do, and counts while the machine is
up: nothing is ever forced to its disk. A file of another topic, house, build or plan of keys is begun anew.
"""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from libs.journal.log import Headers, LogRecord
from libs.journal.marks import Place as Topic
from libs.journal.seals import HEADER, Sealing, seal_in
from libs.journal.shelf import CACHE_KB, TABLES, Place, Shelf, stream_key

_log = logging.getLogger(__name__)

_FORM = b"3"
_NOW = 2**62
"""Later than any time up to which a snapshot needs no seal."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_TABLES = (
    *TABLES,
    "create index if not exists reach on shelf (upto)",
    "create index if not exists bare on shelf (stream) where seal = x''",
    "create table if not exists records (key blob primary key, place int, value blob, seal blob, at int) without rowid",
    "create table if not exists checked (of text, number int, primary key (of, number)) without rowid",
    "create table if not exists said (name text primary key, value blob) without rowid",
)

MakeShelf = Callable[[str, int, bytes], Shelf]
"""For a snapshots topic, a partition and what it is known by: a shelf."""


def nameless(topic: str, partition: int, of: bytes) -> Shelf:
    """Gone with the process."""
    return Shelf()


def kept_in(folder: Path) -> MakeShelf:
    """Those of a process, in a folder of its own. Where a file is another process's, that partition's is nameless."""

    def make(topic: str, partition: int, of: bytes) -> Shelf:
        file = folder / f"{topic}.{partition}"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            boot = _BOOT.read_bytes()
            try:
                return KeptShelf(file, sha256(_FORM + boot + of).digest(), (topic, partition))
            except _Another:
                _remove(file)
                return KeptShelf(file, sha256(_FORM + boot + of).digest(), (topic, partition))
        except (_Another, OSError, sqlite3.Error) as wrong:
            _log.warning("nothing is kept for the next start: %s", wrong, extra={"partition": partition})
        return Shelf()

    return make


class _Another(Exception):
    """The file is of something else, or broken."""


class KeptShelf(Shelf):
    """What is put, noted and checked is there at the next start once it is settled, all of it or nothing.

    Who writes the file has no seals: each snapshot is looked at when it is asked for, all else at the start. A stream
    can be set back to an older snapshot so; what is decided on that is void to everybody else, and told.
    """

    def __init__(self, file: Path, of: bytes, place: Topic) -> None:
        """Raises `_Another`, `sqlite3.OperationalError` where another process has it."""
        super().__init__()
        self._file = file
        self._topic = place
        self._own: set[str] = set()
        """Streams whose snapshots were put together from parts, in this process's own life."""
        file.touch(mode=0o600)
        made = sqlite3.connect(file, isolation_level=None, timeout=0)
        try:
            for pragma in ("locking_mode = exclusive", "journal_mode = wal", "synchronous = off"):
                made.execute(f"pragma {pragma}")
            made.execute(f"pragma cache_size = -{CACHE_KB}")
            made.execute("begin immediate")
            for statement in _TABLES:
                made.execute(statement)
            made.execute("insert or ignore into said values ('of', ?), ('first', 0)", (of,))
            said = dict(made.execute("select name, value from said").fetchall())
            count = made.execute("select count(*) from shelf").fetchone()[0]
            made.execute("commit")
            made.execute("begin")
        except sqlite3.DatabaseError as wrong:
            made.close()
            if wrong.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise
            raise _Another(str(wrong)) from None  # of an older build, say: its tables are others
        if said["of"] != of or not isinstance(said["first"], int):
            made.close()
            raise _Another("it is of something else")
        self._at, self._count, self.first = made, count, said["first"]

    def known(self) -> Iterator[LogRecord]:
        rows = self._at.execute("select place, key, value, seal, at from records order by place").fetchall()
        for offset, key, value, seal, at in rows:
            yield LogRecord(offset, key, value, _sealed(seal), at)

    def put(self, place: Place, value: bytes, seal: bytes = b"") -> bool:
        stays = super().put(place, value, seal)
        if stays:
            (self._own.discard if seal else self._own.add)(place.stream)
        return stays

    def why_not(self, seals: Sealing, stream: str) -> str | None:
        if stream in self._own:
            return None
        found = self._at.execute("select value, seal from shelf where stream = ?", (stream,)).fetchone()
        assert found is not None, "asked for what is there"
        if not all(isinstance(each, bytes) for each in found):
            return "no bytes"
        return seals.why_not(self._topic, LogRecord(0, stream_key(stream), found[0], _sealed(found[1]), _NOW))

    def bare(self) -> list[str]:
        rows = self._at.execute("select stream from shelf where seal = x''").fetchall()
        return [stream for (stream,) in rows if stream not in self._own]

    def note(self, record: LogRecord) -> None:
        if record.value:
            row = (record.key or b"", record.offset, record.value, seal_in(record.headers), record.timestamp)
            self._at.execute("insert or replace into records values (?, ?, ?, ?, ?)", row)
        else:
            self._at.execute("delete from records where key = ?", (record.key or b"",))

    def is_checked(self, of: str, number: int) -> bool:
        found = self._at.execute("select 1 from checked where of = ? and number = ?", (of, number)).fetchone()
        return found is not None

    def check(self, of: str, number: int) -> None:
        self._at.execute("insert or ignore into checked values (?, ?)", (of, number))

    def check_alone(self, sets: Iterable[str]) -> None:
        self._at.execute("delete from checked where of not in (select value from json_each(?))", (json.dumps([*sets]),))

    def drop(self, stream: str) -> None:
        super().drop(stream)
        self._at.execute("delete from checked")

    def settle(self, first: int | None = None) -> None:
        if first is not None:
            self.first = first
            self._at.execute("update said set value = ? where name = 'first'", (first,))
        self._at.execute("commit")
        self._at.execute("begin")

    def condemn(self) -> None:
        _remove(self._file)


def _sealed(seal: bytes | None) -> Headers:
    return ((HEADER, seal),) if seal else ()


def _remove(file: Path) -> None:
    for each in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        each.unlink(missing_ok=True)
