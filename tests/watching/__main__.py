"""`make alerts`: a real Prometheus watches a house that plays; each fault is produced, and its alerts have to fire.

Every duration of the rules is divided by 60, so an hour of production is a minute here. Nothing may fire before the
first fault, nor go on after one was mended.
"""

import argparse
import asyncio
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from libs.stack import default_home, down, up
from services.cli.watching.alerts import ALERTS
from tests.chaos.scene import Plan, open_folder, scene
from tests.watching.drill import Drill, Fault
from tests.watching.faults import FAULTS
from tests.watching.picture import draw
from tests.watching.prometheus import OfAHouse

PAGE = Path(__file__).resolve().parents[2] / "docs" / "alerts-drill.md"
BY = 60
WARM_S, QUIET_S = 20.0, 60.0
SLOW_S = 120.0
_P99 = 'histogram_quantile(0.99, sum by (le) (increase(croupier_gateway_command_seconds_bucket{service="table"}[90s])))'


async def _through(it: Drill, fault: Fault) -> None:
    it.began, others = time.monotonic(), set[str]()
    standing = await it.prometheus.firing()
    took: dict[str, float] = {}

    async def look() -> None:
        while time.monotonic() - it.began < SLOW_S and set(fault.alerts) - took.keys():
            for name in await it.prometheus.firing():
                if name in fault.alerts and name not in standing:
                    took.setdefault(name, time.monotonic() - it.began)
                elif name not in standing:
                    others.add(name)
            await asyncio.sleep(0.25)

    looking = asyncio.create_task(look())
    try:
        await fault.fire(it)
        await looking
        if fault.mend is not None:
            await fault.mend(it)
    except Exception as wrong:  # the next fault may still be seen
        it.problems.append(f"{fault.words}: {type(wrong).__name__}: {wrong}")
        print(f"! {it.problems[-1]}", flush=True)
        looking.cancel()
    mended = time.monotonic()
    still = _soon(await it.prometheus.firing())
    while still - fault.stays and time.monotonic() - mended < SLOW_S:
        others |= still - set(fault.alerts) - standing
        await asyncio.sleep(0.5)
        still = _soon(await it.prometheus.firing())
    missing = set(fault.alerts) - took.keys()
    it.problems += [f"{fault.words}: {name} did not fire" for name in sorted(missing)]
    it.problems += [f"{fault.words}: {name} went on firing" for name in sorted(still - fault.stays)]
    for name, seconds in took.items():
        it.fired.setdefault(name, seconds)
    words = ", ".join(f"{name} after {seconds:.0f} s" for name, seconds in took.items()) or "nothing"
    silent = "no" if still else f"{time.monotonic() - mended:.0f} s"
    it.rows.append(f"| {fault.words} | {words} | {', '.join(sorted(others)) or '–'} | {silent} |")
    print(it.rows[-1], flush=True)


def _soon(firing: set[str]) -> set[str]:
    """Without what looks back on three days, and so goes on by design: six minutes and more here."""
    return {name for name in firing if not name.endswith("Long")}


async def _quiet(it: Drill) -> str:
    await asyncio.sleep(WARM_S)  # the first scrapes, and processes that have just started
    began, seen = time.monotonic(), set[str]()
    while time.monotonic() - began < QUIET_S:
        seen |= await it.prometheus.firing()
        await asyncio.sleep(0.5)
    it.problems += [f"{name} fired in the quiet" for name in sorted(seen)]
    hands = it.at.evening.statistics.total_hands
    p99 = float((await it.prometheus.ask("query", query=_P99))["result"][0]["value"][1])
    said = f"{QUIET_S:.0f} s of play without a fault, {hands} hands, answers of tables p99 {1000 * p99:.0f} ms: "
    said += f"{', '.join(sorted(seen)) or 'no alert'}."
    print(said, flush=True)
    return said


def _page(it: Drill, quiet: str) -> str:
    never = [each.name for each in ALERTS if each.name not in it.fired]
    return "\n".join((
        "# Alerts, fired by real faults", "",
        "Written by `make alerts WRITE=1`: Debian's Prometheus scrapes a whole house each second while bots play at",
        f"two tables, with the rules that ship, **every duration divided by {BY}** (at least 5 s): for an hour",
        "this waited a minute. What is counted at once fires in production as it did here, after one scrape and one",
        "evaluation; what has to last, lasts as long as [alerts.md](alerts.md) says.", "", quiet, "",
        "| fault | fired, seconds after it began | fired beside | silent again after mending |", "|---|---|---|---|",
        *it.rows, "",
        f"{len(it.fired)} of {len(ALERTS)} alerts were fired by a fault. By promtool's series alone "
        f"(`tests/watching/cases.yaml`): {', '.join(never)}.", "",
        *(("Not as it should be:", "", *(f"- {each}" for each in it.problems), "") if it.problems else ()),
        "The dashboard's panels over this drill, drawn from what Prometheus answered to their expressions; Grafana",
        "itself never ran:", "", "![dashboard](dashboard.svg)", "",
    ))  # fmt: skip


async def _drill(write: bool, only: str) -> int:
    home = default_home() / "alerts"
    home.mkdir(parents=True, exist_ok=True)
    stack = await asyncio.to_thread(partial(up, home, doors=("table",)))
    try:
        folder = open_folder(home, "house-")
        async with scene(stack, folder, Plan(tables=2, bots=3, relayed=True), "alerts") as at:
            it = Drill(at, OfAHouse(at.house, folder / "prometheus", BY))
            try:
                began = time.time()
                quiet = await _quiet(it)
                for fault in FAULTS:
                    if any(words in fault.words for words in only.split(", ")):
                        await _through(it, fault)
                if write:
                    PAGE.write_text(_page(it, quiet), encoding="utf-8")
                    PAGE.with_name("dashboard.svg").write_text(await draw(it.prometheus, began, time.time()))
            finally:
                it.prometheus.stop()
                if it.door is not None:
                    it.door.close()
    finally:
        with suppress(Exception):
            await asyncio.to_thread(down, home, wipe=True)
    for each in it.problems:
        print(f"! {each}")
    return 1 if it.problems else 0


def main() -> int:
    asked = argparse.ArgumentParser(prog="make alerts", description=__doc__)
    asked.add_argument("--write", action="store_true", help="write docs/alerts-drill.md and docs/dashboard.svg")
    asked.add_argument("--only", default="", help="faults with these words, or these, or these")
    given = asked.parse_args()
    return asyncio.run(_drill(given.write, given.only))


if __name__ == "__main__":
    raise SystemExit(main())
