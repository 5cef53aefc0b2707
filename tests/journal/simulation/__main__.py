"""`python -m tests.journal.simulation --seeds 500 [--first 0] [--bug NAME]`: many seeds, or one planted bug."""

import argparse
import logging
import time
from contextlib import nullcontext

from tests.journal.simulation.bugs import BUGS
from tests.journal.simulation.seed import run_seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.journal.simulation")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--bug", choices=sorted(BUGS))
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    started, failed, commits, void = time.monotonic(), [], 0, 0
    for seed in range(given.first, given.first + given.seeds):
        with BUGS[given.bug]() if given.bug else nullcontext():
            outcome = run_seed(seed)
        commits += outcome.commits
        void += outcome.void
        if outcome.broken:
            failed.append(seed)
            print(f"seed {seed}: {outcome.broken}")
    took = time.monotonic() - started
    print(
        f"{given.seeds} seeds, {len(failed)} failing, {commits} valid commits, {void} void, "
        f"{given.seeds / took:.1f} seeds/s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
