"""`croupier upgrade`: what stands against replacing a build by this one while people play."""

import json
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table as Grid

from libs.stack_error import StackError
from services.cli.upgrading.build import Build, as_text, read_build, this_build
from services.cli.upgrading.judging import Roll, judged


def upgrade(
    check: Annotated[
        Path | None, typer.Option(help="Description of the build that runs now: `wire.json` of its image.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="The same of the build that is to come; this one unless given.")
    ] = None,
    describe: Annotated[bool, typer.Option("--describe", help="Print this build's description instead.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Whether one build may replace another while people play, in which order, and whether one can go back.

    Exit status 0: yes, after what is to be done first. 1: some service stands still meanwhile, or it can't be at all.
    What a field or an event *means* no description tells: of a change of meaning the changelog has to say so.
    """
    if describe:
        typer.echo(as_text(this_build()), nl=False)
        return
    if check is None:
        raise StackError(
            "--check FILE: what runs now, as its image's wire.json or `croupier upgrade --describe` tells it"
        )
    old, new = _read(check), _read(to) if to else this_build()
    roll = judged(old, new)
    if as_json:
        typer.echo(json.dumps({**msgspec.to_builtins(roll), "safe": roll.safe}, indent=2))
    else:
        _show(old, new, roll, Console(width=160))
    raise typer.Exit(0 if roll.safe else 1)


def _read(file: Path) -> Build:
    try:
        return read_build(file)
    except OSError as wrong:
        raise StackError(f"{file}: {wrong.strerror}") from wrong
    except msgspec.MsgspecError as wrong:
        raise StackError(f"{file} describes no build: {wrong}") from wrong


def _show(old: Build, new: Build, roll: Roll, console: Console) -> None:
    if roll.findings:
        grid = Grid("", "of", "what", "do", title=f"{old.version} → {new.version}")
        for each in roll.findings:
            grid.add_row(each.weight, each.service, each.what, each.do)
        console.print(grid)
    console.print(f"order: {', '.join(roll.order)} (the chart: SERVICE.image; docs/sre.md, Rolling)")
    if roll.no_way_back:
        console.print(f"no way back once one of these was written: {', '.join(roll.no_way_back)}")
    verdict = "the new build may not be installed" if not roll.possible else "not while people play"
    console.print("safe: play goes on throughout" if roll.safe else verdict)
