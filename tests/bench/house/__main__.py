"""`make bench-house`: the whole house on this machine under bots, what an act costs in it and how long it takes.

Services, broker and database run as they do in production, the bots in a process of their own. Seconds are those of the
processor, by process, over a window in which the bots play at the stage's pace. `--code` measures another checkout's
services with the same bots. docs/house-speed.md says what each figure is.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import uvloop
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from rich.console import Console
from rich.table import Table as Grid

from libs.broker import Broker
from libs.contracts.topics import REPLIES, topic
from libs.stack import Stack, up
from tests.bench.engine import machine
from tests.bench.house.house import BenchFailed, Code, Meter, Script, opened, pids, spent, written
from tests.bench.house.meters import Reading, percentile
from tests.testkit.partitions import PARTITIONS

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
SERVICES = ("table", "gateway", "wallet", "audit")
HOPS = {
    "commands": topic("table", "commands").name, "journal": topic("table", "journal").name,
    "replies": REPLIES.name, "events": topic("table", "events").name,
}  # fmt: skip
"""Of an act, and the topic whose bytes it takes."""
BESIDE = ("bots", "Kafka", "PostgreSQL")


@dataclass(frozen=True, slots=True)
class Stage:
    """So many tables of six at a pace: `human`, `none`, or acts a second over all tables."""

    tables: int
    pace: str

    @classmethod
    def of(cls, text: str) -> "Stage":
        """`40@280`; ValueError for anything else."""
        tables, _, pace = text.partition("@")
        if pace not in ("human", "none"):
            float(pace)
        return cls(int(tables), pace)

    def __str__(self) -> str:
        return f"{self.tables}@{self.pace}"


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: how long the house is left alone at first, played in before a window, and measured."""

    idle: float = 20.0
    warm: float = 10.0
    window: float = 30.0


async def measure(
    stack: Stack, code: Code, stages: list[Stage], times: Times, say: Callable[[str], None], prefix: str = "bench.",
    *, chain: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Idle, then each stage, then (`chain`) a raw chain at each stage's rate and bytes. Topics begin with `prefix`."""
    async with opened(stack, code, prefix) as house:
        say(f"services of {code.folder.name} are up")
        await asyncio.sleep(times.warm)
        quiet = await Meter(stack, pids(house)).over(times.idle)
        bots = Script(await code.run(str(HERE / "bots.py")))
        meter = Meter(stack, pids(house) | {"bots": bots.pid})
        windows = []
        try:
            bots.tell({"url": house.gateway_url, "token": house.operator_token, "tables": "bench"})
            for stage in stages:
                bots.tell({"tables": stage.tables, "pace": stage.pace})
                await bots.hear()
                say(f"{stage}: plays")
                await asyncio.sleep(times.warm)
                windows.append(await meter.over(times.window))
            bots.finish()
            played = json.loads(await bots.hear())
        finally:
            await bots.end()
    idle = spent(*quiet, of=(*SERVICES, "Kafka", "PostgreSQL"))
    rows = [_stage(stage, played["acts"], *window, prefix) for stage, window in zip(stages, windows, strict=True)]
    chains = []
    for row in rows if chain else ():
        say(f"raw chain at {row['acts_per_s']:.0f} acts/s")
        chains.append(await _chain(stack, Code(PROJECT), f"{prefix}chain.", row, times))
    return {
        "idle": {name: _round(100 * seconds / times.idle) for name, seconds in idle.items()},
        "stages": rows,
        "refused": played["refused"],
        "resyncs": played["resyncs"],
        "chains": chains,
    }


def _stage(stage: Stage, acts: list[Any], before: Reading, after: Reading, prefix: str) -> dict[str, Any]:
    seconds = after.at - before.at
    inside = [row for row in acts if before.at <= row[1] < after.at]
    if not inside:
        raise BenchFailed(f"{stage}: nobody acted")
    count, used = len(inside), spent(before, after, (*SERVICES, *BESIDE))
    answers = [answered - sent for sent, answered, _ in inside]
    views = [seen - sent for sent, _, seen in inside if seen is not None]
    return {
        "stage": str(stage),
        "acts": count,
        "acts_per_s": _round(count / seconds),
        "cpu_ms_per_act": {name: _round(1000 * each / count) for name, each in used.items()},
        "all_services_ms_per_act": _round(1000 * sum(used[name] for name in SERVICES) / count),
        "cores_percent": {name: _round(100 * each / seconds) for name, each in used.items()},
        "answer_ms": _spread(answers),
        "everybodys_view_ms": _spread(views),
        "seen_by_all": _round(len(views) / count),
        "bytes_per_act": {topic: _round(size / count) for topic, size in written(before, after, prefix).items()},
    }


async def _chain(stack: Stack, code: Code, prefix: str, like: dict[str, Any], times: Times) -> dict[str, Any]:
    """The same rate, one record a hop, of as many bytes as the house wrote there for an act."""
    size = {hop: int(like["bytes_per_act"][name]) for hop, name in HOPS.items()}
    job = {"prefix": prefix, "bytes": size, "rate": like["acts_per_s"],
           "seconds": times.window}  # fmt: skip
    async with _topics(stack.admin, [prefix + hop for hop in HOPS]):
        return await _chained(stack, code, job, times)


async def _chained(stack: Stack, code: Code, job: dict[str, Any], times: Times) -> dict[str, Any]:
    script = str(HERE / "chain.py")
    desk, edge = [
        Script(await code.run(script, role, json.dumps(job), broker=stack.admin)) for role in ("desk", "edge")
    ]
    try:
        await desk.hear()
        await edge.hear()
        meter = Meter(stack, {"desk": desk.pid, "edge": edge.pid})
        before, after = await meter.over(times.window)
        rows = [row for row in json.loads(await edge.hear()) if row[1] is not None and row[2] is not None]
    finally:
        await edge.end()
        await desk.end()
    used = spent(before, after, ("desk", "edge", "Kafka"))
    return {
        "acts": len(rows),
        "bytes": job["bytes"],
        "cpu_ms_per_act": {name: _round(1000 * each / len(rows)) for name, each in used.items()},
        "both_ms_per_act": _round(1000 * (used["desk"] + used["edge"]) / len(rows)),
        "answer_ms": _spread([answered - sent for sent, answered, _ in rows]),
        "everybodys_view_ms": _spread([seen - sent for sent, _, seen in rows]),
    }


@asynccontextmanager
async def _topics(broker: Broker, names: list[str]) -> AsyncIterator[None]:
    admin = AIOKafkaAdminClient(**broker.options())
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in names])
        yield
        await admin.delete_topics(names)
    finally:
        await admin.close()


