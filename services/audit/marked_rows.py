"""Rows of evidence, to which the auditor's login may add: each bears the auditor's mark, which no login makes."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from libs.journal.mark_keys import HISTORIES
from libs.journal.marks import RETIRED
from libs.projecting import Connection
from libs.projecting.row_marks import Marks, row_mark, why_not_row_mark
from services.audit.verifying.findings import Finding, Kind

PLACE = (HISTORIES, -1)
UNMARKED = b""
"""The mark of who has no keys, in a copy that nobody believes."""
_covered = msgspec.msgpack.encode


def mark_row(marks: Marks | None, what: bytes, row: tuple[object, ...]) -> bytes:
    """`what` the row is, so that none stands for one of another kind. Raises `MayNotWrite`."""
    return UNMARKED if marks is None else row_mark(marks, PLACE, what, _covered(row))


def why_not_row(marks: Marks | None, what: bytes, row: tuple[object, ...], mark: bytes | None) -> str | None:
    """A row without a mark is of before there were any: since then the database takes none. Under a retired key the
    auditor wrote what is there: it does not write its rows anew. None as marks: everything is believed."""
    if marks is None or mark is None:
        return None
    why = why_not_row_mark(marks, PLACE, what, _covered(row), mark)
    return None if why == RETIRED else why


def _document(value: object) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(value) if isinstance(value, str) else value, order="sorted")


async def page_of(
    connection: Connection, rows: str, after: int | None, limit: int, only: Mapping[str, str] | None = None
) -> list[Any]:
    """The first `limit` of `rows` (a select) above the id `after`, by id. None: from the smallest there is, for no row
    is left out by its number, which is below 0 where who owns the table has set what gives it. `only`: what columns
    have to be."""
    asked: dict[str, object] = {f"{column} =": value for column, value in (only or {}).items()}
    if after is not None:
        asked["id >"] = after
    conditions = " and ".join(f"{condition} ${number}" for number, condition in enumerate(asked, 2))
    where = f" where {conditions}" if asked else ""
    return await connection.fetch(f"{rows}{where} order by id limit $1", limit, *asked.values())


class Evidence(NamedTuple):
    """A table of rows with a number, `id`, which the database gives; `covered`: the columns that a mark is of."""

    table: str
    covered: tuple[str, ...]
    as_json: tuple[str, ...] = ()
    """Of those, documents: of which the database keeps what they say, and not how."""
    came_later: str = ""
    """The last of those, which rows of before do not have: where it is empty it is not in the mark, as in theirs."""

    @property
    def columns(self) -> str:
        return ", ".join(f'"{name}"' for name in ("id", *self.covered, "mark"))

    def mark(self, marks: Marks | None, *row: object) -> bytes:
        """`row`: the values of `covered`. Raises `MayNotWrite`."""
        return mark_row(marks, self.table.encode(), self._said(row))

    def why_not(self, marks: Marks | None, row: Mapping[str, Any]) -> str | None:
        """Why the auditor has not written a row as it is, in a few words; None: it has."""
        return why_not_row(marks, self.table.encode(), self._said(row[name] for name in self.covered), row["mark"])

    def _said(self, row: Iterable[object]) -> tuple[object, ...]:
        named = zip(self.covered, row, strict=True)
        said = [(name, value) for name, value in named if value != "" or name != self.came_later]
        return tuple(_document(value) if name in self.as_json else value for name, value in said)

    def finding(self, row: Mapping[str, Any], why: str) -> Finding:
        detail = f"row {row['id']} is not as the auditor wrote it, and counts for nothing: {why}"
        return Finding(Kind.EVIDENCE, f"audit.{self.table}", detail, row["id"])
