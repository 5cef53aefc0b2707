"""`croupier export TABLE HAND`: a finished hand in other people's formats, read from the public events in Kafka."""

import asyncio
from collections.abc import AsyncIterator, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event
from libs.contracts.topics import partition_of, topic
from libs.contracts.versions import Accepted, accepts
from libs.journal.log import Log
from libs.views.tournament import TournamentView, fold_tournament
from libs.views.tournament_summary import NotSummed, csv_of, ots_of
from services.audit.exporting.hand import NotExported, PublicHand, gather
from services.audit.exporting.ohh import ohh_of
from services.audit.exporting.phh import phh_of
from services.cli.journals import records
from services.cli.surroundings import Home, in_one_line, surroundings


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
            text = _WRITERS[format](
                asyncio.run(hand_of(at.log("export"), table, hand, at.house().partitions, at.topic_prefix))
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


async def hand_of(log: Log, table: str, hand: int, of_house: int, prefix: str = "") -> PublicHand:
    """`of_house`: its partitions. NotExported when the public events do not hold the whole hand."""
    return await gather(_events(log, "table", table, of_house, prefix), table, hand)


async def _events(log: Log, service: str, stream: str, of_house: int, prefix: str) -> AsyncIterator[PublicEvent]:
    name = prefix + topic(service, "events").name
    async for record in records(log, name, partition_of(stream, of_house)):
        if record.key == stream.encode():
            yield from_record(record.key, record.value, record.headers)
