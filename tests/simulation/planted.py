"""`make sim-bugs`: plants every bug in turn and says which check catches it, in what share of seeds."""

import argparse
import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.simulation.bugs import ALSO_IN_THE_BANK, BUGS, IN_TOURNAMENTS
from tests.simulation.running import ROOT, Sum, outcomes

PAGE = ROOT / "docs" / "planted-bugs.md"
_HEAD = """# Planted bugs

Written by `make sim-bugs WRITE=1`; do not edit. Each row is one line of the real source changed while it is imported
(`tests/simulation/bugs.py`), and the share of the simulation's seeds in which a check fails. Named are the checks that
saw it first, the most frequent one foremost. Rules of the journal are tried on its own toy accounts as well
(`tests/journal/simulation`, the column *bank*): there more rivals write with less to do. Some bugs live in one
game, and about a third of the seeds play each of those against the house. Bugs of tournaments are planted in
`tests/simulation/tournaments`, more of a move in `tests/cli/moving`. The last column: at which commit it was seen.

| bug | what is broken | house | bank | by | seen at |
|---|---|---|---|---|---|
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.planted")
    parser.add_argument("--seeds", type=int, default=40, help="for each bug")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=sorted(BUGS), default=None)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    given = parser.parse_args()
    rows, missed, commit = kept(PAGE), [], _commit()
    for name in given.only or BUGS:
        world = "small-tournaments" if name in IN_TOURNAMENTS else "house"
        house = asyncio.run(_caught(name, given.seeds, given.jobs, world))
        bank = asyncio.run(_caught(name, given.seeds, given.jobs, "bank")) if name in ALSO_IN_THE_BANK else None
        rows[name] = row(name, house, bank, commit)
        print(rows[name], flush=True)
        if given.write:
            write(PAGE, rows)
        if not (house.failing or (bank and bank.failing)):
            missed.append(name)
    for name in missed:
        print(f"not caught in {given.seeds} seeds: {name}", file=sys.stderr)
    return 1 if missed else 0


async def _caught(bug: str, seeds: int, jobs: int, world: str) -> Sum:
    total = Sum()
    async for outcome in outcomes(0, seeds, jobs, bug, world):
        total.add(outcome)
    return total


def row(name: str, house: Sum, bank: Sum | None, commit: str) -> str:
    failing = [*house.failing, *(bank.failing if bank else [])]
    checks = Counter(outcome.check for outcome in failing)
    by = ", ".join(f"`{check}`" for check, _ in checks.most_common(3)) or "**nothing**"
    beside = f"{len(bank.failing)}/{bank.seeds}" if bank else ""
    return f"| {name} | {BUGS[name].why} | {len(house.failing)}/{house.seeds} | {beside} | {by} | {commit} |"


def kept(page: Path) -> dict[str, str]:
    """Rows that stand there already, by the name of the bug: what is not tried now stays as it was seen."""
    lines = page.read_text().splitlines() if page.exists() else []
    rows = {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}
    return {name: line for name, line in rows.items() if name in BUGS}


def write(page: Path, rows: dict[str, str]) -> None:
    page.write_text(_HEAD + "\n".join(rows[name] for name in BUGS if name in rows) + "\n")


def _commit() -> str:
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
