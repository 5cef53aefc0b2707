"""`make bench-core`: the write path, the ledger, rebuilding, restarting and idle tables, as ratios of paired runs.

Absolute figures are this machine's; what counts is each ratio, with its spread over the pairs. `--only broker,ledger`
takes some parts, `--short` a fraction of the load.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import uvloop
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as Grid

from libs.stack import Stack, up
from tests.bench.core import broker, latency, ledger, memory, rebuild, restart
from tests.bench.core.accounts import load
from tests.bench.core.pairs import Tick, paired, percentile, ratio, spread
from tests.bench.engine import machine

Rows = list[dict[str, Any]]


async def of_broker(stack: Stack, pairs: int, size: float, tick: Tick) -> Rows:
    commands = load(int(400 * size) + 4, int(20_000 * size) + 8, int(time.time() * 1000))
    written = await broker.bytes_of(stack.admin, commands)
    mine, raw = await paired(
        lambda: broker.our_rate(stack.admin, commands),
        lambda: broker.raw_rate(stack.admin, commands, written),
        pairs,
        tick,
    )
    rows = [ratio("commands committed and answered", "/s", mine, raw, "raw aiokafka loop", "≥ 0.5")]
    rate = spread(mine)["median"] / 2
    some = load(int(400 * size) + 4, int(min(4 * rate, 20_000) * size) + 8, int(time.time() * 1000))
    figures: dict[float, tuple[list[float], list[float]]] = {0.5: ([], []), 0.99: ([], [])}
    for number in range(pairs):
        sides: list[tuple[int, Callable[[], Awaitable[list[float]]]]] = [
            (0, lambda: latency.ours(stack.admin, some, rate)),
            (1, lambda: latency.raw(stack.admin, some, written, rate)),
        ]
        for side, measure in sides if number % 2 == 0 else sides[::-1]:
            seconds = await measure()
            for share, both in figures.items():
                both[side].append(1000 * percentile(seconds, share))
        tick()
    for share, both in figures.items():
        name = f"sent to answered at {rate:,.0f}/s (half load), p{100 * share:.0f}"
        rows.append(ratio(name, "ms", *both, "raw aiokafka loop", "≤ 3" if share > 0.9 else ""))
    return rows


async def of_ledger(stack: Stack, pairs: int, size: float, tick: Tick) -> Rows:
    rows = ledger.Rows(await ledger.database(stack.database_url), int(1_500 * size) + 5)
    await rows.prepare()
    alone, copied = await paired(rows.ours, rows.copied, pairs, tick)
    everything, again = await paired(rows.all_books, rows.copied, pairs, tick)
    return [
        ratio("transfers into the ledger", "/s", alone, copied, "COPY of the same rows", "≥ 0.5"),
        ratio("transfers, all books kept", "/s", everything, again, "COPY of the same rows", ""),
    ]


async def of_rebuild(_stack: Stack, pairs: int, size: float, tick: Tick) -> Rows:
    journals = rebuild.Journals(int(200 * size) + 4, int(20_000 * size) + 8)
    mine, decoded = await paired(journals.ours, journals.decoded, pairs, tick)
    again, library = await paired(journals.ours, journals.library, pairs, tick)
    return [
        ratio("events rebuilt", "/s", mine, decoded, "reading and decoding alone", ""),
        ratio("events rebuilt", "/s", again, library, "pyeventsourcing", "≥ 4"),
    ]


async def of_restart(stack: Stack, pairs: int, size: float, tick: Tick) -> Rows:
    once_over = int(800 * size) + 60
    short, long = (restart.Restart(stack.admin, commits) for commits in (once_over, 10 * once_over))
    tenfold, once = await paired(long.seconds, short.seconds, pairs, tick)
    name = f"ready again after {len(long.records):,} commits"
    return [ratio(name, "s", tenfold, once, f"after {len(short.records):,} commits", "≤ 1.2")]


async def of_memory(_stack: Stack, pairs: int, size: float, tick: Tick) -> Rows:
    tables = int(memory.TABLES * size) + 50
    found = []
    for seated in (0, 6):
        kilobytes = [memory.bytes_per_table(seated, tables) / 1000 for _ in range(min(2, pairs))]
        found.append(
            {"what": f"an idle table, {seated} seated, of {tables:,}", "unit": "kB", "ours": spread(kilobytes),
             "against": "", "theirs": None, "ratio": None, "goal": "≤ 20 kB"}
        )  # fmt: skip
        tick()
    return found


PARTS = {"broker": of_broker, "ledger": of_ledger, "rebuild": of_rebuild, "restart": of_restart, "memory": of_memory}


def main() -> int:
    options = _options()
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    console = Console(stderr=True)
    size, pairs = (0.02, 1) if options.short else (1.0, options.pairs)
    chosen = {name: PARTS[name] for name in options.only.split(",")} if options.only else PARTS
    home = options.home or Path(mkdtemp(prefix="croupier-bench-"))
    home.chmod(0o755)
    stack = up(home)
    rows: Rows = []
    try:
        with Progress(console=console, disable=not console.is_terminal) as progress:
            for name, part in chosen.items():
                task = progress.add_task(name, total=2 * pairs)
                found = uvloop.run(part(stack, pairs, size, partial(progress.advance, task)))
                for row in found:  # a run that is broken off has not been for nothing
                    console.print(*_row(row), sep=" | ")
                rows += found
    finally:
        stack.down(wipe=True)
    report = {
        "machine": machine(),
        "command": f"python -m tests.bench.core {' '.join(sys.argv[1:])}".strip(),
        "results": rows,
    }
    if options.json:
        print(json.dumps(report, indent=2))
    elif options.markdown:
        print(markdown(report))
    else:
        _print(report, Console(width=150))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.core", description=__doc__)
    parser.add_argument("--only", default="", help=f"of {', '.join(PARTS)}, split by commas")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--short", action="store_true", help="whether it runs, not how fast")
    parser.add_argument("--home", type=Path, help="for a stack of its own; a temporary folder unless given")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/reliability.md")
    return parser.parse_args()


_HEAD = ("what", "ours", "against", "theirs", "ratio", "goal")


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    theirs = _text(row["theirs"], row["unit"]) if row["theirs"] else ""
    share = _text(row["ratio"], "") if row["ratio"] else ""
    return row["what"], _text(row["ours"], row["unit"]), row["against"], theirs, share, row["goal"]


def markdown(report: dict[str, Any]) -> str:
    """Figures are least / median / most of the pairs."""
    rows = [_HEAD, ("---",) * len(_HEAD), *map(_row, report["results"])]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    where = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    return f"{table}\n\n`{report['command']}`; {where}."


def _print(report: dict[str, Any], console: Console) -> None:
    grid = Grid(*_HEAD)
    for row in report["results"]:
        grid.add_row(*_row(row))
    console.print(grid)
    console.print("least / median / most of the pairs")
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    console.print(report["command"])


def _text(of: dict[str, float], unit: str) -> str:
    digits = 0 if of["median"] >= 1000 else 2
    return " / ".join(f"{of[name]:,.{digits}f}" for name in ("min", "median", "max")) + f" {unit}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
