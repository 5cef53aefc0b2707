"""When a partition's owner lived, by its commits: whatever stream they are of, nobody else could have made them.

Signs of life are no record of the log (journal 12), so what a house stood through is its owner's word alone. Its
commits bound it: a standstill is none in which it went on deciding.
"""

from collections import deque
from dataclasses import dataclass, field

APART_MS = 10_000
"""Commits so close to each other are one stretch, in which nobody stood still for long."""
LASTS_MS = 15_000
"""A shorter stretch proves nothing: an owner that dies soon after it came back gives no sign (`libs/journal/signs.py`:
five seconds, and ten in which the log is silent), and the next one counts from the sign before it."""
SLACK_MS = 15_000
"""So much longer than what lies between two stretches a standstill may have been: signs come once a second, and none
while the log is silent."""
_MOST = 1_000
"""Stretches that are known of a partition; before the oldest nothing is."""


@dataclass(slots=True)
class Lived:
    """Of one partition. Milliseconds since the epoch, by the broker's clock, which no owner sets."""

    since: int | None = None
    """From when on all of it is known; None: nothing is."""
    _stretches: deque[tuple[int, int]] = field(default_factory=deque)
    """From when to when, in order; the last one may go on."""

    def commits(self, at: int) -> None:
        if self.since is None:
            self.since = at
        if self._stretches and at - self._stretches[-1][1] <= APART_MS:
            start, end = self._stretches.pop()
            self._stretches.append((start, max(end, at)))
            return
        if self._stretches and _lasts(self._stretches[-1]) < LASTS_MS:
            self._stretches.pop()
        self._stretches.append((at, at))
        if len(self._stretches) > _MOST:
            self._stretches.popleft()
            self.since = self._stretches[0][0]

    def longest_still(self, since: int, until: int) -> int | None:
        """The longest time between these two in which nothing proves that the owner lived; None: that is not known."""
        if self.since is None or self.since > since:
            return None
        longest = 0
        for start, end in self._stretches:
            if _lasts((start, end)) >= LASTS_MS and end > since and start < until:
                longest, since = max(longest, start - since), end
        return max(longest, until - since)


def _lasts(stretch: tuple[int, int]) -> int:
    return stretch[1] - stretch[0]
