"""Fair shares: token buckets by name, so that nobody's requests or bytes crowd out everybody else's."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, NamedTuple

from pydantic import Field

from libs.contracts.commands import AnyReason
from libs.edge import metrics
from libs.edge.problems import Problem

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
    _held: OrderedDict[object, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)
    """Name to what is left in its bucket, and when that was."""

    def take(self, name: str, **told: str) -> None:
        """One of the share; `Problem` 429, with what else is told, that says when there is one again. What is refused
        costs nothing."""
        left = self._left(name)
        self._keep(name, left if left < 1 else left - 1)
        if left < 1:
            metrics.TOO_MANY.labels(self.kind).inc()
            raise _too_many((1 - left) / self.share.per_second, told)

    def spend(self, name: object, amount: float) -> float:
        """Takes `amount`, also more than is left, for it is spent already; seconds to wait before more is taken.

        Nobody owes more than can be had at once: who has many connections waits no longer than who has one.
        """
        left = max(self._left(name) - amount, -self.share.at_once)
        self._keep(name, left)
        return max(0.0, -left / self.share.per_second)

    def give_back(self, name: str) -> None:
        """One that was taken and not needed."""
        self._keep(name, self._left(name) + 1)

    def forget(self, name: object) -> None:
        """It is gone; under the same name another one begins full."""
        self._held.pop(name, None)

    def is_full(self, name: str, but: float = 0.0) -> bool:
        """Whether all that was taken is there again, but for so many."""
        left, at = self._held.get(name, (self.share.at_once, 0.0))
        return left + (self.clock() - at) * self.share.per_second >= self.share.at_once - but

    def _left(self, name: object) -> float:
        now = self.clock()
        left, at = self._held.pop(name, (self.share.at_once, now))
        self._held[name] = left, now
        return min(self.share.at_once, left + (now - at) * self.share.per_second)

    def _keep(self, name: object, left: float) -> None:
        self._held[name] = left, self._held[name][1]
        if len(self._held) > MAX_NAMES:
            self._held.popitem(last=False)


def _too_many(seconds: float, told: Mapping[str, str]) -> Problem:
    return Problem(
        429,
        "too-many-requests",
        "More than a fair share; repeat a little later with the same key.",
        headers={"retry-after": str(ceil(seconds))},
        retry_after=ceil(seconds),
        reason=AnyReason.TOO_MANY_REQUESTS,
        **told,
    )
