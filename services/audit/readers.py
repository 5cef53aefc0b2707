"""How far the auditor has read. Each row bears its mark: who has its database login moves no reader past anything."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from libs.journal.fold import Position
from libs.projecting import Connection, Partition, PositionLost
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import UNMARKED, mark_row, why_not_row
from services.audit.verifying.findings import Finding, Kind

_COVERED = ("reader", "topic", "partition", "next", "last", "digest")
_MOVE = """
    insert into readers (reader, topic, partition, next, last, digest, mark) values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (reader, topic, partition) do update
        set next = excluded.next, last = excluded.last, digest = excluded.digest, mark = excluded.mark
        where readers.next = $8 and readers.mark = $9
    returning true"""


class Stored(NamedTuple):
    """A row of `readers` as it is, whoever wrote it."""

    next: int = 0
    mark: bytes = UNMARKED
    position: Position | None = Position()
    """What it says; None: the auditor has not written it."""


async def stored(
    connection: Connection, marks: Marks | None, reader: str, places: Sequence[Partition]
) -> Mapping[Partition, Stored]:
    """Of a place that was never read there is none. `marks`: the auditor's; None: everything is believed."""
    rows = await connection.fetch(
        f"""select {", ".join((*_COVERED, "mark"))} from readers
             join unnest($2::text[], $3::int[]) place(topic, partition) using (topic, partition) where reader = $1""",
        *(reader, [topic for topic, _ in places], [partition for _, partition in places]),
    )
    return {(row["topic"], row["partition"]): _stored(marks, row) for row in rows}


def _stored(marks: Marks | None, row: Any) -> Stored:
    why = why_not_row(marks, b"reader", tuple(row[name] for name in _COVERED), row["mark"])
    position = Position(row["next"], row["last"], row["digest"]) if why is None else None
    return Stored(row["next"], row["mark"], position)


async def move(
    connection: Connection, marks: Marks | None, reader: str, place: Partition, old: Stored, new: Position
) -> Stored:
    """Compare-and-set; PositionLost where somebody has written to the row since it was `old`: another auditor that was
    faster, or who is told when it is looked at next."""
    row = (reader, *place, new.next, new.last, new.digest)
    mark = mark_row(marks, b"reader", row)
    if not await connection.fetchval(_MOVE, *row, mark, old.next, old.mark):
        raise PositionLost(f"{reader} {place[0]}/{place[1]}")
    return Stored(new.next, mark, new)


def moved(place: Partition, next_: int, goes_on: str) -> Finding:
    """Somebody else has written the position `next_`."""
    detail = f"the position {next_} of the auditor's reader is not its own: {goes_on}"
    return Finding(Kind.POSITION, place[0], detail, None, *place)
