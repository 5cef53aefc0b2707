"""How an archive lies on disk: a compressed file for each table and month as COPY writes rows, one manifest.

The manifest names the digest of each file's content, and carries the archivist's mark. One from before there was such a
mark carries the inspector's, as that of a backup does: whoever has the inspector's keys can still judge it.
"""

import gzip
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from libs.contracts.topics import INSPECTOR
from libs.journal.log import Headers
from libs.journal.mark_keys import ARCHIVE
from libs.journal.marks import Marking, Place, writer_of
from services.cli.backups.files import (
    MANIFEST,
    PLACE,
    Damaged,
    folder_to_disk,
    fresh,
    own,
    read_marked,
    to_disk,
    write_marked,
)

_MARKED_AS: Place = (ARCHIVE, 0)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WHOLE = ("smallint", "integer", "bigint", "numeric(100,0)")
_TYPE = re.compile(r"[a-z][a-z0-9 (),]*(\[\])?")
_NAME = re.compile(r"[a-z_]{1,40}")


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of one table and month. What came later for a month that was taken out already is another piece of it."""

    schema: str
    table: str
    month: str
    piece: int
    columns: tuple[tuple[str, str], ...]
    """Names and types."""
    rows: int
    sha256: str
    """Of the rows as COPY writes them, a line each, in the order of the primary key."""

    @property
    def file(self) -> str:
        return f"{self.schema}.{self.table}.{self.month}.{self.piece}.copy.gz"


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prefix: str
    """Of the house's topics."""
    pieces: tuple[Piece, ...]
    archive: int = 1
    """Format."""


class Held(NamedTuple):
    archive: Archive
    digest: str
    foreign: str | None


def read_archive(folder: Path, marks: Marking) -> Held | None:
    """None where there is none yet. Raises `Damaged`."""
    marked_as = _MARKED_AS

    def place(mark: Headers) -> Place:
        nonlocal marked_as
        if writer_of(mark) == INSPECTOR:
            marked_as = PLACE
        return marked_as

    held = read_marked(folder, marks, Archive, place)
    if held is None:
        return None
    for each in held[0].pieces:
        fine = all(_NAME.fullmatch(name) for name in (each.schema, each.table, *(name for name, _ in each.columns)))
        if (
            not fine
            or not re.fullmatch(r"20\d\d-\d\d", each.month)
            or not all(_TYPE.fullmatch(t) for _, t in each.columns)
        ):
            raise Damaged(f"{MANIFEST} names rows that no archive would hold: {each.file!r}")
    archive, digest, foreign = held
    if foreign and marked_as is PLACE:
        foreign = f"the inspector's mark ({foreign})"
    return Held(archive, digest, foreign)


def write_archive(folder: Path, archive: Archive, marks: Marking) -> str:
    """Digest of the manifest. Raises `MayNotWrite` where the marks are not the archivist's."""
    return write_marked(folder, archive, marks, _MARKED_AS)


def may_write(marks: Marking) -> None:
    """Raises `MayNotWrite` before anything is done, where `write_archive` would."""
    marks.marked(_MARKED_AS, None, b"", ())


class Packing:
    """Takes what COPY writes; compressed on disk it is there under no name until `end`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / ".packing"
        self._raw = fresh(self._path)  # `end` and `drop` close it
        self._packed = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._digest = sha256()
        self.rows = 0

    async def __call__(self, data: bytes) -> None:
        self._packed.write(data)
        self._digest.update(data)
        self.rows += data.count(b"\n")

    def end(self) -> str:
        """All of it is on disk; the digest of what it holds."""
        self._packed.close()
        self._raw.flush()
        to_disk(self._raw.fileno())
        self._raw.close()
        return self._digest.hexdigest()

    def name(self, file: str) -> None:
        self._path.rename(self._folder / file)
        folder_to_disk(self._folder)

    def drop(self) -> None:
        self._raw.close()
        self._path.unlink(missing_ok=True)


def lines_in(folder: Path, piece: Piece) -> Iterator[bytes]:
    """Every line. Raises `Damaged`, at the latest behind the last one: until then nothing is proved."""
    digest, count = sha256(), 0
    try:
        with open(folder / piece.file, "rb", opener=own) as raw, gzip.GzipFile(fileobj=raw, mode="rb") as file:
            for line in file:
                digest.update(line)
                count += 1
                yield line
    except FileNotFoundError:
        raise Damaged(f"{piece.file} is missing") from None
    except (OSError, EOFError) as wrong:
        raise Damaged(f"{piece.file} can't be read: {wrong}") from None
    except Exception as wrong:  # zlib.error
        if type(wrong).__name__ != "error":
            raise
        raise Damaged(f"{piece.file} is torn: {wrong}") from None
    if (digest.hexdigest(), count) != (piece.sha256, piece.rows):
        raise Damaged(f"{piece.file} is not as it was written")


def check(folder: Path, piece: Piece) -> None:
    """Reads all of it. Raises `Damaged`."""
    for _ in lines_in(folder, piece):
        pass


def row_of(piece: Piece, line: bytes) -> dict[str, Any]:
    """By column; whole numbers are ints, everything else text as PostgreSQL writes it."""
    values = line.decode().removesuffix("\n").split("\t")
    return {name: _value(kind, text) for (name, kind), text in zip(piece.columns, values, strict=True)}


def _value(kind: str, text: str) -> Any:
    if text == "\\N":
        return None
    if kind in _WHOLE:
        return int(text)
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text)


def size_of(folder: Path, piece: Piece) -> int:
    return os.stat(folder / piece.file).st_size
