"""What `make bench-house` says: what an act costs, how long it takes, what it writes, and whether all kept up."""

from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from tests.bench.house.search import wrong_with

SERVICES = ("table", "gateway", "wallet", "audit")
BESIDE = ("bots", "Kafka", "PostgreSQL")


def show(report: dict[str, Any], console: Console) -> None:
    idle, stages, chains = report["idle"], report["stages"], report["chains"]
    names = [each["stage"] for each in stages]
    beside = [f"raw chain {name}" for name in names]
    grid = Grid("CPU, ms an accepted act", *names, *beside, "idle, % of a core")
    grid.add_row(
        "all services", *(f"{each['all_services_ms_per_act']:.2f}" for each in stages),
        *(f"{each['both_ms_per_act']:.2f}" for each in chains), f"{sum(idle[name] for name in SERVICES):.1f}",
        style="bold",
    )  # fmt: skip
    for name in (*SERVICES, *BESIDE):
        costs = [f"{each['cpu_ms_per_act'][name]:.2f}" for each in stages]
        costs += [f"{each['cpu_ms_per_act'][name]:.2f}" if name == "Kafka" else "" for each in chains]
        grid.add_row(name, *costs, f"{idle[name]:.1f}" if name in idle else "")
    console.print(grid)
    grid = Grid("milliseconds, p50 / p99", *names, *beside)
    for what, key in (("act to answer", "answer_ms"), ("act to everybody's next view", "everybodys_view_ms")):
        grid.add_row(what, *(f"{each[key]['p50']:.1f} / {each[key]['p99']:.1f}" for each in (*stages, *chains)))
    grid.add_row("acts a second", *(f"{each['acts_per_s']:.1f}" for each in stages))
    grid.add_row("acts measured", *(f"{each['acts']:,}" for each in (*stages, *chains)))
    late = [each["late_ms"] for each in stages]
    grid.add_row("bots were late with an act", *(f"{each['p50']:.1f} / {each['p99']:.1f}" for each in late))
    grid.add_row("connections", *(f"{each['connections']:,}" for each in stages))
    console.print(grid)
    grid = Grid("bytes an accepted act", *names)
    for name in sorted({name for each in stages for name in each["bytes_per_act"]}):
        grid.add_row(name, *(f"{each['bytes_per_act'].get(name, 0):,.0f}" for each in stages))
    console.print(grid)
    for each in report["tried"]:
        console.print(f"searched: {_said(each, report['limit_ms'])}", highlight=False)
    for each in stages:
        console.print(_said(each, report["limit_ms"]), highlight=False)
    console.print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    console.print(report["command"])


def _said(row: dict[str, Any], limit_ms: float) -> str:
    players, refused = row["players"], ", ".join(f"{why} {count:,}" for why, count in sorted(row["refused"].items()))
    lags = ", ".join(f"{name} {records:,}" for name, records in row["lags"].items() if records)
    wrong, p99 = "; ".join(wrong_with(row, limit_ms)), row["answer_ms"]["p99"]
    return (
        f"{row['stage']}, {row['seconds']:.0f} s: {row['acts_per_s']:.1f} acts/s; p99 {p99:.1f} ms; "
        f"{players['playing']:,} of {players['seated']:,} players play, {players['resyncs']:,} fresh views; "
        f"refused: {refused or 'nothing'}; records behind at the end: {lags or 'none'}; "
        f"{'HOLDS NOT: ' + wrong if wrong else 'nothing is behind'}"
    )
