"""`croupier rebuild --compare`: the read models made anew from the journals, beside the live ones, and compared."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import asyncpg
import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.contracts.messages import PublicEvent
from libs.journal.log import Log
from libs.projecting import Partition, Projection, StreamedSource, drop_schema, migrate, open_pool, project
from services.audit import settings as audit
from services.audit.projections.histories import TABLES as HISTORIES
from services.audit.projections.histories import Histories
from services.cli.archive.tables import ends_of, selected
from services.cli.archive.tables import tables as archived_tables
from services.cli.journals import Book, books, walk
from services.cli.surroundings import Home, Json, Tell, end, silent, surroundings, told
from services.wallet import projections as wallet

SHOWN = 20
"""Differing rows that are told per table and side."""
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Model:
    """One service's read models: where they live, what makes them, and which tables are compared row by row."""

    schema: str
    projector: str
    projections: Callable[[], Sequence[Projection]]
    migrations: Path
    role: str | None
    tables: tuple[str, ...]


MODELS = (
    Model(wallet.SCHEMA, wallet.BOOKS, wallet.books, wallet.MIGRATIONS, wallet.ROLE, wallet.COMPARED),
    Model(audit.SCHEMA, audit.PROJECTOR, lambda: [Histories()], audit.MIGRATIONS, audit.ROLE, HISTORIES),
)


class Difference(msgspec.Struct):
    """One table. `only_live` and `only_rebuilt` count rows; the samples hold up to `SHOWN` of each."""

    schema: str
    table: str
    live: int
    rebuilt: int
    only_live: int = 0
    only_rebuilt: int = 0
    sample_live: list[Any] = []
    sample_rebuilt: list[Any] = []

    @property
    def rows(self) -> int:
        return self.only_live + self.only_rebuilt


class Report(msgspec.Struct):
    tables: list[Difference] = []
    events: int = 0
    set_aside: int = 0
    """Events of the journals that could not be written: their streams are not in the rebuilt read models."""
    journal_findings: int = 0
    """What the walk over the journals did not like; `croupier verify` tells which."""
    problem: str = ""
    """Why nothing could be compared, in one sentence."""
    kept: list[str] = []
    seconds: float = 0.0

    @property
    def differences(self) -> int:
        return sum(each.rows for each in self.tables)

    @property
    def good(self) -> bool:
        return not (self.differences or self.set_aside or self.journal_findings or self.problem)


def rebuild(
    compare: Annotated[bool, typer.Option("--compare", help="Compare with the live read models.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the rebuilt schemas in place.")] = False,
    as_json: Json = False,
    patience: Annotated[float, typer.Option(help="Seconds to wait for the live read models.")] = PATIENCE_S,
    home: Home = None,
) -> None:
    """Rebuild ledger, rake accounts, statements and hand histories from the journals; exit 0 if nothing differs."""
    if not compare and not keep:
        raise typer.BadParameter("say --compare (and drop the rebuilt schemas), or --keep, or both")
    at = surroundings(home)
    keyring = at.keyring()
    with told("reading the journals") as tell:
        partitions = at.house().partitions
        house, database, prefix = (lambda: books(keyring, partitions)), at.stack.database_url, at.topic_prefix
        report = asyncio.run(rebuild_log(at.log("rebuild"), house, database, prefix, keep, patience, tell))
    end(report, report.good, as_json, show)


async def rebuild_log(
    log: Log,
    house: Callable[[], Sequence[Book]],
    database_url: str,
    prefix: str = "",
    keep: bool = False,
    patience_s: float = PATIENCE_S,
    tell: Tell = silent,
) -> Report:
    """Rebuilds from the log into the house's own database and compares."""
    began = time.monotonic()
    report = Report()
    suffix = uuid4().hex[:8]
    try:
        for model in MODELS:
            tell(f"rebuilding {model.schema} from the journals")
            fresh = f"{model.schema}_rebuilt_{suffix}"
            report.kept.append(fresh)
            report.events = await _rebuild(model, fresh, log, house(), database_url, prefix, report)
        for model, fresh in zip(MODELS, report.kept, strict=True):
            tell(f"waiting for the live {model.schema} read models")
            report.problem = report.problem or await _wait(model, fresh, database_url, patience_s)
        if not report.problem:
            tell("comparing")
            for model, fresh in zip(MODELS, report.kept, strict=True):
                report.tables += await _compare(model, fresh, database_url)
    finally:
        if not keep:
            for fresh in report.kept:
                await drop_schema(database_url, fresh)
            report.kept = []
    report.seconds = round(time.monotonic() - began, 2)
    return report


