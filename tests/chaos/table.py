"""The table of a chaos run, for people and for docs/reliability.md: `python -m tests.chaos.table FILE`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from services.cli.demo.statistics import percentile

HEAD = (
    "fault", "fired", "next act p50 / p99 / max", "at every table", "next deposit", "acknowledged", "lost", "doubled",
    "hands void", "ledger", "rebuild, verify, scan",
)  # fmt: skip


SPREAD = ("next_act", "every_table", "next_deposit")
ADDED = (
    "asked_for", "fired", *SPREAD, "acknowledged", "lost", "doubled", "voided", "void_records", "hands", "seconds",
    "problems",
)  # fmt: skip


def merged(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each fault, in the order of first meeting: several runs of it are one."""
    by_fault: dict[str, dict[str, Any]] = {}
    for line in lines:
        known = by_fault.setdefault(line["fault"], line)
        if known is line:
            continue
        known.update({name: known[name] + line[name] for name in ADDED})
        known["ledger_sum"] = max(known["ledger_sum"], line["ledger_sum"])
        known["checks"] |= {name: said for name, said in line["checks"].items() if known["checks"].get(name) == "ok"}
        known["notes"] = {
            what: known["notes"].get(what, 0) + line["notes"].get(what, 0) for what in {*known["notes"], *line["notes"]}
        }
    for known in by_fault.values():
        known["spread"] = {name: spread(known[name]) for name in SPREAD}
    return list(by_fault.values())


def spread(seconds: list[float]) -> dict[str, float]:
    return {name: round(percentile(seconds, share), 2) for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))}


def row(line: dict[str, Any]) -> list[str]:
    spread = line["spread"]
    times = [_times(spread[name]) for name in SPREAD]
    name = line["fault"] + (" (from its mending)" if line["counted_from"] == "mended" else "")
    return [
        name, f"{line['fired']}/{line['asked_for']}", *times, f"{line['acknowledged']:,}", str(line["lost"]),
        str(line["doubled"]), str(line["voided"]), str(line["ledger_sum"]), _checks(line),
    ]  # fmt: skip


def _times(spread: dict[str, float]) -> str:
    return f"{spread['p50']:.2f} / {spread['p99']:.2f} / {spread['max']:.2f}"


def _checks(line: dict[str, Any]) -> str:
    said = set(line["checks"].values())
    if line["problems"]:
        return "; ".join(line["problems"])[:120]
    return "ok" if said == {"ok"} else "; ".join(sorted(said - {"ok"})) or "not reached"


def show(lines: Sequence[dict[str, Any]], console: Console) -> None:
    grid = Table(*HEAD)
    for line in lines:
        grid.add_row(*row(line))
    console.print(grid)


def markdown(lines: Sequence[dict[str, Any]]) -> str:
    rows = [HEAD, ("---",) * len(HEAD), *(row(line) for line in merged(lines))]
    return "\n".join("| " + " | ".join(each) + " |" for each in rows)


if __name__ == "__main__":
    print(markdown([json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]))
