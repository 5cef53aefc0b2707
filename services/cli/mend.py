"""`croupier mend`: what the read models had to set aside, and another try once it can be projected."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.projecting import PostgresStore, Projection, open_pool
from libs.projecting.row_marks import Marks
from libs.projecting.writings import ForeignWriting, Writings
from services.audit import settings as audit
from services.audit.projections.histories import Histories
from services.audit.projections.live_checks import LiveChecks
from services.audit.projections.record_marks import writings_of
from services.audit.projections.signals import Signals, read_forbidden
from services.cli.surroundings import Home, Json, end, surroundings, told
from services.wallet import projections as wallet


class Aside(msgspec.Struct):
    """A stream that a projector could not go on with, from its first event on."""

    projection: str
    topic: str
    stream: str
    version: int
    reason: str
    events: int
    since: str


class Report(msgspec.Struct):
    taken_up: int = 0
    """Events that were projected just now."""
    aside: list[Aside] = []
    foreign: list[str] = []
    """Why a read model goes on from nothing: somebody else wrote into its schema."""


def mend(
    again: Annotated[bool, typer.Option("--again", help="Try to project them once more, also during play.")] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """List the streams that books and auditor set aside; exit 0 if there is none (left)."""
    at = surroundings(home)
    with told("looking at what is set aside"):
        report = asyncio.run(mended(at.stack.database_url, again, at.marks_of("wallet"), at.marks_of("audit")))
    end(report, not (report.aside or report.foreign), as_json, show)


async def mended(
    database_url: str, again: bool, marks: Marks | None = None, audit_marks: Marks | None = None
) -> Report:
    """What is set aside in both read models, after another try if `again`. `marks`: the wallet's, and the auditor's."""
    report = Report()
    file = os.environ.get("CROUPIER_FORBIDDEN_PROGRAMS_FILE")
    signals = Signals(read_forbidden(Path(file)) if file else None, marks=audit_marks)
    histories: list[Projection] = [Histories(audit_marks), LiveChecks(marks=audit_marks), signals]
    models: list[tuple[str, str, list[Projection], str | None, Writings | None]] = [
        (wallet.SCHEMA, wallet.BOOKS, wallet.books(), wallet.ROLE, Writings(marks) if marks else None),
        (audit.SCHEMA, audit.PROJECTOR, histories, audit.ROLE, writings_of(audit_marks) if audit_marks else None),
    ]
    for schema, name, projections, role, writings in models:
        async with await open_pool(database_url, schema, role=role) as pool:
            if await pool.fetchval("select to_regclass('set_aside') is null"):
                continue  # the service never ran here
            if again:
                try:
                    report.taken_up += await PostgresStore(pool, name, projections, writings).take_up()
                except ForeignWriting as wrong:
                    report.foreign.append(f"{schema}: {wrong}")
            rows = await pool.fetch(
                """select distinct on (projection, topic, stream) projection, topic, stream, version, reason,
                          count(*) over (partition by projection, topic, stream) as events, at::text as since
                   from set_aside order by projection, topic, stream, version"""
            )
            report.aside += [msgspec.convert(dict(row), Aside) for row in rows]
    return report


def show(report: Report, console: Console) -> None:
    table = Table("projection", "stream", "from version", "events", "reason", "since", box=None, pad_edge=False)
    for each in report.aside:
        table.add_row(
            each.projection, each.stream, str(each.version), f"{each.events:,}", each.reason, each.since[:19]
        )  # fmt: skip
    if report.aside:
        console.print(table)
    for said in report.foreign:
        console.print(f"mend: nothing is taken up where somebody wrote by hand, {said}", highlight=False)
    taken = f"{report.taken_up:,} events taken up, " if report.taken_up else ""
    console.print(f"mend: {taken}{len(report.aside):,} streams set aside", highlight=False)
