"""A month into the archive: written, read back, named in the manifest, and only then taken out of the database.

All of one schema's month goes in one transaction, under locks that let nobody add to it. A run that ends anywhere
before its commit leaves the database as it was; what it has written by then is found again by its digest.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import asyncpg
from msgspec.structs import replace

from libs.journal.marks import Marking
from libs.projecting import Connection
from libs.stack import Progress, StackError
from services.audit import settings as audit
from services.cli.archive.files import Archive, Packing, Piece, check, write_archive
from services.cli.archive.tables import PARTED, Kept, columns_of, ends_of, part_of, selected, tables
from services.wallet import projections as wallet

SCHEMAS = (wallet.SCHEMA, audit.SCHEMA)
_LOCK_MS = 2_000
"""So long it waits for a table's lock at the end, and who writes waits behind; then it lets go and tries again."""
_TRIES = 20
_PASSING = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


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
            connection = await asyncpg.connect(self.database_url, server_settings={"search_path": schema})
            try:
                found = [(kept.name, await part_of(connection, schema, kept, month)) for kept in PARTED[schema]]
                parts = [(name, part) for name, part in found if part is not None]
                async with connection.transaction(isolation="repeatable_read"):
                    return await self._out(connection, schema, month, parts)
            except _PASSING:
                await asyncio.sleep(1)
            except asyncpg.InterfaceError as wrong:
                raise StackError(f"the database went away: {schema} {month} is as it was, run it again") from wrong
            finally:
                await connection.close()
        raise StackError(f"{schema} {month}: others hold its tables; it is as it was, try again later")

    async def _out(
        self, connection: Connection, schema: str, month: str, parts: Sequence[tuple[str, str]]
    ) -> list[Piece]:
        for _, part in parts:  # before the snapshot: whatever is there then is seen, and nothing comes any more
            await connection.execute(f"lock table {part} in share mode")
        there = {name for name, _ in parts}
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
        await _take_out(connection, schema, month, parts)
        await connection.executemany(
            "insert into archived values ($1, $2, $3, $4, $5, $6)",
            [(p.table, month, p.piece, p.rows, p.sha256, time.time_ns() // 1_000_000) for p in pieces],
        )
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


async def _take_out(connection: Connection, schema: str, month: str, parts: Sequence[tuple[str, str]]) -> None:
    since, until = ends_of(month)
    if schema == wallet.SCHEMA:
        await _carry(connection, [part for _, part in parts])
        await connection.execute(
            f"""insert into archived_sittings as a
                select player, book, $1, min(started_at) from sittings t where {tables(schema)[-1].of(since, until)}
                   and started_at is not null group by player, book
                on conflict (player, book, month) do update set begun = least(a.begun, excluded.begun)""",
            month,
        )
    for name, part in parts:
        if name == "histories":
            await connection.execute(
                f"""insert into archived_hands as a
                    select table_id, $1, min(number), max(number) from {part} group by table_id
                    on conflict (table_id, month) do update
                       set first = least(a.first, excluded.first), last = greatest(a.last, excluded.last)""",
                month,
            )
        if name == "played":
            await connection.execute(
                f"insert into archived_players select distinct player, game, $1 from {part} on conflict do nothing",
                month,
            )
        await connection.execute(f"alter table {name} detach partition {part}")
        await connection.execute(f"drop table {part}")
    for kept in tables(schema):
        if not kept.is_parted:
            await connection.execute(f"delete from {kept.name} t where {kept.of(since, until)}")
    if schema == wallet.SCHEMA:
        # Accounts of hands, rounds and sittings that are long over: empty, and nothing moves them any more.
        await connection.execute(
            f"""delete from balances where group_of(account) in ('pot', 'round', 'in-transit')
                   and balance = 0 and moved = 0 and moved_at > 0 and moved_at < {until}"""
        )


async def _carry(connection: Connection, parts: Sequence[str]) -> None:
    """What the transfers that go add up to stays, account by account."""
    for part in parts:
        await connection.execute(
            f"""insert into carried as c (book, account, currency, moved)
                select book, account, currency, sum(change)
                  from (select book, debit as account, currency, -amount as change from {part}
                        union all select book, credit, currency, amount from {part}) as sides
                 group by 1, 2, 3 having sum(change) <> 0
                on conflict (book, account, currency) do update set moved = c.moved + excluded.moved"""
        )
    await connection.execute("delete from carried where moved = 0")
