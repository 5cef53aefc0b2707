"""Fair shares: token buckets by principal and by table, so that nobody's requests crowd out everybody else's."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, NamedTuple

from pydantic import Field

from libs.contracts.commands import AnyReason
from libs.edge.problems import Problem
from services.gateway import metrics

MAX_NAMES = 100_000
"""Buckets kept of one kind; beyond it the one that was longest not asked goes, and begins full again."""


class Share(NamedTuple):
    """So many in a second for ever, and so many at once."""

    per_second: Annotated[float, Field(gt=0)]
    at_once: Annotated[float, Field(ge=1)]


@dataclass(slots=True)
class Buckets:
    """One bucket for each name. `clock` gives seconds that never go back."""

    kind: str
    """As the metric has it."""
    share: Share
    clock: Callable[[], float]
    _held: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)
    """Name to what is left in its bucket, and when that was."""

    def take(self, name: str, **told: str) -> None:
        """One of the share; `Problem` 429, with what else is told, that says when there is one again. What is refused
        costs nothing."""
        now = self.clock()
        left, at = self._held.pop(name, (self.share.at_once, now))
        left = min(self.share.at_once, left + (now - at) * self.share.per_second)
        if left < 1:
            self._held[name] = left, now
            metrics.TOO_MANY.labels(self.kind).inc()
            raise _too_many((1 - left) / self.share.per_second, told)
        self._held[name] = left - 1, now
        if len(self._held) > MAX_NAMES:
            self._held.popitem(last=False)


def _too_many(seconds: float, told: Mapping[str, str]) -> Problem:
    return Problem(
        429,
        "too-many-requests",
        "More than a fair share; repeat a little later with the same key.",
        headers={"retry-after": str(ceil(seconds))},
        reason=AnyReason.TOO_MANY_REQUESTS,
        **told,
    )
