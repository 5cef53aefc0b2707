"""Two houses of `make bench-years` side by side on one machine: starts by turns, and each question by turns.

`python -m tests.bench.years.beside FOLDER 1000000 10000000`: houses that `--keep FOLDER` left, with read models. What
else the machine does, and what the other house does at rest, falls on both alike; so the ratio tells of history, and
its spread of the machine: medians of the starts, with the lowest and highest ratio of two neighbours; p99 of the
answers, with the middle nine tenths of what a thousand resamplings give.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any

import uvloop
from rich.console import Console
from rich.table import Table

from libs.stack import Progress, down, up
from services.cli.house import House, build_house
from services.cli.surroundings import Surroundings, local_keys, shown, surroundings
from tests.bench.engine import machine
from tests.bench.house.meters import percentile
from tests.bench.years.questions import Asked, asking, once, questions
from tests.bench.years.report import LEAST
from tests.bench.years.services import MEASURED, play, play_options, start

RESAMPLED = 1_000
START_GOAL, ANSWER_GOAL, BYTES_GOAL = 1.2, 1.5, 1.1
READS = "[100000, 100000]"
"""The bench asks more of cards and persons than one of the staff may."""
Told = dict[str, Any]


async def starts(houses: Sequence[House], times: int, tell: Progress) -> list[list[dict[str, dict[str, float]]]]:
    """By house, each start of each service. Nothing else of either house runs meanwhile."""
    found: list[list[dict[str, dict[str, float]]]] = [[] for _ in houses]
    for number in range(times):
        for at, house in enumerate(houses):
            tell("starts", number * len(houses) + at, times * len(houses))
            try:
                found[at].append(await start(house))
            finally:
                await house.stop()
    return found


async def answers(
    houses: Sequence[House], asked: Sequence[Asked], times: int, tell: Progress
) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds by question and house, in the order in which they were asked."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    async with AsyncExitStack() as stack:
        by_house = [await asking(stack, house, asked, "player-1") for house in houses]
        for number, each in enumerate(asked):
            tell("questions", number, len(asked))
            took = list[float](), list[float]()
            for turn in range(times + 1):
                for at in (0, 1) if turn % 2 else (1, 0):
                    seconds, status = await once(by_house[at], each)
                    assert status == HTTPStatus.OK, f"{each}: {status}"
                    took[at].append(1000 * seconds)
            found[str(each)] = took[0][1:], took[1][1:]  # the first one made connections and plans
    return found


def compared(small: Sequence[float], large: Sequence[float], dice: random.Random) -> Told:
    """p50 and p99 of both, the ratio of the latter, and between what it lies in nine of ten resamplings."""
    ratios = sorted(
        percentile(dice.choices(large, k=len(large)), 0.99) / percentile(dice.choices(small, k=len(small)), 0.99)
        for _ in range(RESAMPLED)
    )
    p99 = [percentile(list(of_house), 0.99) for of_house in (small, large)]
    return {
        "p50_ms": [round(percentile(list(of_house), 0.5), 1) for of_house in (small, large)],
        "p99_ms": [round(each, 1) for each in p99],
        "ratio": round(p99[1] / p99[0], 2),
        "spread": [round(ratios[RESAMPLED // 20], 2), round(ratios[-RESAMPLED // 20], 2)],
    }


def of_starts(small: Sequence[Told], large: Sequence[Told]) -> dict[str, Told]:
    """By service and what was measured."""
    found: dict[str, Told] = {}
    for name in MEASURED:
        for what in ("seconds", "cpu_s", "resident_mb"):
            values = [[each[name][what] for each in of_house] for of_house in (small, large)]
            ratios = [b / a for a, b in zip(*values, strict=True)]
            medians = [statistics.median(each) for each in values]
            found[f"{name}, {what}"] = {
                "medians": [round(each, 2) for each in medians],
                "ratio": round(medians[1] / medians[0], 2),
                "spread": [round(min(ratios), 2), round(max(ratios), 2)],
            }
    return found


async def _measured(
    at: Sequence[Surroundings], homes: Sequence[Path], options: argparse.Namespace, tell: Progress
) -> Told:
    houses = [build_house(each.stack, home) for each, home in zip(at, homes, strict=True)]
    for house in houses:
        for process in house.processes.values():
            process.environment["CROUPIER_PERSON_READS"] = READS
    for number, house in enumerate(houses):  # what the first start of a build does once is none of the figures
        tell("settles", number, len(houses))
        try:
            await start(house)
            await asyncio.sleep(options.settle)
        finally:
            await house.stop()
    small, large = await starts(houses, options.starts, tell)
    told: Told = {"starts": of_starts(small, large)}
    try:
        for house in houses:
            await start(house)
        tell("play", 0, 1)
        lively = await asyncio.gather(
            *(
                play(house, each, options.tables, options.pace, options.warm, options.seconds)
                for house, each in zip(houses, at, strict=True)
            )
        )
        told["live"] = lively
        asked = questions("player-1", "player-5", "table-1")
        took = await answers(houses, asked, options.times, tell)
    finally:
        for house in houses:
            await house.stop()
    dice = random.Random(options.seed)
    told["answers"] = {each: compared(*by_house, dice) for each, by_house in took.items()}
    return told


def show(told: Told, sizes: Sequence[int], console: Console) -> None:
    table = Table(title=f"{sizes[0]:,} and {sizes[1]:,} events, by turns")
    for name in ("", f"{sizes[0]:,}", f"{sizes[1]:,}", "times", "spread", "goal"):
        table.add_column(name, justify="left" if not name else "right")

    def row(what: str, values: Sequence[float], ratio: float, spread: str, goal: float, least: float) -> None:
        good = ratio <= goal or values[1] < least
        table.add_row(what, *map(str, values), f"{ratio:.2f}{'' if good else '  missed'}", spread, f"{goal}")

    for what, each in told["starts"].items():
        least = LEAST["MB" if what.endswith("mb") else "s"]
        row(what, each["medians"], each["ratio"], f"{each['spread'][0]}-{each['spread'][1]}", START_GOAL, least)
    few, many = told["live"]
    for kind, goal, least in (("bytes_per_act", BYTES_GOAL, LEAST["B"]), ("resident_mb", START_GOAL, LEAST["MB"])):
        for name, value in few[kind].items():
            other = many[kind][name]
            row(f"{name}, {kind}", (value, other), round(other / max(value, 1e-9), 2), "", goal, least)
    for what, each in told["answers"].items():
        spread = f"{each['spread'][0]}-{each['spread'][1]}"
        row(f"{what}, p99 ms", each["p99_ms"], each["ratio"], spread, ANSWER_GOAL, LEAST["ms"])
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.years.beside", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=int, nargs=2)
    parser.add_argument("--settle", type=float, default=60.0, help="seconds of a start of each that is not counted")
    parser.add_argument("--starts", type=int, default=5, help="of each house")
    parser.add_argument("--times", type=int, default=1_000, help="how often each question is asked of each house")
    play_options(parser, warm_s=60.0)
    parser.add_argument("--seed", type=int, default=1, help="of the resampling")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    homes = [options.folder.resolve() / str(events) for events in options.events]
    os.nice(5)
    console = Console(stderr=True)
    began = time.monotonic()
    for home in homes:
        up(home)
    try:
        for home in homes:
            local_keys(home / "keys")
        with shown(console) as tell:
            told = uvloop.run(_measured([surroundings(home) for home in homes], homes, options, tell))
    finally:
        for home in homes:
            down(home)
    told |= {"machine": machine(), "minutes": round((time.monotonic() - began) / 60, 1), "command": " ".join(sys.argv)}
    (options.folder / "beside.json").write_text(json.dumps(told, indent=2))
    if options.json:
        print(json.dumps(told, indent=2))
    else:
        show(told, options.events, Console(width=150))
    return 0


if __name__ == "__main__":
    sys.exit(main())
