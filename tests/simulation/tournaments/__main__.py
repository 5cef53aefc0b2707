"""`make sim-tournaments SEEDS=1000`: many tournaments of 2 to 500 players; a failing one prints what replays it."""

import argparse
import asyncio
import sys
import time

from tests.simulation.bugs import BUGS
from tests.simulation.running import Sum, outcomes

_EVERY_S = 15.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.tournaments")
    parser.add_argument("--seeds", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bug", choices=sorted(BUGS), default="", help="plant this bug first")
    given = parser.parse_args()
    total = asyncio.run(_all(given.first, given.seeds, given.jobs, given.bug))
    return 1 if total.failing else 0


async def _all(first: int, seeds: int, jobs: int, bug: str) -> Sum:
    total, started = Sum(), time.monotonic()
    told = started
    async for outcome in outcomes(first, seeds, jobs, bug, "tournaments"):
        total.add(outcome)
        if outcome.check:
            again = f"make sim-tournaments SEEDS=1 FIRST={outcome.seed}" + (f" BUG={bug}" if bug else "")
            print(f"seed {outcome.seed}: {outcome.what[:400]}\n  again: {again}", flush=True)
        if time.monotonic() - told > _EVERY_S:
            told = time.monotonic()
            line = f"{total.seeds}/{seeds} tournaments, {len(total.failing)} failing, {told - started:.0f} s"
            print(line, file=sys.stderr, flush=True)
    print(f"{total.seeds} tournaments, {len(total.failing)} failing, {time.monotonic() - started:.0f} s")
    numbers = {**total.numbers, "simulated hours": round(total.virtual_s / 3600)}
    for name in sorted(name for name, count in numbers.items() if count):
        print(f"  {numbers[name]:8d}  {name}")
    print(f"{sum(total.fired.values())} faults fired:")
    for kind, count in total.fired.most_common():
        print(f"  {count:8d}  {kind}")
    return total


if __name__ == "__main__":
    raise SystemExit(main())