async def _rebuild(
    model: Model, fresh: str, log: Log, house: Sequence[Book], database_url: str, prefix: str, report: Report
) -> int:
    """Runs the model's own projections over the journals; returns the number of events."""
    await migrate(database_url, fresh, model.migrations)
    pool = await open_pool(database_url, fresh, role=model.role, max_size=1)
    try:
        partitions = [partition for book in house for partition in book.events(prefix)]
        source = StreamedSource(_events(log, house, prefix, report), partitions)
        progress = await project(pool, model.projector, model.projections(), source, limit=1000)
        report.set_aside += progress.set_aside
        return progress.accepted
    finally:
        await pool.close()


async def _events(
    log: Log, house: Sequence[Book], prefix: str, report: Report
) -> AsyncIterator[tuple[str, int, PublicEvent]]:
    """The journals as public events, where they would have been published."""
    findings = 0
    async for met in walk(log, house, prefix):
        findings += len(met.findings)
        topic = met.book.events(prefix)[met.check.fold.partition][0]
        for each in met.told:
            yield topic, met.check.fold.partition, each.event
    report.journal_findings = findings


async def _wait(model: Model, fresh: str, database_url: str, patience_s: float) -> str:
    """Until the live read models have taken in what the journals held; otherwise one sentence saying what is amiss."""
    give_up = time.monotonic() + patience_s
    connection = await asyncpg.connect(database_url)
    try:
        if not await connection.fetchval("select to_regclass($1) is not null", f"{model.schema}.positions"):
            return f"there is no live schema {model.schema}: start the services first"
        wanted = await _accepted(connection, fresh, model.projector)
        while True:
            live = await _accepted(connection, model.schema, model.projector)
            behind = {place: count for place, count in wanted.items() if live.get(place, 0) < count}
            if not behind:
                break
            if time.monotonic() > give_up:
                (topic, partition), count = next(iter(behind.items()))
                has = live.get((topic, partition), 0)
                return f"after {patience_s:.0f} s {model.projector} has {has} of {count} events of {topic}/{partition}"
            await asyncio.sleep(0.2)
        if any(live.get(place, 0) > count for place, count in wanted.items()):
            return "the journals grew while they were read: stop play, then compare"
        return ""
    finally:
        await connection.close()


async def _accepted(connection: Any, schema: str, projector: str) -> dict[Partition, int]:
    rows = await connection.fetch(
        f'select topic, partition, accepted from "{schema}".positions where projection = $1', projector
    )
    return {(row["topic"], row["partition"]): row["accepted"] for row in rows}


async def _compare(model: Model, fresh: str, database_url: str) -> list[Difference]:
    """Every table both ways, and how far the projector came with the digest of all that it accepted."""
    connection = await asyncpg.connect(database_url)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            out = await Taken.of(connection, model.schema)
            found = [
                await _difference(
                    *(connection, model, table),
                    *(out.left_of(model.schema, name, table) for name in (model.schema, fresh)),
                )
                for table in model.tables
            ]
            found += [
                await _month(connection, model, fresh, kept, month, pieces)
                for (kept, month), pieces in sorted(out.months.items())
            ]
            sides = (_ACCEPTED.format(schema=name, projector=model.projector) for name in (model.schema, fresh))
            return [*found, await _difference(connection, model, "positions", *sides)]
    finally:
        await connection.close()


