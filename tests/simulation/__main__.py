"""`make sim SEEDS=500`: many seeds of the whole house; a failing one prints the command that replays it."""

import argparse
import asyncio
import sys
import time

from tests.simulation.bugs import BUGS
from tests.simulation.running import Sum, outcomes

_EVERY_S = 15.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bug", choices=sorted(BUGS), default="", help="plant this bug first")
    given = parser.parse_args()
    total = asyncio.run(_all(given.first, given.seeds, given.jobs, given.bug))
    return 1 if total.failing else 0


async def _all(first: int, seeds: int, jobs: int, bug: str) -> Sum:
    total, started = Sum(), time.monotonic()
    told = started
    async for outcome in outcomes(first, seeds, jobs, bug):
        total.add(outcome)
        if outcome.check:
            again = f"make sim SEEDS=1 FIRST={outcome.seed}" + (f" BUG={bug}" if bug else "")
            print(f"seed {outcome.seed}: {outcome.what[:400]}\n  again: {again}", flush=True)
        if sys.stderr.isatty() or time.monotonic() - told > _EVERY_S:
            told = time.monotonic()
            _progress(total, seeds, told - started)
    _report(total, time.monotonic() - started)
    return total


def _progress(total: Sum, seeds: int, took: float) -> None:
    line = f"{total.seeds}/{seeds} seeds, {len(total.failing)} failing, {total.seeds / took:.1f} seeds/s"
    print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def _report(total: Sum, took: float) -> None:
    n = total.numbers
    print(
        f"{total.seeds} seeds, {len(total.failing)} failing, {total.seeds / took:.1f} seeds/s, {took:.0f} s\n"
        f"{total.virtual_s / 3600:.1f} simulated hours, {n['hands']} hands ended and {n['voided']} voided,"
        f" {n['rounds']} rounds of no-draw poker and {n['coups']} coups of baccarat, {n['rounds_voided']} voided\n"
        f"{n['commits']} valid commits, {n['void']} void ones\n"
        f"{n['commands']} wishes of clients: {n['ok']} ok, {n['fail']} fail, {n['unknown']} unknown\n"
        f"{sum(total.fired.values())} faults fired:"
    )
    for kind, count in total.fired.most_common():
        print(f"  {count:8d}  {kind}")


if __name__ == "__main__":
    raise SystemExit(main())
