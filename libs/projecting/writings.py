"""The mark of a transaction that writes to the books: a database login alone can't make one.

It is made with the wallet's key of its public events, which the auditor knows, for a place that no topic has, of the
transaction's number and beginning. A number comes once in a database, and a beginning never again.
"""

from libs.contracts.topics import topic
from libs.projecting.projection import Connection
from libs.projecting.row_marks import Marks, row_mark, why_not_row_mark

MOMENT = "(extract(epoch from {}) * 1000000)::bigint::text"
_SELF = f"select pg_current_xact_id()::text as xid, {MOMENT.format('now()')} as began"
_MARK = "insert into writing_marks (mark) values ($1) on conflict do nothing"
"""Once for a transaction, also where events are projected one by one."""
_PLACE = (topic("wallet", "events").name, -1)


async def mark_writing(connection: Connection, marks: Marks) -> None:
    """Says of the transaction under way that it is ours. Raises `MayNotWrite`."""
    row = await connection.fetchrow(_SELF)
    assert row is not None
    await connection.execute(_MARK, mark_of(marks, row["xid"], row["began"]))


def mark_of(marks: Marks, xid: str, began: str) -> bytes:
    """`began`: microseconds since the epoch."""
    return row_mark(marks, _PLACE, xid.encode(), began.encode())


def why_not_marked(marks: Marks, xid: str, began: str, mark: bytes) -> str | None:
    """Why this mark is not the wallet's of that transaction, in a few words; None: it is."""
    return why_not_row_mark(marks, _PLACE, xid.encode(), began.encode(), mark, int(began) // 1000)
