"""`make bench-house`: the whole house on this machine under bots, what an act costs in it and how long it takes.

Services, broker and database run as they do in production, the bots in a process of their own. Seconds are those of the
processor, by process, over a window in which the bots play at the stage's pace. `--code` measures another checkout's
services with the same bots. docs/house-speed.md says what each figure is.
"""

import argparse
import asyncio
import json
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import uvloop
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from rich.console import Console

from libs.broker import Broker
from libs.contracts.topics import REPLIES, topic
from libs.stack import Stack, up
from tests.bench.engine import machine
from tests.bench.house.crowd import Crowd
from tests.bench.house.house import BenchFailed, Code, Meter, Script, opened, pids, spent, written
from tests.bench.house.lags import SOCKETS, behind, told, uncommitted
from tests.bench.house.meters import Reading, percentile
from tests.bench.house.report import BESIDE, SERVICES, show
from tests.bench.house.search import STEPS, most_that_hold, wrong_with
from tests.testkit.partitions import PARTITIONS

HERE = Path(__file__).resolve().parent
ROOM = {"CROUPIER_ADDRESS_CONNECTIONS": "10000"}
"""All players come from one address here, which at a house on the net would have no more than 500 connections."""
PROJECT = HERE.parents[2]
HOPS = {
    "commands": topic("table", "commands").name, "journal": topic("table", "journal").name,
    "replies": REPLIES.name, "events": topic("table", "events").name,
}  # fmt: skip
"""Of an act, and the topic whose bytes it takes."""


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
    *, chain: bool = True, processes: int = 1, goes_on: Callable[[dict[str, Any]], bool] = lambda row: True,
) -> dict[str, Any]:  # fmt: skip
    """Idle, then stages until `goes_on` says False of one, then (`chain`) a raw chain at each stage's rate and bytes.

    Topics begin with `prefix`; players are `processes` processes."""
    async with opened(stack, code, prefix, **ROOM) as house:
        say(f"services of {code.folder.name} are up")
        await asyncio.sleep(times.warm)
        quiet = await Meter(stack, pids(house)).over(times.idle)
        crowd = await Crowd.come(code, house, processes)
        meter = Meter(stack, pids(house) | {"bots": crowd.pids})
        rows: list[dict[str, Any]] = []
        try:
            for stage in stages:
                await crowd.stage(stage.tables, stage.pace)
                say(f"{stage}: plays")
                await asyncio.sleep(times.warm)
                coming_in = await crowd.said()
                window = await meter.over(times.window)
                lags = {**await told(house), **await uncommitted(stack, prefix)}  # counters would lose what is zero
                played = await crowd.said()
                row = _stage(stage, played, *window, prefix, lags)
                rows.append(row | {"refused_before": _counted(coming_in["refused"])})
                if not goes_on(row):
                    break
        finally:
            await crowd.end()
    idle = spent(*quiet, of=(*SERVICES, "Kafka", "PostgreSQL"))
    chains = []
    for row in rows if chain else ():
        say(f"raw chain at {row['acts_per_s']:.0f} acts/s")
        chains.append(await _chain(stack, Code(PROJECT), f"{prefix}chain.", row, times))
    return {
        "idle": {name: _round(100 * seconds / times.idle) for name, seconds in idle.items()},
        "stages": rows,
        "chains": chains,
    }


def _stage(
    stage: Stage, played: dict[str, Any], before: Reading, after: Reading, prefix: str, lags: dict[str, int]
) -> dict[str, Any]:
    seconds = after.at - before.at
    inside = [row for row in played["acts"] if before.at <= row[1] < after.at]
    if not inside:
        raise BenchFailed(f"{stage}: nobody acted")
    count, used = len(inside), spent(before, after, (*SERVICES, *BESIDE))
    answers = [answered - sent for sent, answered, *_ in inside]
    views = [seen - sent for sent, _, seen, _ in inside if seen is not None]
    connections = lags.pop(SOCKETS, 0)
    return {
        "stage": str(stage),
        "tables": stage.tables,
        "acts": count,
        "acts_per_s": _round(count / seconds),
        "seconds": _round(seconds),
        "cpu_ms_per_act": {name: _round(1000 * each / count) for name, each in used.items()},
        "all_services_ms_per_act": _round(1000 * sum(used[name] for name in SERVICES) / count),
        "cores_percent": {name: _round(100 * each / seconds) for name, each in used.items()},
        "answer_ms": _spread(answers),
        "everybodys_view_ms": _spread(views),
        "seen_by_all": _round(len(views) / count),
        "late_ms": _spread([late for *_, late in inside]),
        "connections": connections,
        "players": {name: played[name] for name in ("seated", "playing", "resyncs")},
        "refused": _counted(each for each in played["refused"] if before.at <= each[0] < after.at),
        "lags": dict(sorted(lags.items())),
        "behind": behind(lags, count / seconds),
        "bytes_per_act": {topic: _round(size / count) for topic, size in written(before, after, prefix).items()},
    }


