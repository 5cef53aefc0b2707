"""Notes of the wallet's transactions are taken away by the auditor alone: the database chains what is taken (migration
wallet 022), and where the chain has come to bears the auditor's mark, which no login makes."""

from collections.abc import Sequence
from typing import Any

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import mark_row, why_not_row
from services.audit.verifying.findings import Finding, Kind

_WHAT = b"notes_taken"
_SAID = "notes of the wallet's transactions were taken away, and not by the auditor"


class Taking:
    """In one transaction. Once somebody else has taken notes away it is found at each look, until the owner begins the
    chain anew: none is marked behind it. A chain that is new is begun at once."""

    def __init__(self, connection: Connection, schema: str, marks: Marks) -> None:
        """`schema`: quoted."""
        self._connection = connection
        self._schema = schema
        self._marks = marks
        self._took = self._moves = False
        self.found: list[Finding] = []

    async def look(self) -> None:
        row = await self._now()
        self._judge(row)
        self._moves = row is not None and row["mark"] is None

    async def take(self, xids: Sequence[str]) -> None:
        """Their notes and marks. From the first on nobody else takes any."""
        if not self._took:
            self._judge(await self._now(" for update"))
            self._took = self._moves = True
        for table in ("writings", "writing_marks"):
            gone = f"delete from {self._schema}.{table} where xid = any($1::text[]::xid8[])"
            await self._connection.execute(gone, list(xids))

    async def end(self) -> None:
        """The last statements of a look. Raises `MayNotWrite`."""
        if self._moves and not self.found and (row := await self._now()) is not None:
            mark = mark_row(self._marks, _WHAT, (row["notes"], row["digest"]))
            await self._connection.execute(f"update {self._schema}.notes_taken set mark = $1", mark)

    async def _now(self, how: str = "") -> Any:
        return await self._connection.fetchrow(f"select notes, digest, mark from {self._schema}.notes_taken{how}")

    def _judge(self, row: Any) -> None:
        if row is None:
            why: str | None = "no chain"
        else:
            why = why_not_row(self._marks, _WHAT, (row["notes"], row["digest"]), row["mark"])
        self.found = [] if why is None else [Finding(Kind.LEDGER_FOREIGN, "ledger", f"{_SAID}: {why}")]
