"""`croupier replay FILE…`: recorded hands through the real rules, with the cards given, compared figure by figure."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from services.table.replay.play import Outcome, replay_hand
from services.table.replay.record import NotARecord, read_record

Files = Annotated[list[Path], typer.Argument(help="Records in the worked-hands format.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document with the outcome of each hand.")]


def replay(files: Files, as_json: Json = False) -> None:
    """Replay worked hands; exit status 0 only if every hand agrees."""
    progress = Console(stderr=True)
    try:
        work = [(record, hand) for record in map(read_record, files) for hand in record.hands]
        shown = track(work, "Replaying hands", console=progress, disable=as_json or not progress.is_terminal)
        outcomes = [replay_hand(record, hand) for record, hand in shown]
    except NotARecord as wrong:
        typer.echo(f"croupier replay: {wrong}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps(_document(outcomes), indent=2))
    else:
        _print(outcomes)
    if not outcomes or not all(outcome.agrees for outcome in outcomes):
        raise typer.Exit(1)


def _document(outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "hands": [
            {
                "id": outcome.id,
                "title": outcome.title,
                "ruleset": outcome.ruleset,
                "agrees": outcome.agrees,
                "legal_ranges": outcome.legal_ranges,
                "refusals": outcome.refusals,
                "events": outcome.events,
                "differences": outcome.differences,
            }
            for outcome in outcomes
        ],
        "agree": sum(outcome.agrees for outcome in outcomes),
        "of": len(outcomes),
    }


def _print(outcomes: list[Outcome]) -> None:
    console = Console()
    grid = Grid("hand", "rules", "title", "offers", "refusals", "events", "result")
    for outcome in outcomes:
        result = "[green]agrees[/]" if outcome.agrees else f"[red]{len(outcome.differences)} differences[/]"
        counts = (str(outcome.legal_ranges), str(outcome.refusals), str(outcome.events))
        grid.add_row(outcome.id, outcome.ruleset, outcome.title, *counts, result)
    console.print(grid)
    for outcome in outcomes:
        for difference in outcome.differences:
            console.print(f"{outcome.id}  {difference}", markup=False, highlight=False)
    console.print(f"{sum(outcome.agrees for outcome in outcomes)} of {len(outcomes)} hands agree")
