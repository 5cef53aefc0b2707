"""`croupier house-edge GAME`: what the house keeps of every bet, beside the figures that others have published."""

import json
import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from services.cli.house_edges.figures import Figure, baccarat_figures, no_draw_figures


class Game(StrEnum):
    BACCARAT = "baccarat"
    NO_DRAW_POKER = "no-draw-poker"


_FIGURES: dict[Game, Callable[[], Iterable[Figure]]] = {
    Game.BACCARAT: baccarat_figures,
    Game.NO_DRAW_POKER: no_draw_figures,
}


def house_edge(
    game: Annotated[Game, typer.Argument(help="Game against the house.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Count the house edge of every bet; exit 0 only if every published figure is ours or inside the error bar."""
    began = time.monotonic()
    figures = list(_FIGURES[game]())
    if as_json:
        typer.echo(json.dumps([_document(figure) for figure in figures], indent=2))
    else:
        _print(figures, time.monotonic() - began)
    if not all(figure.agrees for figure in figures):
        raise typer.Exit(1)


def _document(figure: Figure) -> dict[str, object]:
    return {
        "bet": figure.bet,
        "setting": figure.setting,
        "edge": [figure.edge.numerator, figure.edge.denominator],
        "percent": f"{float(figure.percent):.9f}",
        "error": _error(figure),
        "published": figure.published,
        "difference": f"{float(figure.difference):.9f}" if figure.difference is not None else None,
        "source": figure.source,
        "agrees": figure.agrees,
    }


def _error(figure: Figure) -> str:
    return f"±{float(figure.error_bar):.3f}" if figure.error else "exact"


def _print(figures: list[Figure], seconds: float) -> None:
    grid = Grid("bet", "setting", "house edge %", "error", "published %", "difference", "source", box=None)
    for figure in figures:
        difference = f"{float(figure.difference):+.6f}" if figure.difference is not None else "–"
        shown = (f"{float(figure.percent):.6f}", _error(figure), figure.published or "–", difference)
        colour = "" if figure.agrees else "[red]"
        grid.add_row(figure.bet, figure.setting, *(colour + text for text in shown), figure.source)
    console = Console(width=160)
    console.print(grid)
    published = [figure for figure in figures if figure.published]
    agree = sum(figure.agrees for figure in published)
    console.print(f"{agree} of {len(published)} published figures are ours ({seconds:.1f} s)", highlight=False)
