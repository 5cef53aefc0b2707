"""A month into the archive: written, read back, named in the manifest, and only then taken out of the database.

All of one schema's month goes in one transaction, under locks that let nobody add to it. A run that ends anywhere
before its commit leaves the database as it was; what it has written by then is found again by its digest.
"""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

import asyncpg
import msgspec
from msgspec.structs import replace

from libs.journal.marks import Marking
from libs.projecting import Connection
from libs.projecting.connecting import connect
from libs.stack import Progress, StackError
from services.audit import settings as audit
from services.audit.archived_months import mark_piece
from services.cli.archive.files import Archive, Packing, Piece, check, write_archive
from services.cli.archive.tables import PARTED, Kept, columns_of, part_of, selected, tables
from services.wallet import projections as wallet

SCHEMAS = (wallet.SCHEMA, audit.SCHEMA)
_LOCK_MS = 2_000
"""So long it waits for a table's lock at the end, and who writes waits behind; then it lets go and tries again."""
_TRIES = 20
_HOLD = "select hold_month($1)"
_PASSING = (
    asyncpg.LockNotAvailableError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.TooManyConnectionsError,  # the archivist has two, and one that was ended is there for another moment
)


class Putting:
    """One run into `folder`; `archive` grows with each month."""

    def __init__(self, folder: Path, archive: Archive, marks: Marking, database_url: str, tell: Progress) -> None:
        self._folder = folder
        self.archive = archive
        self.digest = ""
        self._marks = marks
        self.database_url = database_url
        self._tell = tell

    async def month(self, schema: str, month: str) -> list[Piece]:
        """What was taken out. Raises StackError where others hold the tables for too long."""
        for _ in range(_TRIES):
            connection = before = None
            try:
                before = await connect(self.database_url, schema)
                connection = await connect(self.database_url, schema)
                found = [(kept.name, await part_of(connection, schema, kept, month)) for kept in PARTED[schema]]
                there = {name for name, part in found if part is not None}
                await before.execute("begin")
                await before.execute(_HOLD, month)
                async with connection.transaction(isolation="repeatable_read"):
                    # Its snapshot is of behind the other one's lock: what is there is seen, and nothing comes any more.
                    await connection.execute(_HOLD, month)
                    await before.execute("rollback")
                    return await self._out(connection, schema, month, there)
            except _PASSING:
                await asyncio.sleep(1)
            except asyncpg.InterfaceError as wrong:
                raise StackError(f"the database went away: {schema} {month} is as it was, run it again") from wrong
            finally:
                for each in (before, connection):
                    if each is not None:
                        await each.close()
        raise StackError(f"{schema} {month}: others hold its tables; it is as it was, try again later")

    async def _out(self, connection: Connection, schema: str, month: str, there: Collection[str]) -> list[Piece]:
        """`there`: tables by month that have a part of this one."""
        pieces = []
        kept_here = [kept for kept in tables(schema) if not kept.is_parted or kept.name in there]
        for number, kept in enumerate(kept_here):
            self._tell(f"{schema} {month}", number, len(kept_here))
            if (piece := await self._write(connection, schema, kept, month)) is not None:
                pieces.append(piece)
        for piece in pieces:
            check(self._folder, piece)
        known = {each.file for each in self.archive.pieces}
        fresh = tuple(each for each in pieces if each.file not in known)
        self.archive = replace(self.archive, pieces=(*self.archive.pieces, *fresh))
        self.digest = write_archive(self._folder, self.archive, self._marks)
        await connection.execute(f"set local lock_timeout = '{_LOCK_MS}ms'")
        await _take_out(connection, month, pieces, self._marks)
        self._tell(f"{schema} {month}", len(kept_here), len(kept_here))
        return pieces

    async def _write(self, connection: Connection, schema: str, kept: Kept, month: str) -> Piece | None:
        """None where there are no rows."""
        packing = Packing(self._folder)
        try:
            await connection.copy_from_query(await selected(connection, schema, kept, month), output=packing)
            digest = packing.end()
            if not packing.rows:
                packing.drop()
                return None
            out = await connection.fetch(
                "select piece from archived where table_name = $1 and month = $2", kept.name, month
            )
            ours = [p for p in self.archive.pieces if (p.schema, p.table, p.month) == (schema, kept.name, month)]
            for each in ours:  # of a run that ended before its commit, or of a house whose database is made anew
                if each.sha256 == digest and each.piece not in {row["piece"] for row in out}:
                    packing.name(each.file)
                    return each
            number = 1 + max((0, *(each.piece for each in ours), *(row["piece"] for row in out)))
            columns = await columns_of(connection, schema, kept.name)
            piece = Piece(schema, kept.name, month, number, columns, packing.rows, digest)
            packing.name(piece.file)
            return piece
        except BaseException:
            packing.drop()
            raise


async def _take_out(connection: Connection, month: str, pieces: Sequence[Piece], marks: Marking) -> None:
    """By the schema's own function, for the archivist has no other right: it counts what goes against the pieces. Each
    is put down with a mark, without which the auditor tells that nobody has archived it."""
    held = []
    for p in pieces:
        mark = mark_piece(marks, p.schema, p.table, p.month, p.piece, p.rows, p.sha256)
        held.append({"table": p.table, "piece": p.piece, "rows": p.rows, "sha256": p.sha256, "mark": mark.hex()})
    await connection.execute("select take_out($1, $2::text::jsonb)", month, msgspec.json.encode(held).decode())
