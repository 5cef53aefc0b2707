"""The table of a chaos run, for people and for docs/reliability.md: `python -m tests.chaos.table FILE`."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from services.cli.demo.statistics import percentile
from tests.chaos.results import read, through

HEAD = (
    "fault", "rounds", "given up", "next act p50 / p99 / max", "at every table", "deposit in every partition",
    "acknowledged", "lost", "doubled", "hands void", "ledger", "rebuild, verify, scan",
)  # fmt: skip
SPREAD = ("next_act", "every_table", "next_deposit")
OK = "ok"


def rows(lines: Sequence[dict[str, Any]]) -> list[list[str]]:
    """One for each fault, in the order of first meeting, and one for what was told while houses closed."""
    counted = through(lines)
    gone = {line["house"]: line for line in lines if line["kind"] == "gone"}
    by_fault: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if line["kind"] == "round":
            by_fault.setdefault(line["fault"], []).append(line)
    return [_row(name, met, counted[name], gone) for name, met in sorted(by_fault.items(), key=_closing_last)]


def _closing_last(item: tuple[str, Any]) -> bool:
    return item[0] == "closing"


def _row(name: str, met: Sequence[dict[str, Any]], counted: int, gone: dict[str, Any]) -> list[str]:
    sums = {what: sum(line[what] for line in met) for what in ("acknowledged", "lost", "doubled", "voided")}
    fired = sum(line["fired"] for line in met)
    return [
        name + (" (from its mending)" if met[0]["counted_from"] == "mended" else ""),
        str(counted) if counted >= fired else f"{counted} of {fired}",
        str(sum(bool(line["problems"]) for line in met)),
        *(_times([line[what] for line in met if line[what] is not None]) for what in SPREAD),
        f"{sums['acknowledged']:,}", str(sums["lost"]), str(sums["doubled"]), str(sums["voided"]),
        str(max(abs(line["ledger_sum"]) for line in met)),
        _said(gone[line["house"]] for line in met if line["house"] in gone),
    ]  # fmt: skip


def _times(seconds: list[float]) -> str:
    if not seconds:
        return "–"
    return " / ".join(f"{percentile(seconds, share):.2f}" for share in (0.5, 0.99, 1.0))


def _said(houses: Iterable[dict[str, Any]]) -> str:
    said = {check for house in houses for check in house["checks"].values()}
    if not said:
        return "not reached"
    return OK if said == {OK} else "; ".join(sorted(said - {OK}))


def show(found: Sequence[Sequence[str]], console: Console) -> None:
    grid = Table(*HEAD)
    for row in found:
        grid.add_row(*row)
    console.print(grid)


def markdown(found: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(each) + " |" for each in (HEAD, ("---",) * len(HEAD), *found))


if __name__ == "__main__":
    print(markdown(rows(read(Path(sys.argv[1])))))