def _counted(refused: Iterable[Sequence[Any]]) -> dict[str, int]:
    """By reason."""
    return dict(Counter(why for _, why in refused))


async def _chain(stack: Stack, code: Code, prefix: str, like: dict[str, Any], times: Times) -> dict[str, Any]:
    """The same rate, one record a hop, of as many bytes as the house wrote there for an act."""
    size = {hop: int(like["bytes_per_act"][name]) for hop, name in HOPS.items()}
    job = {"prefix": prefix, "bytes": size, "rate": like["acts_per_s"],
           "seconds": _chain_s(times)}  # fmt: skip
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
        before, after = await meter.over(_chain_s(times))
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


def _chain_s(times: Times) -> float:
    """Nothing in it changes with time."""
    return min(times.window, 30.0)


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


def on_a_stack(home: Path | None, work: Callable[[Stack], Coroutine[Any, Any, dict[str, Any]]]) -> dict[str, Any]:
    """A stack of its own, wiped afterwards; so is its folder, unless one is given."""
    at = home or Path(mkdtemp(prefix="croupier-bench-"))
    at.chmod(0o755)
    stack = up(at)
    try:
        return uvloop.run(work(stack))
    finally:
        stack.down(wipe=True)
        if home is None:
            shutil.rmtree(at, ignore_errors=True)


def main() -> int:
    options = _options()
    console = Console(stderr=True)
    window = options.minutes * 60 if options.minutes else options.seconds
    code, stages = Code(options.code.resolve()), options.stage or [Stage(10, "human"), Stage(10, "none")]
    tried: list[dict[str, Any]] = []

    def say(text: str) -> None:
        console.print(text, highlight=False)

    def holds(row: dict[str, Any]) -> bool:
        why = wrong_with(row, options.limit_ms)
        answers = "p50 {p50:.1f}, p99 {p99:.1f} ms".format(**row["answer_ms"])
        say(f"{row['stage']}: {row['acts_per_s']:.1f} acts/s, {answers}: " + ("; ".join(why) or "holds"))
        return not why

    if options.search:
        steps = [Stage(tables, "human") for tables in options.search]
        brief = Times(1.0, options.warm, options.seconds)
        searched = on_a_stack(options.home, lambda stack: measure(
            stack, code, steps, brief, say, chain=False, processes=options.processes, goes_on=holds))  # fmt: skip
        tried = searched["stages"]
        stages = [Stage(most_that_hold(tried, options.limit_ms), "human")]
    times = Times(options.idle, options.warm, window)
    report = on_a_stack(options.home, lambda stack: measure(
        stack, code, stages, times, say, processes=options.processes))  # fmt: skip
    report |= {"tried": tried, "limit_ms": options.limit_ms, "machine": machine()}
    report |= {"command": f"python -m tests.bench.house {' '.join(sys.argv[1:])}".strip()}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console(width=120))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.house", description=__doc__)
    parser.add_argument("--stage", type=Stage.of, action="append",
                        help="tables@pace, several times: 40@280 (acts/s over all), 200@human, 10@none")  # fmt: skip
    parser.add_argument("--search", type=int, nargs="*", metavar="TABLES",
                        help="tables at human pace, more and more, until one does not hold; then the most that did, "
                             "in a new house, for a window of --minutes")  # fmt: skip
    parser.add_argument("--limit-ms", type=float, default=150.0, help="p99 from act to answer that --search allows")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each window")
    parser.add_argument("--minutes", type=float, help="of each window, of --search the last one alone")
    parser.add_argument("--warm", type=float, default=10.0, help="seconds before each window")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds in which nobody is there")
    parser.add_argument("--processes", type=int, default=1, help="of players, who share the tables")
    parser.add_argument("--code", type=Path, default=PROJECT, help="the checkout whose services are measured")
    parser.add_argument("--home", type=Path, help="for a stack of its own; a temporary folder unless given")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.search is not None and options.stage:
        parser.error("--search chooses the stages: give it tables, or leave --stage alone")
    if options.search == []:
        options.search = STEPS
    return options


if __name__ == "__main__":
    sys.exit(main())
