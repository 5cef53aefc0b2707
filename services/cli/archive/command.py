"""`croupier archive put | list | read | restore`."""

import asyncio
import os
import re
import time
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.projecting import month_of
from libs.projecting.connecting import connect
from libs.stack_error import StackError
from services.cli.archive import asking
from services.cli.archive.files import Archive, Held, check, read_archive, size_of
from services.cli.archive.needs import Needs, database_url, needs, needs_to_put
from services.cli.archive.putting import SCHEMAS, Putting
from services.cli.archive.tables import months_before
from services.cli.backups.files import Damaged
from services.cli.backups.locks import alone
from services.cli.surroundings import Home, Json, end, in_one_line, shown
from services.wallet.projections.chart import Book

archive = typer.Typer(help="Months that are long over: into files, and questions to them.", no_args_is_help=True)

LEAST_MONTHS = 3
"""What is younger is still asked for every hour (collusion), and may still change. How many whole months the database
keeps is its owner's to say (`archiving`): no fewer than these, and 24 where the owner has said nothing."""
Folder = Annotated[Path, typer.Argument(help="Folder of the archive.")]
Digest = Annotated[str | None, typer.Option(help="Digest of the manifest as `put` told it, where its mark is retired.")]
Months = Annotated[list[str] | None, typer.Option("--month", help="Only this month (2024-10); again for more.")]


class Report(msgspec.Struct):
    """What this run took out of the database."""

    months: dict[str, int] = {}
    """Rows by schema and month."""
    bytes: int = 0
    sha256: str = ""
    """Digest of the manifest: keep it where nobody can write who writes the archive."""
    seconds: float = 0.0


