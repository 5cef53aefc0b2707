"""The live picture of a running demo, and its plain lines where there is no terminal."""

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from services.cli.demo.statistics import Statistics, percentile
from services.cli.demo.tables import DemoTable

_RECENT = 2_000


def picture(statistics: Statistics, tables: Iterable[DemoTable], goal: int) -> RenderableType:
    """Hands per table on top, the figures of the house below."""
    return Group(
        ProgressBar(total=goal, completed=min(goal, statistics.total_hands), width=72),
        _tables(statistics, tables),
        _figures(statistics),
        _kill(statistics),
    )


def line(statistics: Statistics, goal: int) -> str:
    """One line for a log: what `picture` shows, in short."""
    recent = statistics.seconds[-_RECENT:]
    return (
        f"{statistics.elapsed_s:5.0f} s  hands {statistics.total_hands}/{goal}  rounds {statistics.rounds.total()}"
        f"  acts {statistics.acts}"
        f"  p50 {percentile(recent, 0.5) * 1000:.1f} ms  p99 {percentile(recent, 0.99) * 1000:.1f} ms"
        f"  lag {_or_dash(statistics.lag)}  ledger sum {_or_dash(statistics.ledger_sum)}"
    )


def grid(title: str, words: str, figures: str, rows: Iterable[Iterable[str]]) -> Table:
    """A table with its columns of words to the left and its figures to the right; headings are split at commas."""
    made = Table(title=title, title_justify="left")
    for heading in words.split(", "):
        made.add_column(heading)
    for heading in figures.split(", "):
        made.add_column(heading, justify="right")
    for row in rows:
        made.add_row(*row)
    return made


def money(amount: int | None) -> str:
    """Minor units as people write them; no float comes near."""
    if amount is None:
        return "–"
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02d}"


def share(basis_points: int | None) -> str:
    """Basis points as people write them: `-1470` is `-14.70 %`."""
    return "–" if basis_points is None else f"{money(basis_points)} %"


def _tables(statistics: Statistics, tables: Iterable[DemoTable]) -> Table:
    rows = (
        (
            table.name,
            table.rulebook,
            table.configuration.get("structure", "against the house"),
            _taken(table.configuration),
            str(statistics.hands[table.table] or statistics.rounds[table.table]),
            f"#{statistics.running[table.table]}" if table.table in statistics.running else "–",
        )
        for table in tables
    )
    made = grid("", "table, rulebook, structure, rake", "hands, running", rows)
    made.box, made.padding = None, (0, 2)
    return made


def _taken(configuration: dict[str, Any]) -> str:
    """What the house takes, in words."""
    if "rake_bp" not in configuration:
        return str(configuration.get("commission_mode", "–"))
    return f"{configuration['rake_bp'] / 100:g} % of the {configuration.get('rake_mode', 'pot').replace('_', '-')}"


def _figures(statistics: Statistics) -> Table:
    recent = statistics.seconds[-_RECENT:]
    grid = Table.grid(padding=(0, 3))
    elapsed = max(statistics.elapsed_s, 0.001)
    grid.add_row(
        f"[b]{statistics.total_hands}[/b] hands, [b]{statistics.rounds.total()}[/b] rounds",
        f"[b]{statistics.acts / elapsed:.0f}[/b] acts/s",
        f"p50 [b]{percentile(recent, 0.5) * 1000:.1f}[/b] ms",
        f"p99 [b]{percentile(recent, 0.99) * 1000:.1f}[/b] ms",
        f"lag [b]{_or_dash(statistics.lag)}[/b] records",
        f"sum of the ledger [b]{_or_dash(statistics.ledger_sum)}[/b]",
        f"left {statistics.left}, back {statistics.returned}",
    )
    return grid


def _kill(statistics: Statistics) -> Text:
    kill = statistics.kill
    if kill is None:
        return Text("")
    back = f"next accepted act after {kill.back_after_s:.2f} s" if kill.back_after_s else "waiting for it to come back"
    return Text(
        f"table service killed (SIGKILL) with {len(kill.hands)} hands and rounds in progress: {back}; "
        f"{len(kill.finished)} of them finished, {len(kill.voided)} void",
        style="yellow",
    )


def _or_dash(value: int | None) -> str:
    return "–" if value is None else str(value)
