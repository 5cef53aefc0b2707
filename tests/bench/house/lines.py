"""`make bench-lines`: what logins with rules, and encryption on top, cost a house.

The same house and bots play on a broker that asks nobody anything (which no product of ours starts), on one with logins
and rules (as every stack of ours), and on one with TLS as well. What counts are the ratios of a round to its own open
broker; each round begins with another kind, so that a machine that grows slower favours none.
"""

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from unittest.mock import patch

import uvloop
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Grid

from libs.broker import Broker
from libs.stack import Stack, kafka, up
from tests.bench.engine import machine
from tests.bench.house.__main__ import PROJECT, Stage, Times, measure
from tests.bench.house.house import Code

KINDS = ("open", "logins", "TLS")
FIGURES = {
    "CPU of all services, ms an act": lambda row: row["all_services_ms_per_act"],
    "CPU of Kafka, ms an act": lambda row: row["cpu_ms_per_act"]["Kafka"],
    "act to answer, p50 ms": lambda row: row["answer_ms"]["p50"],
    "act to answer, p99 ms": lambda row: row["answer_ms"]["p99"],
}


@contextmanager
def standing(kind: str) -> Iterator[Stack]:
    """A stack of its own, wiped afterwards."""
    home = Path(mkdtemp(prefix=f"croupier-{kind}-"))
    home.chmod(0o755)
    stack = _open(home) if kind == "open" else up(home, tls=kind == "TLS")
    try:
        yield stack
    finally:
        stack.down(wipe=True)
        shutil.rmtree(home, ignore_errors=True)


def _open(home: Path) -> Stack:
    """The stack has no such switch, and is to have none."""
    plain = {
        "listener.security.protocol.map": f"{kafka.CLIENTS}:PLAINTEXT,{kafka.PLATFORMS}:PLAINTEXT,CONTROLLER:PLAINTEXT"
    }
    with (
        patch("libs.stack.kafka._security", lambda *_, **__: plain),
        patch("libs.stack.lifecycle._own_broker", lambda _, ports: Broker(kafka.bootstrap(ports.kafka))),
    ):
        stack = up(home)
    return replace(stack, given=stack.given | {"kafka"})  # everybody comes as its administrator does: without a login


def main() -> int:
    options = _options()
    stages = options.stage or [Stage(1, "4"), Stage(20, "100")]
    times = Times(2.0, options.warm, options.seconds)
    rounds: list[dict[str, list[dict[str, Any]]]] = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=options.rounds * len(KINDS))
        for number in range(options.rounds):
            rows = {}
            for kind in (*KINDS[number % 3 :], *KINDS[: number % 3]):
                progress.update(task, description=f"round {number + 1}, {kind}")
                with standing(kind) as stack:
                    report = uvloop.run(measure(stack, Code(PROJECT), stages, times, lambda _: None, chain=False))
                rows[kind] = report["stages"]
                progress.advance(task)
            rounds.append(rows)
    report = {"ratios": ratios(rounds), "rounds": rounds, "machine": machine()}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, stages, Console(width=120))
    return 0


def ratios(rounds: list[dict[str, list[dict[str, Any]]]]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """By stage, figure and kind: each round's figure over that of its own open broker, the least first."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for index, each in enumerate(rounds[0]["open"]):
        for name, figure in FIGURES.items():
            found.setdefault(each["stage"], {})[name] = {
                kind: sorted(figure(rows[kind][index]) / figure(rows["open"][index]) for rows in rounds)
                for kind in KINDS[1:]
            }
    return found


def show(report: dict[str, Any], stages: list[Stage], console: Console) -> None:
    for index, stage in enumerate(map(str, stages)):
        grid = Grid(
            f"{stage}: median of {len(report['rounds'])}",
            *KINDS,
            *(f"{kind} / open (least, most)" for kind in KINDS[1:]),
        )
        for name, figure in FIGURES.items():
            medians = [statistics.median(figure(rows[kind][index]) for rows in report["rounds"]) for kind in KINDS]
            spread = [report["ratios"][stage][name][kind] for kind in KINDS[1:]]
            grid.add_row(
                name,
                *(f"{each:.2f}" for each in medians),
                *(f"{statistics.median(each):.2f} ({each[0]:.2f}, {each[-1]:.2f})" for each in spread),
            )
        console.print(grid)
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.house.lines", description=__doc__)
    parser.add_argument(
        "--stage",
        type=Stage.of,
        action="append",
        help="as of make bench-house; 1@4 and 20@100 unless given (with TLS two cores do not carry 40@280)",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each window")
    parser.add_argument("--warm", type=float, default=8.0, help="seconds before each window")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
