"""What left the database for an archive, as it is put down there, piece by piece: each bears the archivist's mark.

The archivist's login alone takes rows out, with whatever digest it says; without a true mark nobody has archived them.
Nor has anybody a month that is not over, or not for long: the database lets none go, whoever asks.
"""

import re
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
LEAST_MONTHS = 3
"""Whole months between one that leaves and the running one, at the least; the database asks for more (`archiving`)."""
_PLACE = (ARCHIVED, -1)
_MONTH = re.compile(r"20[2-9]\d-(0[1-9]|1[0-2])")
_COVERED = ("table_name", "month", "piece", "rows", "sha256")


def mark_piece(marks: Marks, schema: str, table: str, month: str, piece: int, rows: int, sha256: str) -> bytes:
    """As it is put down in `archived`. Raises `MayNotWrite` where the marks are not the archivist's."""
    return row_mark(marks, _PLACE, schema.encode(), msgspec.msgpack.encode((table, month, piece, rows, sha256)))


def why_not_piece(marks: Marks, schema: str, row: Any) -> str | None:
    """Why the archivist has not put down a row as it is, in a few words; None: it has, also under a key that is retired
    since."""
    if row["mark"] is None:
        return "it bears no mark"
    said = msgspec.msgpack.encode(tuple(row[name] for name in _COVERED))
    why = why_not_row_mark(marks, _PLACE, schema.encode(), said, row["mark"])
    return None if why == RETIRED else why


def is_young(month: str, now_ms: float) -> bool:
    """Whether no archivist takes out a month (`2026-11`, UTC) yet; also of what is no month."""
    if not _MONTH.fullmatch(month):
        return True
    today = time.gmtime(now_ms / 1000)
    return today.tm_year * 12 + today.tm_mon - int(month[:4]) * 12 - int(month[5:]) <= LEAST_MONTHS


def telling(schema: str, now: Callable[[], float] = time.time) -> Callable[[Marks, Any], Finding | None]:
    """What is to be said of a row of the schema's `archived`. Of one that is not the archivist's nothing is told that
    it says of digest and count. `now`: seconds since the epoch."""

    def tell(marks: Marks, row: Any) -> Finding | None:
        stream, piece = f"{schema}.{row['table_name']}", f"piece {row['piece']} of {row['month']}"
        if (why := why_not_piece(marks, schema, row)) is not None:
            detail = f"{piece} left the database, and the archivist has not archived it: {why}"
            return Finding(Kind.NOT_ARCHIVED, stream, detail, row["piece"])
        if is_young(row["month"], now() * 1000):
            detail = f"{piece} left the database under the archivist's mark, and is too young for it"
            return Finding(Kind.NOT_ARCHIVED, stream, detail, row["piece"])
        if row["at"] < now() * 1000 - TOLD_MS:
            return None
        detail = f"{piece} left the database for the archive: {row['rows']} rows, SHA-256 {row['sha256']}"
        return Finding(Kind.ARCHIVED, stream, detail, row["piece"])

    return tell
