"""`croupier export TABLE HAND`: a finished hand in other people's formats, read from the public events in Kafka."""

import asyncio
from collections.abc import AsyncIterator, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import asyncpg
import typer

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event, wire_name
from libs.contracts.topics import INSPECTOR, partition_of, topic
from libs.contracts.versions import Accepted, accepts
from libs.journal.log import Log
from libs.projecting.connecting import connect
from libs.views.hand import Hand
from libs.views.tournament import TournamentView, fold_tournament
from libs.views.tournament_summary import NotSummed, csv_of, ots_of
from services.audit import settings as audit
from services.audit.exporting.hand import RULES, NotExported, PublicHand, gather
from services.audit.exporting.ohh import ohh_of
from services.audit.exporting.phh import phh_of
from services.audit.projections.histories import RECORDS, record_of
from services.cli.journals import first_since, records
from services.cli.surroundings import Home, in_one_line, surroundings

FIRST_STEP_MS = 3_600_000
_STEPS = 4
"""Times the step before."""
_RULES = [wire_name(each) for each in RULES]


class Format(StrEnum):
    PHH = "phh"
    OHH = "ohh"


_WRITERS: dict[Format, Callable[[PublicHand], str]] = {Format.PHH: phh_of, Format.OHH: ohh_of}


def export(
    table: Annotated[str, typer.Argument(help="Id of the table.")],
    hand: Annotated[int, typer.Argument(help="Number of the hand at that table.")],
    format: Annotated[Format, typer.Option(help="phh: PHH; ohh: Open Hand History 1.4.7.")] = Format.PHH,
    out: Annotated[Path | None, typer.Option(help="File to write; default: standard output.")] = None,
    home: Home = None,
) -> None:
    """Write one finished hand as PHH or as Open Hand History. Cards that were not shown are not in it."""
    at = surroundings(home)
    try:
        with in_one_line():
            house = at.house()
            known = asyncio.run(on_record(at.stack.database(INSPECTOR), table, hand))
            text = _WRITERS[format](
                asyncio.run(hand_of(at.log("export"), table, hand, house.partitions, at.topic_prefix, known))
            )
    except NotExported as why:
        typer.echo(f"croupier export: {why}", err=True)
        raise typer.Exit(1) from None
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


class Summary(StrEnum):
    OTS = "ots"
    CSV = "csv"


def summary(
    tournament: Annotated[str, typer.Argument(help="Id of the tournament.")],
    format: Annotated[Summary, typer.Option(help="ots: Open Tournament Summary 1.1.5; csv: a line a player.")] = (
        Summary.OTS
    ),
    player: Annotated[str | None, typer.Option(help="As this player saw it (ots).")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; default: standard output.")] = None,
    home: Home = None,
) -> None:
    """Write the result of a tournament, made of its public events."""
    at = surroundings(home)
    try:
        with in_one_line():
            view = asyncio.run(tournament_of(at.log("summary"), tournament, at.house().partitions, at.topic_prefix))
        text = csv_of(view) if format is Summary.CSV else ots_of(view, player)
    except NotSummed as why:
        typer.echo(f"croupier summary: {why}", err=True)
        raise typer.Exit(1) from None
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


async def tournament_of(log: Log, tournament: str, of_house: int, prefix: str = "") -> TournamentView:
    """`of_house`: its partitions. NotSummed for one that there is not, or of which an event is missing. What stands
    there twice counts once."""
    view = TournamentView(tournament)
    async for event in _events(log, "tournament", tournament, of_house, prefix):
        accepted = accepts(view.version, event.version)
        if accepted is Accepted.GAP:
            raise NotSummed(f"tournament {tournament}: version {view.version + 1} is missing")
        if accepted is Accepted.YES:
            view = fold_tournament(view, parse_event(event), event.version)
    if not view.version:
        raise NotSummed(f"there is no tournament {tournament}")
    return view


async def on_record(database_url: str, table: str, hand: int) -> Hand | None:
    """What the auditor has of it: when it was. None where no auditor has been here or come so far, or its database is
    away."""
    try:
        connection = await connect(database_url, audit.SCHEMA)
        try:
            found = await record_of(connection, "hand", table, hand)
        finally:
            await connection.close()
    except (asyncpg.PostgresError, OSError):
        return None
    record = None if found is None else RECORDS.decode(found)
    return record if isinstance(record, Hand) else None


async def hand_of(
    log: Log, table: str, hand: int, of_house: int, prefix: str = "", known: Hand | None = None
) -> PublicHand:
    """`of_house`: its partitions; `known`: what the auditor has of it, without which all of the partition up to its end
    is read. NotExported when the public events do not hold the whole hand."""
    if known is None:
        return await gather(_events(log, "table", table, of_house, prefix), table, hand)
    return await gather(_around(log, table, known.started_at, of_house, prefix), table, hand, known.table_name)


async def _around(log: Log, table: str, at: int, of_house: int, prefix: str) -> AsyncIterator[PublicEvent]:
    """What said last, before a hand began (milliseconds), by which rules the table is played; then all from there on.

    Looked for backwards, in steps that grow: mostly a table is opened in the hours before.
    """
    place = prefix + topic("table", "events").name, partition_of(table, of_house)
    start = begins = await first_since(log, place, at)
    rules, step = None, FIRST_STEP_MS
    while rules is None and start > 0:
        start, end = await first_since(log, place, max(0, at - step)), start
        async for event in _events(log, "table", table, of_house, prefix, start, end):
            rules = event if event.type in _RULES else rules
        step *= _STEPS
    if rules is not None:
        yield rules
    async for event in _events(log, "table", table, of_house, prefix, begins):
        yield event


async def _events(
    log: Log, service: str, stream: str, of_house: int, prefix: str, start: int = 0, end: int | None = None
) -> AsyncIterator[PublicEvent]:
    name = prefix + topic(service, "events").name
    async for record in records(log, name, partition_of(stream, of_house), end, start):
        if record.key == stream.encode():
            yield from_record(record.key, record.value, record.headers)