@archive.command()
def put(
    to: Annotated[Path, typer.Option("--to", help="Folder of the archive.")],
    older_than: Annotated[str, typer.Option("--older-than", help="Whole months that are older: 24mo, 2y.")] = "24mo",
    digest: Digest = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Write each whole month that is older, read it back, and only then take it out of the database.

    Comes under the archivist's login or the owner's. May be ended at any moment and run again; the house may play
    meanwhile.
    """
    months = months_in(older_than)
    at, database = needs_to_put(home), database_url(home)
    os.umask(0o077)  # what players did is not for every login of this machine
    to.mkdir(parents=True, exist_ok=True, mode=0o700)
    with shown(Console(stderr=True)) as tell, in_one_line(), alone(to), _undamaged():
        held = _held(at, to, digest)
        before = held.archive if held else Archive(at.prefix, ())
        putting = Putting(to, before, at.marks, database, tell)
        report = asyncio.run(put_months(putting, to, whole_months_before(time.time_ns() // 1_000_000, months)))
    report.sha256 = report.sha256 or (held.digest if held else "")
    end(report, True, as_json, _show_put)


async def put_months(putting: Putting, folder: Path, until: str) -> Report:
    """Every month below `until`, the oldest first. Raises StackError, before it begins, where some are too young."""
    began, report = time.monotonic(), Report()
    for schema, months in [(schema, await _months(putting, schema, until)) for schema in SCHEMAS]:
        for month in months:
            pieces = await putting.month(schema, month)
            report.months[f"{schema} {month}"] = sum(each.rows for each in pieces)
            report.bytes += sum(size_of(folder, each) for each in pieces)
    report.sha256, report.seconds = putting.digest, round(time.monotonic() - began, 2)
    return report


async def _months(putting: Putting, schema: str, until: str) -> list[str]:
    connection = await connect(putting.database_url)
    try:
        least = await connection.fetchval(f'select least_months from "{schema}".archiving')
        if least is None or until > whole_months_before(time.time_ns() // 1_000_000, least):
            keeps = f"{schema} keeps {least or 'all'} whole months"
            raise StackError(f"{keeps}: fewer once its owner says so in {schema}.archiving")
        return await months_before(connection, schema, until)
    finally:
        await connection.close()


def months_in(text: str) -> int:
    """`24mo` or `2y`. Raises `typer.BadParameter`."""
    found = re.fullmatch(r"([1-9]\d{0,3})(mo|y)", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no number of months (24mo) or years (2y)")
    months = int(found[1]) * (12 if found[2] == "y" else 1)
    if months < LEAST_MONTHS:
        raise typer.BadParameter(f"at least {LEAST_MONTHS}mo: what is younger is still looked at and may still change")
    return months


def whole_months_before(now: int, months: int) -> str:
    """The first month of which not all is older than so many months at `now` (milliseconds)."""
    present = month_of(now)
    if present is None:
        raise StackError("this machine's clock is out of its mind")
    count = int(present[:4]) * 12 + int(present[5:]) - 1 - months
    return f"{count // 12:04}-{count % 12 + 1:02}"


@archive.command(name="list")
def listed(
    folder: Folder,
    verify: Annotated[bool, typer.Option("--verify", help="Read every file and hold it against its digest.")] = False,
    digest: Digest = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """What lies in the archive, month by month."""
    at = needs(home)
    with shown(Console(stderr=True)) as tell, in_one_line(), _undamaged():
        held = _there(at, folder, digest)
        pieces = held.archive.pieces
        for number, piece in enumerate(pieces if verify else ()):
            tell("reading the archive", number, len(pieces))
            check(folder, piece)
        found = [
            {
                "month": p.month,
                "schema": p.schema,
                "table": p.table,
                "rows": p.rows,
                "bytes": size_of(folder, p),
                "file": p.file,
            }
            for _, of_month in asking.by_month(pieces)
            for p in of_month
        ]
    end(found, True, as_json, _show_list)


@archive.command()
def read(
    folder: Folder,
    player: Annotated[str | None, typer.Option(help="The statement of a player.")] = None,
    book: Annotated[str, typer.Option(help="real or demo money, of a statement.")] = "real",
    hand: Annotated[str | None, typer.Option(help="A hand or round: table/number.")] = None,
    account: Annotated[str | None, typer.Option(help="Transfers of an account: player/alice/EUR.")] = None,
    month: Months = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV; JSON otherwise.")] = False,
    digest: Digest = None,
    home: Home = None,
) -> None:
    """Answer one question from the archive, after the files that it needs were held against their digests."""
    if sum(each is not None for each in (player, hand, account)) != 1:
        raise typer.BadParameter("ask for one: --player, --hand or --account")
    at = needs(home)
    with in_one_line(), _undamaged():
        pieces = asking.within(_there(at, folder, digest).archive.pieces, month or [])
        found = answer(folder, pieces, player, "demo" if book == "demo" else "real", hand, account)
    print(asking.as_csv(found) if as_csv else msgspec.json.format(msgspec.json.encode(found)).decode())
    raise typer.Exit(0 if found else 1)


def answer(
    folder: Path, pieces: asking.Pieces, player: str | None, book: Book, hand: str | None, account: str | None
) -> list[dict[str, Any]]:
    """Rows, fit for JSON and CSV."""
    if player is not None:
        return [each.model_dump() for each in asking.statement(folder, pieces, player, book)]
    if hand is not None:
        table, _, number = hand.rpartition("/")
        if not table or not number.isdigit():
            raise typer.BadParameter("a hand is a table and a number: table-1/12")
        return asking.hand(folder, pieces, table, int(number))
    assert account is not None
    return asking.transfers(folder, pieces, account)


@archive.command()
def restore(
    folder: Folder,
    schema: Annotated[str, typer.Option(help="Name of the schema, which must not be there yet.")] = "archive",
    month: Months = None,
    digest: Digest = None,
    home: Home = None,
) -> None:
    """Put months into a schema of their own, for questions in SQL. The house does not read it; drop it when done."""
    at, database = needs(home), database_url(home)
    with shown(Console(stderr=True)) as tell, in_one_line(), _undamaged():
        pieces = asking.within(_there(at, folder, digest).archive.pieces, month or [])
        rows = asyncio.run(asking.into_schema(database, folder, pieces, schema, tell))
    print(f"schema {schema}: {rows:,} rows of {len({each.month for each in pieces})} months")


def _held(at: Needs, folder: Path, digest: str | None) -> Held | None:
    """The archive, if there is one and it is this house's."""
    held = read_archive(folder, at.marks)
    if held is None:
        return None
    if digest is not None and digest != held.digest:
        raise Damaged(f"its manifest's digest is {held.digest}")
    if held.foreign and digest is None:
        raise StackError(f"is it an archive of this house? Its manifest has {held.foreign}. --digest says so")
    if held.archive.prefix != at.prefix:
        raise StackError(f"this folder holds the house with the topic prefix {held.archive.prefix!r}")
    return held


def _there(at: Needs, folder: Path, digest: str | None) -> Held:
    held = _held(at, folder, digest)
    if held is None:
        raise StackError(f"{folder} holds no archive")
    return held


class _undamaged:  # noqa: N801
    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, wrong: BaseException | None, __: object) -> None:
        if isinstance(wrong, Damaged):
            raise StackError(f"the archive is damaged: {wrong}") from None


def _show_put(report: Report, console: Console) -> None:
    for month, rows in report.months.items():
        console.print(f"{month}: {rows:,} rows", highlight=False)
    console.print(
        f"archive: {len(report.months)} months taken out, {report.bytes / 1e6:,.1f} MB, {report.seconds:.1f} s\n"
        f"sha256 {report.sha256}",
        highlight=False,
    )


def _show_list(found: list[dict[str, Any]], console: Console) -> None:
    table = Table("month", "table", "rows", "kB", "file", box=None)
    for each in found:
        name, size = f"{each['schema']}.{each['table']}", f"{each['bytes'] / 1000:,.0f}"
        table.add_row(each["month"], name, f"{each['rows']:,}", size, each["file"])
    console.print(table)
