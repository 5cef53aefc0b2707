"""Two sides measured turn about, and what their ratios come to."""

import gc
import statistics
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

Side = Callable[[], Awaitable[float]]
Tick = Callable[[], None]


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": round(min(values), 3), "median": round(statistics.median(values), 3), "max": round(max(values), 3)}


async def paired(ours: Side, theirs: Side, pairs: int, tick: Tick) -> tuple[list[float], list[float]]:
    """Each side `pairs` times, who begins changing every time, so that what else runs weighs on both alike."""
    mine: list[float] = []
    others: list[float] = []
    for number in range(pairs):
        sides = [(ours, mine), (theirs, others)]
        for side, into in sides if number % 2 == 0 else sides[::-1]:
            gc.collect()
            gc.freeze()  # what the bench itself holds is not gone through while a side is measured
            into.append(await side())
        tick()
    return mine, others


def ratio(
    name: str, unit: str, mine: Sequence[float], others: Sequence[float], against: str, goal: str
) -> dict[str, Any]:
    """One row of the report: both sides, and the ratio of each pair."""
    return {
        "what": name,
        "unit": unit,
        "ours": spread(mine),
        "against": against,
        "theirs": spread(others),
        "ratio": spread([a / b for a, b in zip(mine, others, strict=True)]),
        "goal": goal,
    }


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
