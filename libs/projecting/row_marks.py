"""The mark of what a database keeps: a login alone can't make one. As on a log, for a place that no topic has."""

from typing import Protocol

from libs.journal.log import Headers, LogRecord
from libs.journal.marks import HEADER, Place


class Marks(Protocol):
    def marked(self, place: Place, key: bytes | None, value: bytes | None, headers: Headers) -> Headers: ...
    def why_foreign(self, place: Place, record: LogRecord) -> str | None: ...


def row_mark(marks: Marks, place: Place, key: bytes, value: bytes) -> bytes:
    """Raises `MayNotWrite`."""
    mark = marks.marked(place, key, value, ())[-1][1]
    assert mark is not None
    return mark


def why_not_row_mark(marks: Marks, place: Place, key: bytes, value: bytes, mark: bytes, at: int = 0) -> str | None:
    """Why it is not the mark of these, in a few words; None: it is. `at`: when it was made, milliseconds."""
    return marks.why_foreign(place, LogRecord(0, key, value, ((HEADER, mark),), at))
