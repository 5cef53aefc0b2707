"""`make bench-tournament`: a tournament of N players to its last prize on a whole house of this machine.

Services, broker and database run as they do in production, the players in one process of their own, each over its own
WebSocket. Figures are of the public topics and of the processes; docs/tournament-speed.md says what each is.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import psutil
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from libs.stack import Stack, up
from services.cli.demo.tournament import BUY_IN, Pace, rules
from services.cli.house import House
from tests.bench.engine import machine
from tests.bench.house.house import BenchFailed, Code, Meter, Script, opened, pids, spent
from tests.bench.tournament.figures import figures
from tests.tournament.told import read_told

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
SERVICES = ("table", "tournament", "gateway", "wallet", "audit")
BESIDE = ("bots", "Kafka", "PostgreSQL")
TOURNAMENT = "bench"
Show = Callable[[str, int, int], None]
"""What goes on, how many are done, of how many."""


async def measure(stack: Stack, players: int, options: argparse.Namespace, show: Show, prefix: str) -> dict[str, Any]:
    # All players come from this machine.
    async with opened(stack, Code(PROJECT), prefix, CROUPIER_ADDRESS_CONNECTIONS="5000") as house:
        bots = Script(await Code(PROJECT).run(str(HERE / "bots.py")))
        meter, peaks = Meter(stack, pids(house) | {"bots": bots.pid}), dict[str, int]()
        watching = asyncio.create_task(_watch(pids(house) | {"bots": bots.pid, "Kafka": stack.kafka_pids[0]}, peaks))
        try:
            bots.tell(await _job(house, players, options))
            said: dict[str, Any] = {"here": 0}
            begun = time.monotonic()
            before, full = meter.read(), 0.0
            while "over" not in said:
                said = json.loads(await bots.hear())
                if said["here"] < players:
                    before = meter.read()
                    show("players come", said["here"], players)
                else:
                    full = full or time.monotonic()
                    show("players are out", players - said["left"], players)
            after = meter.read()
        finally:
            watching.cancel()
            await bots.end()
        told = await read_told(stack.admin, prefix, TOURNAMENT)
        problems = [*told.problems, *_problems(said["over"], players)]
        money = await _money(house)
    acts, names = said["acts"], (*SERVICES, *BESIDE)
    used = spent(before, after, names)
    return {
        "players": players,
        "problems": problems,
        "money": money,
        "registered_per_s": round(players / (full - begun), 1),
        **figures(told),
        "acts": acts,
        "acts_refused": said["refused"],
        "met": said["problems"],
        "reconnects": said["reconnects"],
        "page_bytes_per_player": said["page_bytes"] // players,
        "cpu_s": {name: round(seconds, 1) for name, seconds in used.items()},
        "cores_percent": {name: round(100 * each / (after.at - before.at), 1) for name, each in used.items()},
        "memory_mb": {name: peak // 2**20 for name, peak in peaks.items()},
    }


async def _job(house: House, players: int, options: argparse.Namespace) -> dict[str, Any]:
    pace = Pace(level_ms=int(1000 * options.level), stack=options.stack, hand_for_hand_at=1)
    return {
        "url": house.gateway_url,
        "token": house.operator_token,
        "floor": await house.log_in("floor"),
        "supervisor": await house.log_in("supervisor"),
        "tournament": TOURNAMENT,
        "definition": rules(players, options.seats, max(1, min(300, players // 8)), pace),
        "players": players,
        "money": BUY_IN["amount"],
        "boldness": options.boldness,
        "watch": not options.no_page,
    }


async def _watch(processes: dict[str, int], peaks: dict[str, int]) -> None:
    """The most memory of each, bytes resident."""
    while True:
        for name, pid in processes.items():
            try:
                peaks[name] = max(peaks.get(name, 0), psutil.Process(pid).memory_info().rss)
            except psutil.NoSuchProcess:
                raise BenchFailed(f"{name} ended by itself") from None
        await asyncio.sleep(1)


def _problems(page: dict[str, Any], players: int) -> list[str]:
    results = page["results"]
    found = []
    if page["status"] != "completed" or len({each["player"] for each in results}) != players:
        found.append(f"{page['status']} with {len(results)} results")
    if sum(each["prize"] for each in results) != page["pool"] or page["pool"] != players * BUY_IN["prize"]:
        found.append("the prizes are not the pool")
    return found


async def _money(house: House) -> dict[str, int]:
    """Every group of the books, once what is under way has arrived."""
    async with house.reader("wallet") as wallet:
        give_up = time.monotonic() + 120
        while True:
            balance = (await wallet.get("/v1/trial-balance")).json()
            groups = {each["group"]: each["balance"] for each in balance["groups"]}
            moving = {name: groups.get(name, 0) for name in groups if name.startswith(("tournament-", "in-transit"))}
            if not any(moving.values()) or time.monotonic() > give_up:
                return groups
            await asyncio.sleep(0.5)


def print_report(report: dict[str, Any], console: Console) -> None:
    def ms(what: dict[str, float]) -> str:
        return " / ".join(f"{value:,.0f}" for value in what.values())

    balance, clock = report["balance"], report["clock"]
    grid = Grid(f"{report['players']:,} players, {balance['tables_at_start']} tables", "")
    for name, value in (
        ("played in", f"{report['seconds']:,.0f} s, {report['hands']:,} hands, {report['acts']:,} acts"),
        ("events", f"{report['events']:,}"),
        ("events a second, and in the fullest one", f"{report['events_per_s']:,.0f}, {report['events_per_s_most']:,}"),
        ("players registered a second", f"{report['registered_per_s']}"),
        ("moved", ", ".join(f"{count} {reason}" for reason, count in report["moves"].items())),
        ("last elimination to balanced tables, ms p50 / p99 / max", ms(balance["eliminated_to_balanced_ms"])),
        ("of a move what the house adds, ms", ms(balance["house_ms"])),
        ("end of a hand to the next one, ms", ms(report["hand_to_hand_ms"])),
        ("start draw to a table's first hand, ms", ms(report["first_hands_ms"])),
        ("level's begin to its blinds at a table, ms", ms(clock["told_ms"])),
        ("level's begin to a table's first hand in it, ms", ms(clock["dealt_ms"])),
        ("between first and last table of a level, ms", ms(clock["skew_ms"])),
        ("hands begun before or after their level, ms", f"{clock['early_ms']}, {clock['late_ms']}"),
    ):  # fmt: skip
        grid.add_row(name, value)
    console.print(grid)
    grid = Grid("process", "CPU, s", "% of a core", "memory, MB at most")
    for name, seconds in report["cpu_s"].items():
        grid.add_row(
            name, f"{seconds:,.1f}", f"{report['cores_percent'][name]}", f"{report['memory_mb'].get(name, '')}"
        )
    console.print(grid)
    for problem in report["problems"]:
        console.print(f"NOT AS IT SHOULD BE: {problem}")
    console.print(f"refused acts {report['acts_refused']}, orders repeated {report['repeated']}, met {report['met']}")
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()), report["command"])


def main() -> int:
    options = _options()
    console = Console(stderr=True)
    home = options.home or Path(mkdtemp(prefix="croupier-bench-"))
    home.chmod(0o755)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task, tenths = progress.add_task("broker and database start", total=None), set[tuple[str, int]]()

        def show(what: str, done: int, of: int) -> None:
            progress.update(task, description=what, completed=done, total=of)
            if not console.is_terminal and (what, 10 * done // of) not in tenths:
                tenths.add((what, 10 * done // of))
                console.print(f"{time.strftime('%H:%M:%S')} {what}: {done} of {of}", highlight=False)

        stack = up(home)
        load = os.getloadavg()[0]
        try:
            report = uvloop.run(measure(stack, options.players, options, show, "bench."))
        finally:
            stack.down(wipe=True)
    report |= {"machine": machine(), "load_before": load, "load_after": os.getloadavg()[0]}
    report["command"] = f"python -m tests.bench.tournament {' '.join(sys.argv[1:])}".strip()
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        print_report(report, Console(width=120))
    return 1 if report["problems"] else 0


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m tests.bench.tournament", description=__doc__)
    made.add_argument("players", type=int, nargs="?", default=2_000, help="2 to 2,500")
    made.add_argument("--seats", type=int, default=9, help="of a table")
    made.add_argument("--level", type=float, default=20.0, help="seconds of a level")
    made.add_argument("--stack", type=int, default=5_000, help="chips to begin with; the first blinds are 50 and 100")
    made.add_argument("--boldness", type=float, default=0.25, help="how often a bot goes all-in where it could fold")
    made.add_argument("--no-page", action="store_true", help="nobody has the tournament's page open")
    made.add_argument("--home", type=Path, help="for a stack of its own; a temporary folder unless given")
    made.add_argument("--json", action="store_true")
    return made


def _options() -> argparse.Namespace:
    return parser().parse_args()


if __name__ == "__main__":
    sys.exit(main())
