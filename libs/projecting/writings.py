"""Whose a transaction is that writes to a read model: a database login alone can't make its mark.

The database notes which transactions write (migrations wallet 017 and 018, audit 015). Ours are marked with a key
that no login has, for a place that no topic has, over the transaction's number and beginning: a number comes once in a
database, and a beginning never again. A read model goes on from nothing that another one wrote.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from libs.contracts.topics import topic
from libs.journal.marks import RETIRED, Place
from libs.projecting.projection import Connection
from libs.projecting.row_marks import Marks, row_mark, why_not_row_mark

POSITIONS, SET_ASIDE = "positions", "set_aside"
MOMENT = "(extract(epoch from {}) * 1000000)::bigint::text"
_PAGE = 1_000
_NOTED = f"""select w.xid::text as xid, {MOMENT.format("w.at")} as began, w.tables, w.mark,
                    w.xid is not distinct from pg_current_xact_id_if_assigned() as own, low::text as low
               from (select pg_snapshot_xmin(pg_current_snapshot()) as low) as now
               left join lateral (
                   select w.xid, w.at, w.tables, (select mark from writing_marks m where m.xid = w.xid) as mark
                     from writings w
                    where w.xid >= $1::text::xid8 order by w.xid limit {_PAGE}
               ) as w on true order by w.xid"""
_OWNS = "select pg_get_userbyid(relowner) = current_user from pg_class where oid = to_regclass('positions')"
"""Of whom the database notes nothing."""
_MARK = "insert into writing_marks (mark) values ($1) on conflict do nothing"
_BOOKS = topic("wallet", "events").name


class ForeignWriting(RuntimeError):
    """Somebody else wrote here with the service's login. The text names transaction and tables."""


class Noted(NamedTuple):
    xid: str
    began: str
    """Microseconds since the epoch."""
    tables: frozenset[str]
    mark: bytes | None

    def __str__(self) -> str:
        return f"transaction {self.xid} wrote to {', '.join(sorted(self.tables))}"


class Writings:
    """Of one schema. What was looked at and found to be ours is not looked at again."""

    def __init__(
        self, marks: Marks, key: str = _BOOKS, stay: bool = False, noted: Collection[str] = (POSITIONS, SET_ASIDE)
    ) -> None:
        """`key`: the name of the topic with whose key the transactions are marked. `stay`: nobody takes what was looked
        at away, so a key that is retired since has marked it, too. `noted`: of what a projector writes, the tables
        whose writers the database notes."""
        self.marks = marks
        self._noted = frozenset(noted)
        self._place: Place = (key, -1)
        self._stay = stay
        self._since = "0"
        """All transactions below it had ended at the last look, and were ours."""

    async def end(self, connection: Connection, wrote: Collection[str] = ()) -> None:
        """The last statements of a transaction that may have written: it is ours, and so is all that it built on, for
        who else wrote there had to end first. `wrote`: what it has certainly written to. Raises `ForeignWriting`, also
        where the database has not noted that, `MayNotWrite`."""
        own = await self._look(connection, None)
        if own is not None:
            await connection.execute(_MARK, self.mark(own.xid, own.began))
        elif not self._noted.isdisjoint(wrote) and not await connection.fetchval(_OWNS):
            raise ForeignWriting(f"the database notes nobody who writes to {', '.join(sorted(self._noted & {*wrote}))}")

    async def check(self, connection: Connection, tables: Collection[str]) -> None:
        """Raises `ForeignWriting` where somebody else wrote to one of these tables. Asked after they were read."""
        await self._look(connection, tables)

    def mark(self, xid: str, began: str) -> bytes:
        return row_mark(self.marks, self._place, xid.encode(), began.encode())

    def why_not(self, noted: Noted) -> str | None:
        """Why a transaction is not ours, in a few words; None: it is."""
        if noted.mark is None:
            return "no mark"
        signed = noted.xid.encode(), noted.began.encode(), noted.mark
        why = why_not_row_mark(self.marks, self._place, *signed, int(noted.began) // 1000)
        return None if self._stay and why == RETIRED else why

    async def _look(self, connection: Connection, tables: Collection[str] | None) -> Noted | None:
        """The transaction under way, if it wrote."""
        since, low, own, sound = self._since, None, None, True
        while True:
            rows = await connection.fetch(_NOTED, since)
            for row in rows:
                if row["xid"] is None:
                    continue
                noted = noted_in(row)
                if row["own"]:
                    own = noted
                elif (why := self.why_not(noted)) is not None:
                    sound = False
                    if tables is None or not noted.tables.isdisjoint(tables):
                        raise ForeignWriting(f"{noted}: {why}")
            low = low or rows[0]["low"]
            if len(rows) < _PAGE:
                break
            since = str(int(rows[-1]["xid"]) + 1)
        if sound:
            self._since = low
        return own


def noted_in(row: Any) -> Noted:
    return Noted(row["xid"], row["began"], frozenset(row["tables"]), row["mark"])
