"""The marks of histories: a row that the auditor did not write is shown to nobody, and nothing goes on from it.

A mark covers everything that stands in the row, with the table's version that it tells of. The database lets no row go
back to an older version, nor change which row it is: an older state of a hand, with its true mark, can't stand for it.
"""

from pathlib import Path
from typing import Any

from libs.journal.mark_keys import HISTORIES
from libs.journal.marks import MayNotWrite
from libs.projecting import Unbookable
from libs.projecting.row_marks import Marks
from libs.projecting.writings import SET_ASIDE, Writings
from libs.sealing.key_files import BadKey
from services.audit.marked_rows import mark_row, why_not_row
from services.audit.verifying.findings import Finding, Kind

COLUMNS = ("table_id", "number", "started_at", "game", "kind", "outcome", "players", "record", "mark_version")
"""Of a history, as the mark covers them."""
MARK_COLUMNS = ("mark_version", "mark")
"""What was not told by the events: of a copy that is made anew they may be others."""
MARKED = ", ".join((*COLUMNS, "mark"))


class WrittenByHand(Unbookable):
    """A row that somebody else wrote with the auditor's login."""

    def __init__(self, table: str, number: int, started_at: int, why: str) -> None:
        super().__init__(table)
        self.table = table
        self.number = number
        self.started_at = started_at
        self.why = why

    @property
    def finding(self) -> Finding:
        detail = f"number {self.number}, begun at {self.started_at}, is not as the auditor wrote it: {self.why}"
        return Finding(Kind.HISTORY, self.table.replace("\x1f", "?"), detail)


def check_marks(marks: Marks, file: Path) -> None:
    """Raises `BadKey` where there is no key to mark histories with."""
    try:
        mark_opening(marks, "", "", 0)
    except MayNotWrite:
        raise BadKey(f"{file.name} has no key of {HISTORIES}: run `croupier marks hand-out`") from None


def writings_of(marks: Marks) -> Writings:
    """Of the auditor's schema: they stay, and are of what is set aside alone."""
    return Writings(marks, HISTORIES, stay=True, noted=[SET_ASIDE])


def mark_history(marks: Marks | None, row: tuple[object, ...]) -> bytes:
    """`row`: the values of `COLUMNS`. Raises `MayNotWrite`."""
    return mark_row(marks, b"history", row)


def mark_opening(marks: Marks | None, table: str, state: str, version: int) -> bytes:
    return mark_row(marks, b"opening", (table, state, version))


def true_record(marks: Marks | None, row: Any) -> str:
    """The record of a row with the columns `MARKED`. Raises `WrittenByHand`; None as marks: everything is believed."""
    why = why_not_row(marks, b"history", tuple(row[name] for name in COLUMNS), row["mark"])
    if why is not None:
        raise WrittenByHand(row["table_id"], row["number"], row["started_at"], why)
    record: str = row["record"]
    return record


def true_opening(marks: Marks | None, table: str, state: str, version: int | None, mark: bytes | None) -> str:
    """What is kept of a table's opening. Raises `WrittenByHand`."""
    why = why_not_row(marks, b"opening", (table, state, version), mark)
    if why is not None:
        raise WrittenByHand(table, 0, 0, why)
    return state
