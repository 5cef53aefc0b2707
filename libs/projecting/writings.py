"""The mark over the transfers that the books wrote in one transaction: a database login alone can't make one.

It is made with the wallet's key of its public events, which the auditor knows, for a place that no topic has.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from libs.contracts.topics import topic
from libs.journal.log import Headers, LogRecord
from libs.journal.marks import HEADER, Place

COLUMNS = (
    "service", "event_id", "line", "book", "debit", "credit", "amount", "currency", "kind", "reference", "event_time",
)  # fmt: skip
"""Of a transfer, as they are written and marked."""
_PLACE = (topic("wallet", "events").name, -1)
_KEY = b"transfers"
_covered = msgspec.msgpack.Encoder().encode


class Marks(Protocol):
    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers: ...
    def why_foreign(self, place: Place, record: LogRecord) -> str | None: ...


def mark_of(marks: Marks, rows: Sequence[Sequence[Any]]) -> bytes:
    """Of rows of `COLUMNS`, in whatever order. Raises `MayNotWrite`."""
    mark = marks.marked(_PLACE, _KEY, _value(rows), ())[-1][1]
    assert mark is not None
    return mark


def why_not_marked(marks: Marks, rows: Sequence[Sequence[Any]], mark: bytes, now_ms: int) -> str | None:
    """Why this mark is not the wallet's over these rows, in a few words; None: it is."""
    return marks.why_foreign(_PLACE, LogRecord(0, _KEY, _value(rows), ((HEADER, mark),), now_ms))


def _value(rows: Sequence[Sequence[Any]]) -> bytes:
    return _covered(sorted(tuple(row) for row in rows))
