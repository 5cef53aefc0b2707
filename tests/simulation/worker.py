"""Runs seeds in a process of its own, one JSON line each: `… worker FIRST STEP END [WORLD [BUG]]`."""

import json
import logging
import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from tests.simulation.bugs import BUGS, PACKAGES
from tests.testkit.mutation import plant

ROOT = Path(__file__).resolve().parents[2]


def main(first: int, step: int, end: int, world: str = "house", bug: str = "") -> None:
    """`world`: the whole house, whole tournaments, or the bank of toy accounts that the journal alone is tried with."""
    if bug:
        plant(BUGS[bug], ROOT, PACKAGES)
    runs = {"house": _house, "tournaments": _tournaments, "small-tournaments": _small_tournaments, "bank": _bank}
    run = runs[world]()
    for seed in range(first, end, step):
        print(json.dumps(run(seed)), flush=True)


def _house() -> Callable[[int], dict[str, Any]]:
    from tests.simulation.seed import run_seed  # after the bug is planted

    return lambda seed: asdict(run_seed(seed))


def _tournaments(**sizes: int) -> Callable[[int], dict[str, Any]]:
    from tests.simulation.tournaments.seed import run_seed

    logging.disable(logging.CRITICAL)
    return lambda seed: msgspec.to_builtins(run_seed(seed, **sizes))


def _small_tournaments() -> Callable[[int], dict[str, Any]]:
    return _tournaments(most=24)


def _bank() -> Callable[[int], dict[str, Any]]:
    from tests.journal.simulation.seed import run_seed

    logging.disable(logging.CRITICAL)

    def run(seed: int) -> dict[str, Any]:
        outcome = run_seed(seed)
        unnamed = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\(.*?\)|b'.*?'", "…", outcome.broken)
        words = re.sub(r"^\w+: ", "", unnamed).split(":")[0].split()
        check = f"journal: {' '.join(words[:5])}" if words else ""
        told = {"seed": seed, "check": check, "what": outcome.broken, "fingerprint": outcome.fingerprint}
        return {**told, "commits": outcome.commits, "void": outcome.void}

    return run


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]), int(given[1]), int(given[2]), *given[3:5])
