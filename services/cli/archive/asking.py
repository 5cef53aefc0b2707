"""Questions to an archive: a player's statement, a hand or round, an account's transfers; or all of it as tables."""

import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from libs.contracts.wallet_answers import RoundNotCounted, SessionStatement
from libs.projecting.connecting import connect
from libs.projecting.migrator import checked
from libs.stack import Progress, StackError
from services.audit import settings as audit
from services.cli.archive.files import Piece, lines_in, row_of
from services.wallet import projections as wallet
from services.wallet.projections.chart import Book
from services.wallet.projections.statements import sessions_of, statement_of

Pieces = Sequence[Piece]
Row = dict[str, Any]


def of(pieces: Pieces, schema: str, table: str) -> list[Piece]:
    return [each for each in pieces if (each.schema, each.table) == (schema, table)]


def rows_where(folder: Path, pieces: Pieces, mentions: str, wanted: Callable[[Row], bool]) -> list[Row]:
    """Rows of which `wanted` says so, each once. A line is looked into only where the text `mentions` stands in it.

    Raises `Damaged` before it gives any where a file is not as it was written.
    """
    found: dict[bytes, Row] = {}
    for piece in pieces:
        for line in lines_in(folder, piece):
            if mentions.encode() in line and wanted(row := row_of(piece, line)):
                found[line] = row
    return list(found.values())


def statement(folder: Path, pieces: Pieces, player: str, book: Book) -> list[SessionStatement]:
    """Sessions whose sittings ended in these months, newest first; one that reaches beyond has what lies in them."""
    sittings = rows_where(
        folder,
        of(pieces, wallet.SCHEMA, "sittings"),
        player,
        lambda row: (row["player"], row["book"]) == (player, book),
    )
    keys = {(row["table_id"], row["reservation"]) for row in sittings}

    def theirs(row: Row) -> bool:
        return (row["table_id"], row["reservation"]) in keys

    fees: dict[tuple[str, str], int] = {}
    for row in rows_where(folder, of(pieces, wallet.SCHEMA, "session_fees"), "", theirs) if keys else ():
        key = row["table_id"], row["reservation"]
        fees[key] = fees.get(key, 0) + (row["charged"] or 0)
    void: dict[tuple[str, str], list[RoundNotCounted]] = {}
    for row in rows_where(folder, of(pieces, wallet.SCHEMA, "void_rounds"), "", theirs) if keys else ():
        refunded = RoundNotCounted(round=row["round"], staked=row["refunded"], refunded=row["refunded"], at=row["at"])
        void.setdefault((row["table_id"], row["reservation"]), []).append(refunded)
    sessions = sessions_of([_as_asked(row) for row in sittings])
    return [statement_of(player, rows, fees, void) for rows in reversed(sessions)]


_RENAMED = {"table_id": "table", "started_at": "start", "ended_at": "end"}
_LEFT_OUT = ("player", "book", "left_for")


def _as_asked(row: Row) -> Row:
    return {_RENAMED.get(name, name): value for name, value in row.items() if name not in _LEFT_OUT}


def hand(folder: Path, pieces: Pieces, table: str, number: int) -> list[Any]:
    """The record of the hand or round, as it was served; empty: it is not there."""
    found = rows_where(
        folder,
        of(pieces, audit.SCHEMA, "histories"),
        f"{table}\t{number}\t",
        lambda row: (row["table_id"], row["number"]) == (table, number),
    )
    return [msgspec.json.decode(row["record"]) for row in found]


def transfers(folder: Path, pieces: Pieces, account: str) -> list[Row]:
    """Of an account, oldest first."""
    found = rows_where(
        folder, of(pieces, wallet.SCHEMA, "transfers"), account, lambda row: account in (row["debit"], row["credit"])
    )
    return sorted(found, key=lambda row: (row["event_time"], row["service"], row["event_id"], row["line"]))


def as_csv(rows: Iterable[Row]) -> str:
    """With a line of names; what has parts is JSON in its cell. A text that a spreadsheet would take for a formula
    begins with `'` here: references and names are written by strangers."""
    text = io.StringIO()
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, fieldnames=list(row))
            writer.writeheader()
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


async def into_schema(database_url: str, folder: Path, pieces: Pieces, schema: str, tell: Progress) -> int:
    """Tables of the archive's own shape in a schema of that name, which must not be there yet; how many rows.

    All of it or nothing. Nothing of the house reads them.
    """
    name = checked(schema)
    connection = await connect(database_url)
    try:
        async with connection.transaction():
            try:
                await connection.execute(f'create schema "{name}"')
            except asyncpg.DuplicateSchemaError:
                raise StackError(f"there is a schema {name} already: drop it, or give another name") from None
            for number, piece in enumerate(pieces):
                tell("restoring", number, len(pieces))
                columns = ", ".join(f'"{column}" {kind}' for column, kind in piece.columns)
                table = f"{piece.schema}_{piece.table}"
                await connection.execute(f'create table if not exists "{name}"."{table}" ({columns})')
                names = [column for column, _ in piece.columns]
                source = _content(folder, piece)
                await connection.copy_to_table(table, schema_name=name, columns=names, source=source)
            tell("restoring", len(pieces), len(pieces))
    finally:
        await connection.close()
    return sum(each.rows for each in pieces)


async def _content(folder: Path, piece: Piece) -> AsyncIterator[bytes]:
    """Raises `Damaged` behind the last line at the latest: then nothing of it counts."""
    for line in lines_in(folder, piece):
        yield line


def within(pieces: Pieces, months: Sequence[str]) -> list[Piece]:
    """Of these months; of all where none are given."""
    return [each for each in pieces if not months or each.month in months]


def by_month(pieces: Pieces) -> Iterator[tuple[str, list[Piece]]]:
    for month in sorted({each.month for each in pieces}):
        yield month, [each for each in pieces if each.month == month]