def _spread(seconds: list[float]) -> dict[str, float]:
    return {f"p{100 * share:.0f}": _round(1000 * percentile(seconds, share)) for share in (0.5, 0.99)}


def _round(value: float) -> float:
    return round(value, 3 if value < 10 else 1)


def show(report: dict[str, Any], console: Console) -> None:
    """The report as tables: what an act costs, how long it takes, what it writes."""
    idle, stages, chains = report["idle"], report["stages"], report["chains"]
    names = [each["stage"] for each in stages]
    beside = [f"raw chain {name}" for name in names]
    grid = Grid("CPU, ms an accepted act", *names, *beside, "idle, % of a core")
    grid.add_row(
        "all services", *(f"{each['all_services_ms_per_act']:.2f}" for each in stages),
        *(f"{each['both_ms_per_act']:.2f}" for each in chains), f"{sum(idle[name] for name in SERVICES):.1f}",
        style="bold",
    )  # fmt: skip
    for name in (*SERVICES, *BESIDE):
        costs = [f"{each['cpu_ms_per_act'][name]:.2f}" for each in stages]
        costs += [f"{each['cpu_ms_per_act'][name]:.2f}" if name == "Kafka" else "" for each in chains]
        grid.add_row(name, *costs, f"{idle[name]:.1f}" if name in idle else "")
    console.print(grid)
    grid = Grid("milliseconds, p50 / p99", *names, *beside)
    for what, key in (("act to answer", "answer_ms"), ("act to everybody's next view", "everybodys_view_ms")):
        grid.add_row(what, *(f"{each[key]['p50']:.1f} / {each[key]['p99']:.1f}" for each in (*stages, *chains)))
    grid.add_row("acts a second", *(f"{each['acts_per_s']:.1f}" for each in stages))
    grid.add_row("acts measured", *(f"{each['acts']:,}" for each in (*stages, *chains)))
    console.print(grid)
    grid = Grid("bytes an accepted act", *names)
    for name in sorted({name for each in stages for name in each["bytes_per_act"]}):
        grid.add_row(name, *(f"{each['bytes_per_act'].get(name, 0):,.0f}" for each in stages))
    console.print(grid)
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    console.print(report["command"])


def main() -> int:
    options = _options()
    console = Console(stderr=True)
    home = options.home or Path(mkdtemp(prefix="croupier-bench-"))
    home.chmod(0o755)
    stack = up(home)
    times = Times(options.idle, options.warm, options.seconds)
    code = Code(options.code.resolve())
    try:
        report = uvloop.run(measure(stack, code, options.stage or [Stage(10, "human"), Stage(10, "none")], times,
                                    lambda text: console.print(text, highlight=False)))  # fmt: skip
    finally:
        stack.down(wipe=True)
    report |= {"machine": machine(), "command": f"python -m tests.bench.house {' '.join(sys.argv[1:])}".strip()}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console(width=120))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.house", description=__doc__)
    parser.add_argument("--stage", type=Stage.of, action="append",
                        help="tables@pace, several times: 40@280 (acts/s over all), 200@human, 10@none")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=30.0, help="of each window")
    parser.add_argument("--warm", type=float, default=10.0, help="seconds before each window")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds in which nobody is there")
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose services are measured")
    parser.add_argument("--home", type=Path, help="for a stack of its own; a temporary folder unless given")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
