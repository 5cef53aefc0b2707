"""How a backup lies on disk: a file of records for each partition, rows that only the database has, one manifest.

The manifest names how much of each file counts, and takes the old one's place only when all of that is on disk. So a
backup that is ended halfway leaves the one before whole, and the next one goes on from there.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple, TypeVar, cast

import msgspec

from libs.contracts.house import HouseCreated
from libs.journal.log import Headers, LogRecord
from libs.journal.mark_keys import BACKUP
from libs.journal.marks import Marking, Place

MANIFEST = "manifest.json"
_PIECE = 2**20
PLACE: Place = (BACKUP, 0)
"""As which a manifest is marked."""
_LENGTH, _DIGEST = 4, 16
_encode = msgspec.msgpack.Encoder().encode
_Body = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]
"""Offset, milliseconds since the epoch, key, value, headers."""
_decode = msgspec.msgpack.Decoder(_Body).decode


T = TypeVar("T")


class Damaged(Exception):
    """A backup that is not as it was written; names the file, and the record where it is one."""


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One partition. What `file` holds behind `bytes` was left by a backup that did not end, and counts for nothing."""

    topic: str
    partition: int
    file: str
    first: int
    """Where the log began when the file was begun: above 0 where retention has taken what was below."""
    end: int
    """Offset up to which everything is here."""
    records: int = 0
    bytes: int = 0
    digest: str = ""
    """Each record's digest covers the one before; this is the last one's."""
    last: tuple[int, str] | None = None
    """Offset and digest of the last record by itself: whether the log is still the one that was copied (journal 21)."""

    @property
    def place(self) -> tuple[str, int]:
        return self.topic, self.partition


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What only the database has, as PostgreSQL's COPY writes it: a table, or a piece of one."""

    schema: str
    table: str
    columns: tuple[str, ...]
    file: str
    rows: int
    sha256: str
    since: int | None = None
    """Of a piece: it holds the rows whose number is this or above; None: from the lowest on."""
    below: int | None = None
    """Of a piece: and below this; None: up to the highest."""

    @property
    def name(self) -> str:
        """What the names of its files begin with."""
        return f"{self.schema}.{self.table}" + ("" if self.since is None else f"-{self.since}")


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a group had come, and what stands beside it: a sign of life (journal 12)."""

    group: str
    topic: str
    partition: int
    offset: int
    beside: str


class Backup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything was read between `began_at` and `taken_at`, milliseconds since the epoch."""

    began_at: int
    taken_at: int
    prefix: str
    positions: tuple[Position, ...]
    rows: tuple[Rows, ...]
    parts: tuple[Part, ...]
    format: int = 1
    partitions: int = 4
    """Of the house. Where nothing is said, it was taken when every house had four."""
    house: HouseCreated | None = None
    """What its first record says; None: it was taken before there were such records, or is to be another house."""

    @property
    def files(self) -> frozenset[str]:
        """Names of all that belongs to it beside its manifest."""
        return frozenset((*(each.file for each in self.parts), *(each.file for each in self.rows)))

    def part(self, topic: str, partition: int) -> Part | None:
        return next((each for each in self.parts if each.place == (topic, partition)), None)


class _Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sha256: str
    backup: msgspec.Raw
    marks: tuple[tuple[str, str], ...] = ()


class Held(NamedTuple):
    backup: Backup
    digest: str
    foreign: str | None
    """Why the manifest is not this house's, in a few words; None: its mark is true."""


def read_manifest(folder: Path, marks: Marking) -> Held | None:
    """None where no backup has come to its end yet. Raises `Damaged`."""
    held = read_marked(folder, marks, Backup)
    if held is None:
        return None
    made = held[0]
    names = [(each.file, f"{each.topic}-{each.partition}", "records") for each in made.parts]
    names += [(each.file, each.name, "rows") for each in made.rows]
    for name, of, kind in names:
        if "/" in name or not re.fullmatch(rf"{re.escape(of)}\.\d+\.{kind}", name):
            raise Damaged(f"{MANIFEST} names the file {name!r}, which no backup would write")
    return Held(*held)


def _as_backup(_: Headers) -> Place:
    return PLACE


def read_marked(
    folder: Path, marks: Marking, of: type[T], place: Callable[[Headers], Place] = _as_backup
) -> tuple[T, str, str | None] | None:
    """What the manifest of a folder says, its digest, and why it is not this house's; `place`: as what one with this
    mark is to be marked. Raises `Damaged`."""
    file = folder / MANIFEST
    if not file.exists():
        return None
    try:
        held = msgspec.json.decode(file.read_bytes(), type=_Manifest)
        if sha256(bytes(held.backup)).hexdigest() != held.sha256:
            raise Damaged(f"{MANIFEST} is not as it was written")
        made = msgspec.json.decode(held.backup, type=of)
    except msgspec.DecodeError as wrong:
        raise Damaged(f"{MANIFEST} is not as it was written: {wrong}") from None
    headers = tuple((name, mark.encode()) for name, mark in held.marks)
    return made, held.sha256, marks.why_foreign(place(headers), LogRecord(0, None, bytes(held.backup), headers))


def write_manifest(folder: Path, backup: Backup, marks: Marking) -> str:
    """From now on this is the backup; returns the manifest's digest. For files that it does not name see `sweep`."""
    return write_marked(folder, backup, marks)


