"""`croupier replay FILE…`: recorded hands and rounds through the real rules, compared figure by figure."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from services.cli.replaying.formats import outcomes_of
from services.cli.replaying.phh.setting import NAMES
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import NotARecord

Files = Annotated[list[Path], typer.Argument(help="Worked hands (.yaml), PHH hands (.phh, .phhs) or archives of them.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document with the outcome of each hand.")]
_SHOWN = 20
"""Hands with differences that are printed; --json has them all."""


def replay(files: Files, as_json: Json = False) -> None:
    """Replay recorded hands; exit status 0 only if every hand was dealt and agrees, 2 if something is no record."""
    began = time.monotonic()
    progress = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("Replaying hands: {task.completed:,}"), TimeElapsedColumn())
    outcomes: list[Outcome] = []
    try:
        hidden = as_json or not progress.is_terminal
        with Progress(*columns, console=progress, transient=True, disable=hidden) as bar:
            task = bar.add_task("", total=None)
            for outcome in (each for file in files for each in outcomes_of(file)):
                outcomes.append(outcome)
                bar.advance(task)
    except NotARecord as wrong:
        typer.echo(f"croupier replay: {wrong}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps(_document(outcomes), indent=2))
    else:
        _print(outcomes, time.monotonic() - began)
    if any(outcome.no_record for outcome in outcomes):
        raise typer.Exit(2)
    if not outcomes or not all(outcome.agrees for outcome in outcomes):
        raise typer.Exit(1)


def _document(outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "hands": [
            {**asdict(outcome), "variant": outcome.variant or None, "agrees": outcome.agrees} for outcome in outcomes
        ],
        "agree": sum(outcome.agrees for outcome in outcomes),
        "not_dealt": sum(outcome.not_dealt is not None for outcome in outcomes),
        "no_record": sum(outcome.no_record is not None for outcome in outcomes),
        "of": len(outcomes),
    }


def _print(outcomes: list[Outcome], seconds: float) -> None:
    console = Console()
    worked = [outcome for outcome in outcomes if not outcome.variant]
    noted = [outcome for outcome in outcomes if outcome.variant]
    if worked:
        console.print(_worked(worked))
    if noted:
        console.print(_by_variant(noted))
    _print_differences(console, [outcome for outcome in outcomes if outcome.differences])
    for wrong in [outcome.no_record for outcome in outcomes if outcome.no_record is not None][:_SHOWN]:
        console.print(f"is no record: {wrong}", markup=False, highlight=False, soft_wrap=True)
    for reason, number in _counted(outcome.not_dealt for outcome in outcomes if outcome.not_dealt is not None):
        console.print(f"not dealt here: {number:,} of {reason}", markup=False, highlight=False)
    for scale, number in _counted(outcome.scale for outcome in noted if outcome.scale > 1):
        console.print(f"in parts of a chip: {number:,}, played with all amounts times {scale}", highlight=False)
    agree = sum(outcome.agrees for outcome in outcomes)
    console.print(f"{agree} of {len(outcomes)} hands agree ({seconds:.1f} s)", highlight=False)


def _print_differences(console: Console, differing: list[Outcome]) -> None:
    for outcome in differing[:_SHOWN]:
        for difference in outcome.differences:
            console.print(f"{outcome.id}  {difference}", markup=False, highlight=False)
    if len(differing) > _SHOWN:
        console.print(f"… and {len(differing) - _SHOWN:,} more hands that differ (--json lists them all)")


def _worked(outcomes: list[Outcome]) -> Grid:
    grid = Grid("hand", "rules", "title", "offers", "refusals", "events", "result")
    for outcome in outcomes:
        result = "[green]agrees[/]" if outcome.agrees else f"[red]{len(outcome.differences)} differences[/]"
        if outcome.not_dealt and not outcome.differences:
            result = f"[yellow]{'agrees as far as played' if outcome.events else 'not played'}[/]"
        counts = (str(outcome.legal_ranges), str(outcome.refusals), str(outcome.events))
        grid.add_row(outcome.id, outcome.ruleset, outcome.title, *counts, result)
    return grid


def _by_variant(outcomes: list[Outcome]) -> Grid:
    grid = Grid("variant", "game", "rules", "hands", "agree", "differ", "not dealt", "no record", "events")
    for (variant, ruleset), number in _counted((outcome.variant, outcome.ruleset) for outcome in outcomes):
        these = [outcome for outcome in outcomes if (outcome.variant, outcome.ruleset) == (variant, ruleset)]
        differ = sum(bool(outcome.differences) for outcome in these)
        left = sum(outcome.not_dealt is not None for outcome in these)
        unread = sum(outcome.no_record is not None for outcome in these)
        events = sum(outcome.events for outcome in these)
        counts = (number, number - differ - left - unread, differ, left, unread, events)
        grid.add_row(variant, NAMES.get(variant, "?"), ruleset or "–", *(f"{count:,}" for count in counts))
    return grid


def _counted(things: Iterator[Any]) -> list[tuple[Any, int]]:
    return Counter(things).most_common()
