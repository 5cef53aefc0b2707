"""What left the database for an archive, as it is put down there, piece by piece: each bears the archivist's mark.

The archivist's login alone takes rows out, with whatever digest it says; without a true mark nobody has archived them.
"""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from libs.journal.mark_keys import ARCHIVED
from libs.journal.marks import RETIRED
from libs.projecting.row_marks import Marks, row_mark, why_not_row_mark
from services.audit.verifying.findings import Finding, Kind

COLUMNS = ("table_name", "month", "piece", "rows", "sha256", "at", "mark")
"""Of a row of `archived`."""
TOLD_MS = 7 * 86_400_000
"""What left longer ago is told no more: under a new key each piece there ever was would be told once more."""
_PLACE = (ARCHIVED, -1)
_COVERED = ("table_name", "month", "piece", "rows", "sha256")


def mark_piece(marks: Marks, schema: str, table: str, month: str, piece: int, rows: int, sha256: str) -> bytes:
    """As it is put down in `archived`. Raises `MayNotWrite` where the marks are not the archivist's."""
    return row_mark(marks, _PLACE, schema.encode(), msgspec.msgpack.encode((table, month, piece, rows, sha256)))


def why_not_piece(marks: Marks, schema: str, row: Any) -> str | None:
    """Why the archivist has not put down a row as it is, in a few words; None: it has, also under a key that is retired
    since, or the row is of before the marks: since then the database takes none without."""
    if row["mark"] is None:
        return None
    said = msgspec.msgpack.encode(tuple(row[name] for name in _COVERED))
    why = why_not_row_mark(marks, _PLACE, schema.encode(), said, row["mark"])
    return None if why == RETIRED else why


def telling(schema: str, now: Callable[[], float] = time.time) -> Callable[[Marks, Any], Finding | None]:
    """What is to be said of a row of the schema's `archived`. Of one that is not the archivist's nothing is told that
    it says of digest and count. `now`: seconds since the epoch."""

    def tell(marks: Marks, row: Any) -> Finding | None:
        stream, piece = f"{schema}.{row['table_name']}", f"piece {row['piece']} of {row['month']}"
        if (why := why_not_piece(marks, schema, row)) is not None:
            detail = f"{piece} left the database, and the archivist has not archived it: {why}"
            return Finding(Kind.NOT_ARCHIVED, stream, detail, row["piece"])
        if row["mark"] is None or row["at"] < now() * 1000 - TOLD_MS:
            return None
        detail = f"{piece} left the database for the archive: {row['rows']} rows, SHA-256 {row['sha256']}"
        return Finding(Kind.ARCHIVED, stream, detail, row["piece"])

    return tell