_ACCEPTED = """(select topic, partition, accepted, digest from "{schema}".positions
                where projection = '{projector}' and accepted > 0)"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What an archive has of a schema: by table and month its pieces, as count and digest of their rows."""

    months: dict[tuple[str, str], list[tuple[int, str]]]

    @classmethod
    async def of(cls, connection: Any, schema: str) -> "Taken":
        months: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for row in await connection.fetch(f'select table_name, month, rows, sha256 from "{schema}".archived'):
            months.setdefault((row["table_name"], row["month"]), []).append((row["rows"], row["sha256"]))
        return cls({key: pieces for key, pieces in months.items() if key[0] in _KEPT.get(schema, {})})

    def left_of(self, kind: str, schema: str, table: str) -> str:
        """The table without the months that are in the archive; those are compared by themselves."""
        name = f'"{schema}".{table}'
        if table == "accounts" and self.months:  # empty ones of hands and sittings that are over go with the months
            return f"(select * from {name} where balance <> 0 or split_part(account, '/', 1) not in {_RETIRED})"
        months = [month for kept, month in self.months if kept == table]
        if not months:
            return name
        kept = next(each for each in archived_tables(kind, schema) if each.name == table)
        gone = " or ".join(f"coalesce({kept.of(*ends_of(month))}, false)" for month in months)
        return f"(select * from {name} t where not ({gone}))"


_RETIRED = "('pot', 'round', 'in-transit')"
_KEPT = {model.schema: {each.name for each in archived_tables(model.schema)} & set(model.tables) for model in MODELS}


async def _month(
    connection: Any, model: Model, fresh: str, table: str, month: str, pieces: list[tuple[int, str]]
) -> Difference:
    """A month that is in an archive: what is rebuilt of it against the digest that was kept when it was taken out.

    Where it was taken out in several pieces, or something has come since, their number is compared."""
    here = next(each for each in archived_tables(model.schema) if each.name == table)
    there = next(each for each in archived_tables(model.schema, fresh) if each.name == table)
    late = await connection.fetchval(
        f'select count(*) from "{model.schema}".{table} t where {here.of(*ends_of(month))}'
    )
    digest, rows = sha256(), 0

    async def take(data: bytes) -> None:
        nonlocal rows
        digest.update(data)
        rows += data.count(b"\n")

    await connection.copy_from_query(await selected(connection, fresh, there, month), output=take)
    live = late + sum(count for count, _ in pieces)
    found = Difference(model.schema, f"{table} {month}, archived", live, rows)
    found.only_live, found.only_rebuilt = max(0, live - rows), max(0, rows - live)
    if not found.rows and len(pieces) == 1 and not late and digest.hexdigest() != pieces[0][1]:
        found.only_live = found.only_rebuilt = 1  # at least: which ones, `croupier archive read` shows
    return found


async def _difference(connection: Any, model: Model, table: str, live: str, rebuilt: str) -> Difference:
    count_live = await connection.fetchval(f"select count(*) from {live} as rows")
    count_rebuilt = await connection.fetchval(f"select count(*) from {rebuilt} as rows")
    found = Difference(model.schema, table, count_live, count_rebuilt)
    found.only_live, found.sample_live = await _only(connection, live, rebuilt)
    found.only_rebuilt, found.sample_rebuilt = await _only(connection, rebuilt, live)
    return found


async def _only(connection: Any, here: str, there: str) -> tuple[int, list[Any]]:
    rows = await connection.fetch(
        f"""with odd as (select * from {here} as h except all select * from {there} as t)
            select to_jsonb(odd) as row, count(*) over () as total from odd limit {SHOWN}"""
    )
    return (rows[0]["total"] if rows else 0), [msgspec.json.decode(row["row"]) for row in rows]


def show(report: Report, console: Console) -> None:
    """A table for people, then the rows that differ."""
    table = Table("read model", "table", "live", "rebuilt", "only live", "only rebuilt", box=None)
    for each in report.tables:
        counts = (each.live, each.rebuilt, each.only_live, each.only_rebuilt)
        table.add_row(each.schema, each.table, *(f"{count:,}" for count in counts))
    console.print(table)
    for each in report.tables:
        for side, rows in (("live", each.sample_live), ("rebuilt", each.sample_rebuilt)):
            for row in rows:
                console.print(f"  only {side}: {each.schema}.{each.table} {row}", highlight=False)
    if report.problem:
        console.print(f"not compared: {report.problem}", highlight=False)
    if report.set_aside:
        console.print(f"not written: {report.set_aside:,} events, whose streams were set aside", highlight=False)
    if report.journal_findings:
        console.print(f"the journals themselves have {report.journal_findings} findings: `croupier verify`")
    for name in report.kept:
        console.print(f"kept: schema {name}", highlight=False)
    console.print(
        f"rebuild: {report.events:,} events, {report.differences:,} differences, {report.seconds:.1f} s",
        highlight=False,
    )
