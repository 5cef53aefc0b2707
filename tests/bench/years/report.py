"""What `make bench-years` says: each figure by size, how often the smaller size goes into it, and the goal."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

LEAST = {"s": 0.5, "ms": 5.0, "MB": 10.0, "B": 200.0}
"""Below it a figure is as good as still: what the clock and the machine do to it is more than history does."""


class Figure(NamedTuple):
    what: str
    unit: str
    values: Sequence[float]
    """By size."""
    goal: float | None
    """At most so many times the figure of the size before, for ten times the events."""

    def ratio(self, at: int) -> float:
        return round(self.values[at] / max(self.values[at - 1], 1e-9), 2)

    def good(self, at: int) -> bool:
        if self.goal is None:
            return True
        return self.ratio(at) <= self.goal or self.values[at] < LEAST[self.unit]


def figures(stages: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """In the order of the table."""

    def row(what: str, unit: str, goal: float | None, *path: str) -> Figure | None:
        values: list[float] = []
        for each in stages:
            for name in path:
                each = each.get(name, {}) if isinstance(each, dict) else {}
            if not isinstance(each, int | float):
                return None
            values.append(float(each))
        return Figure(what, unit, values, goal)

    grown = stages[-1]["events"] / stages[-2]["events"] if len(stages) > 1 else 1.0
    found = [row("history is made", "s", None, "made_s"), row("read models are made", "s", None, "took_in_s")]
    for name in stages[0].get("start", {}):
        found += [
            row(f"{name} starts", "s", 1.2, "start", name, "seconds"),
            row(f"{name} starts, CPU", "s", 1.2, "start", name, "cpu_s"),
            row(f"{name} is resident", "MB", 1.2, "start", name, "resident_mb"),
        ]
    for name in stages[0].get("live", {}).get("bytes_per_act", {}):
        found.append(row(f"{name}, an act", "B", 1.1, "live", "bytes_per_act", name))
    for name in stages[0].get("live", {}).get("resident_mb", {}):
        found.append(row(f"{name} is resident after play", "MB", 1.2, "live", "resident_mb", name))
    for name in ("topics", "tables", "archive"):
        sizes = [sum(each.get("stored", {}).get(name, {}).values()) / each["events"] for each in stages]
        found.append(Figure(f"{name} on disk, an event", "B", sizes, 1.1) if all(sizes) else None)
    for name in stages[0].get("answers", {}):
        found.append(row(f"{name}, p99", "ms", 1.5, "answers", name, "p99_ms"))
    for name in stages[0].get("tools", {}):
        found += [
            row(f"{name}, CPU", "s", grown, "tools", name, "cpu_s"),
            row(f"{name}, wall", "s", None, "tools", name, "seconds"),
            row(f"{name}, peak memory", "MB", 1.1, "tools", name, "peak_mb"),
        ]
    yield from (each for each in found if each is not None)


def show(report: dict[str, Any], console: Console) -> None:
    stages = report["stages"]
    table = Table(box=None)
    table.add_column("of a house with so many public events")
    for each in stages:
        table.add_column(f"{each['events']:,}", justify="right")
    for at in range(1, len(stages)):
        table.add_column(f"{stages[at]['events'] / stages[at - 1]['events']:.0f} times the events", justify="right")
    table.add_column("goal", justify="right")
    missed = 0
    for each in figures(stages):
        good = all(each.good(at) for at in range(1, len(stages)))
        missed += not good
        ratios = [f"{each.ratio(at):.2f}" for at in range(1, len(stages))]
        goal = f"≤ {each.goal:.1f}" if each.goal is not None else ""
        values = [f"{value:,.1f} {each.unit}" for value in each.values]
        table.add_row(each.what, *values, *ratios, goal if good else f"{goal} missed", style="" if good else "red")
    console.print(table)
    for each in stages:
        counts = f"{each['hands']:,} hands at {each['tables']:,} tables, {each['players']:,} accounts"
        console.print(
            f"{each['events']:,} events: {counts}"
            + "".join(
                f"; {tool} ended with status {f['exit']}" for tool, f in each.get("tools", {}).items() if f["exit"]
            )
            + "".join(f"; {q}: {f['status']}" for q, f in each.get("answers", {}).items() if f["status"] != 200),
            highlight=False,
        )
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()), highlight=False)
    console.print(
        f"{missed} goals missed" if len(stages) > 1 else "one size alone: nothing to compare", highlight=False
    )