def write_marked(folder: Path, said: msgspec.Struct, marks: Marking, place: Place = PLACE) -> str:
    """The folder's manifest in one step, on disk; its digest."""
    raw = msgspec.json.encode(said)
    marked = tuple((name, (mark or b"").decode()) for name, mark in marks.marked(place, None, raw, ()))
    digest = sha256(raw).hexdigest()
    path = folder / f".{MANIFEST}"
    with fresh(path) as file:
        file.write(msgspec.json.encode(_Manifest(digest, msgspec.Raw(raw), marked)) + b"\n")
        file.flush()
        to_disk(file.fileno())
    path.rename(folder / MANIFEST)
    folder_to_disk(folder)
    return digest


def folder_to_disk(folder: Path) -> None:
    """Which names it has."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        to_disk(handle)
    finally:
        os.close(handle)


class Writer:
    """Adds records to the file of a partition, behind what its part names."""

    def __init__(self, folder: Path, part: Part) -> None:
        self._part = part
        self._count, self._bytes, self._last = part.records, part.bytes, part.last
        self._chain = bytes.fromhex(part.digest) or _seed(part)
        path = folder / part.file
        self._file: BinaryIO  # `end` and `drop` close it
        self._file = open(path, "r+b", opener=own) if part.bytes else fresh(path)  # noqa: SIM115
        self._file.truncate(part.bytes)
        self._file.seek(part.bytes)

    def add(self, records: Iterable[LogRecord]) -> None:
        for each in records:
            body = _body(each)
            self._chain = _chained(self._chain, body)
            self._file.write(b"".join((len(body).to_bytes(_LENGTH), body, self._chain)))
            self._count += 1
            self._bytes += _LENGTH + len(body) + _DIGEST
            self._last = each.offset, alone(each)

    def end(self, end: int) -> Part:
        """On disk, and complete up to `end`."""
        self._file.flush()
        to_disk(self._file.fileno())
        self._file.close()
        return msgspec.structs.replace(
            self._part,
            end=end,
            records=self._count,
            bytes=self._bytes,
            digest=self._chain.hex(),
            last=self._last,
        )

    def drop(self) -> None:
        self._file.close()


def records_in(folder: Path, part: Part) -> Iterator[LogRecord]:
    """All records of a part, each judged before it is given. Raises `Damaged`."""
    path, chain, left = folder / part.file, _seed(part), part.bytes
    if not path.exists():
        raise Damaged(f"{part.file} is missing")
    if path.stat().st_size < part.bytes:
        raise Damaged(f"{part.file} is torn: it has {path.stat().st_size:,} bytes of {part.bytes:,}")
    behind = "the first"
    with open(path, "rb", opener=own) as file:
        for number in range(1, part.records + 1):
            where = f"{part.file}, record {number} of {part.records} ({behind}), {part.topic}/{part.partition}"
            size = int.from_bytes(file.read(_LENGTH))
            left -= _LENGTH + size + _DIGEST
            if left < 0:
                raise Damaged(f"{where}: not as it was written, it runs over the end")
            body = file.read(size)
            chain = _chained(chain, body)
            if file.read(_DIGEST) != chain:
                raise Damaged(f"{where}: not as it was written")
            offset, timestamp, key, value, headers = _decode(body)
            behind = f"behind offset {offset}"
            yield LogRecord(offset, key, value, headers, timestamp)
    if left or chain.hex() != (part.digest or _seed(part).hex()):
        raise Damaged(f"{part.file}: its {part.records} records are not those that {MANIFEST} names")


@contextmanager
def rows_in(folder: Path, rows: Rows) -> Iterator[BinaryIO]:
    """The file as it was written, read once into one without a name: what was judged is what is given. Raises
    `Damaged`."""
    path, digest = folder / rows.file, sha256()
    if not path.exists():
        raise Damaged(f"{rows.file} is missing")
    with TemporaryFile() as judged:
        with open(path, "rb", opener=own) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
                judged.write(piece)
        if digest.hexdigest() != rows.sha256:
            raise Damaged(f"{rows.file} ({rows.schema}.{rows.table}) is not as it was written")
        judged.seek(0)
        yield cast(BinaryIO, judged)


def own(path: str, flags: int) -> int:
    """Nobody else reads it; a link that somebody has put there leads nowhere."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def fresh(path: Path) -> BinaryIO:
    """An empty file to write. What somebody has put there under that name, a link too, goes and is not written to."""
    path.unlink(missing_ok=True)
    return open(path, "xb", opener=own)


def digest_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def alone(record: LogRecord) -> str:
    """Digest of a record with its offset and time."""
    return sha256(_body(record)).hexdigest()


def _body(record: LogRecord) -> bytes:
    headers: Headers = tuple(record.headers)
    return _encode((record.offset, record.timestamp, record.key, record.value, headers))


def _seed(part: Part) -> bytes:
    """A file is of one partition and no other."""
    return sha256(f"{part.topic}/{part.partition}@{part.first}".encode()).digest()[:_DIGEST]


def _chained(chain: bytes, body: bytes) -> bytes:
    return sha256(chain + body).digest()[:_DIGEST]


def to_disk(handle: int) -> None:
    os.fsync(handle)
