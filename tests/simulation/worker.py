"""Runs seeds in a process of its own, one JSON line each: `python -m tests.simulation.worker FIRST STEP END [BUG]`."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from libs.testkit.mutation import plant
from tests.simulation.bugs import BUGS, PACKAGES

ROOT = Path(__file__).resolve().parents[2]


def main(first: int, step: int, end: int, bug: str = "") -> None:
    """With a planted bug it ends at the first seed that catches it, unless END is negative: then all are run."""
    if bug:
        plant(BUGS[bug], ROOT, PACKAGES)
    from tests.simulation.seed import run_seed  # after the bug is planted

    for seed in range(first, end, step):
        print(json.dumps(asdict(run_seed(seed))), flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]), int(given[1]), int(given[2]), *given[3:4])
