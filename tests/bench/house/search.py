"""How many tables a machine carries: which measurements hold, and the most tables of those that did."""

from collections.abc import Iterable
from typing import Any

STEPS = [100, 200, 300, 400, 500, 600, 800, 1_000]
LATE_MS = 100.0
"""Bots of whom one act in a hundred is later than this are short of the processor: they no longer play at their pace,
and what they measure is themselves."""


class NothingHolds(RuntimeError):
    """Not even the fewest tables did; one sentence."""


def wrong_with(row: dict[str, Any], limit_ms: float) -> list[str]:
    """Why a stage does not hold; nothing for one that does."""
    found = []
    if row["answer_ms"]["p99"] > limit_ms:
        found.append(f"p99 {row['answer_ms']['p99']:.0f} ms is over {limit_ms:.0f}")
    if row["late_ms"]["p99"] > LATE_MS:
        found.append(f"the bots are late, p99 {row['late_ms']['p99']:.0f} ms")
    if row["behind"]:
        found.append(f"behind: {', '.join(row['behind'])}")
    if (gone := row["players"]["seated"] - row["players"]["playing"]) > 0:
        found.append(f"{gone} players have stopped")
    return found


def most_that_hold(rows: Iterable[dict[str, Any]], limit_ms: float) -> int:
    """Raises `NothingHolds`."""
    held = [row["tables"] for row in rows if not wrong_with(row, limit_ms)]
    if not held:
        raise NothingHolds("no number of tables holds: search among fewer, or allow more milliseconds")
    return max(held)
