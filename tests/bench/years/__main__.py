"""`make bench-years`: what changes as a house grows old. Each size is a house of its own, made by its own deciders.

For each: how long every service takes to be ready and what it holds, what an act writes at the same live load, how long
answers take, and time and peak memory of the operator's tools. Ratios say what history does to it; goals stand beside.

`python -m tests.bench.years 10000 100000`; `--only services`, or tools such as `verify,scan`, for a part of it. With
`--keep FOLDER` a run that was interrupted is gone on with, and one that asks for more takes the houses that are there.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import uvloop
from rich.console import Console

from libs.stack import Progress, down, up
from services.cli.house import build_house
from services.cli.surroundings import Surroundings, local_keys, shown, surroundings
from tests.bench.engine import machine
from tests.bench.years.making import make
from tests.bench.years.questions import answered, questions
from tests.bench.years.report import show
from tests.bench.years.services import play, play_options, start, take_in
from tests.bench.years.storing import stored
from tests.bench.years.tools import TOOLS, asked

SERVICES = "services"


class Found:
    """Figures of one size, as they come in; with a `file` they are kept there, and what is in it is not done again."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.figures: dict[str, Any] = json.loads(file.read_text()) if file and file.exists() else {}

    def put(self, **figures: Any) -> None:
        self.figures |= figures
        if self._file is not None:
            aside = self._file.with_suffix(".new")
            aside.write_text(json.dumps(self.figures, indent=2))
            aside.replace(self._file)


def stage(events: int, options: argparse.Namespace, tell: Progress) -> dict[str, Any]:
    """One house from its creation to its end; with `--keep` until its history is there once, and not to its end."""
    kept: Path | None = options.keep
    found = Found(kept / f"{events}.json" if kept else None)
    home = kept / str(events) if kept else Path(mkdtemp(prefix="croupier-years-"))
    if not found.figures and home.exists():  # half of a history is none
        down(home, wipe=True)
        shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)
    up(home)
    try:
        local_keys(home / "keys")
        return uvloop.run(_measured(surroundings(home), home, events, found, options, tell))
    finally:
        down(home, wipe=not kept)
        if not kept:
            shutil.rmtree(home, ignore_errors=True)


async def _measured(
    at: Surroundings, home: Path, events: int, found: Found, options: argparse.Namespace, tell: Progress
) -> dict[str, Any]:
    figures = found.figures
    if "made_s" not in figures:
        began = time.monotonic()
        history = await make(at, home, events, tell)
        found.put(
            events=events, public_events=history.events, hands=history.hands, tables=history.tables,
            players=history.players, made_s=round(time.monotonic() - began, 1), tools={},
        )  # fmt: skip
    tools = [each for each in options.only if each in TOOLS and each not in figures["tools"]]
    services = SERVICES in options.only and "answers" not in figures
    house = build_house(at.stack, home)
    if "took_in_s" not in figures and (services or "rebuild" in tools):
        began = time.monotonic()
        await house.create()
        await take_in(house, at, figures["public_events"], tell)
        found.put(took_in_s=round(time.monotonic() - began, 1))
    if "took_in_s" in figures and "stored" not in figures:
        found.put(stored=await stored(at))
    for number, tool in enumerate(tools):
        tell("tools", number, len(tools))
        told = await asyncio.to_thread(asked, home, *TOOLS[tool])
        found.put(tools=figures["tools"] | {tool: told})
    if services:
        try:
            tell("services", 0, 3)
            found.put(start=await start(house))
            tell("services", 1, 3)
            found.put(live=await play(house, at, options.tables, options.pace, options.warm, options.seconds))
            tell("services", 2, 3)
            # The first table of all, and who has come often: the longest past there is.
            names = questions("player-1", "player-5", "table-1")
            found.put(answers=await answered(house, names, options.times, "player-1"))
        finally:
            await house.stop()
    return found.figures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.years", description=__doc__)
    parser.add_argument("events", type=int, nargs="*", help="public events of each house; 10000 100000")
    parser.add_argument("--only", default=",".join((SERVICES, *TOOLS)), type=lambda text: text.split(","))
    parser.add_argument(
        "--keep",
        type=lambda text: Path(text).resolve(),
        metavar="FOLDER",
        help="houses and figures stay there; what an earlier run has left is not done again",
    )
    play_options(parser, warm_s=20.0)
    parser.add_argument("--times", type=int, default=100, help="how often each question is asked")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.events = options.events or [10_000, 100_000]
    return options


def main() -> int:
    options, console = _options(), Console(stderr=True)
    os.nice(5)  # services and tools are measured against each other, not against whoever works beside them
    stages = []
    for events in options.events:
        with shown(console) as tell:
            stages.append(stage(events, options, tell))
        console.print(f"{events:,} events: done", highlight=False)
    report = {
        "stages": stages,
        "machine": machine(),
        "command": f"python -m tests.bench.years {' '.join(sys.argv[1:])}",
    }
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console(width=140))
    return 0


if __name__ == "__main__":
    sys.exit(main())
