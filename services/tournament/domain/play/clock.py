"""Levels, breaks, pauses and windows on the tournament's own clock (pt-810-2015 23, 45, 46, 52, FP-10, FP-14).

A *position* is what the clock shows: milliseconds of levels and breaks since the start. It stands still in a pause and
in a fault, and everything published for later comes so much later. Positions decide; moments are only told.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import msgspec

EMPTY: Mapping[int, int] = {}


class Schedule:
    """Milliseconds of each level, the first one first, the last one going on without end (46); and of the break after a
    level, by its number: none after the last one."""

    __slots__ = ("_breaks", "_ends", "_starts")

    def __init__(self, levels: Sequence[int], breaks: Mapping[int, int] = EMPTY) -> None:
        self._breaks = breaks
        self._starts, self._ends = [0], list[int]()
        for level, lasts in enumerate(levels, start=1):
            self._ends.append(self._starts[-1] + lasts)
            self._starts.append(self._ends[-1] + breaks.get(level, 0))
        self._starts.pop()

    def starts(self, level: int) -> int:
        """Position at which the level begins, after the break before it."""
        return self._starts[level - 1]

    def ends(self, level: int) -> int:
        """Position at which the level ends, before a break. Of the last level: when its own time is over."""
        return self._ends[level - 1]

    def level_at(self, position: int) -> int:
        """In a break it is the level before: its hands are finished with its blinds."""
        return max(1, bisect_right(self._starts, position))

    def in_break(self, position: int) -> bool:
        level = self.level_at(position)
        return level < len(self._ends) and position >= self.ends(level)

    def next_change(self, position: int) -> int | None:
        """The next position at which a level ends or a break does; None in the last level."""
        level = self.level_at(position)
        if level == len(self._ends):
            return None
        return self.ends(level) if position < self.ends(level) else self.starts(level + 1)

    def after_playing(self, played: int) -> int:
        """Position at which so many milliseconds have been played; breaks do not count (reading of FP-14)."""
        position = played
        for level, lasts in sorted(self._breaks.items()):
            position += lasts if self.ends(level) < position else 0
        return position


class Clock(msgspec.Struct, frozen=True):
    """Moments are milliseconds since the epoch."""

    started: int
    lost: int = 0
    """Milliseconds of all pauses that are over, and of what the director took from the clock or gave to it."""
    stopped: int | None = None
    """Since when it stands still."""

    def position(self, now: int) -> int:
        return (now if self.stopped is None else self.stopped) - self.started - self.lost

    def moment(self, position: int) -> int | None:
        """When the clock shows it, unless it is stopped once more; None while it stands."""
        return self.started + self.lost + position if self.stopped is None else None

    def stood(self, now: int) -> int:
        """Milliseconds, until now."""
        return 0 if self.stopped is None else now - self.stopped

    def running(self, since: int) -> "Clock":
        """As if it had not stood from then on: what began then, and a pause may not put off, goes by this."""
        return self if self.stopped is None else self.resume(max(self.stopped, since))

    def pause(self, now: int) -> "Clock":
        return msgspec.structs.replace(self, stopped=now)

    def resume(self, now: int) -> "Clock":
        assert self.stopped is not None, "it stands still"
        return msgspec.structs.replace(self, lost=self.lost + now - self.stopped, stopped=None)

    def adjust(self, ms: int) -> "Clock":
        """Forward by so much; backward below zero."""
        return msgspec.structs.replace(self, lost=self.lost - ms)


class Window(msgspec.Struct, frozen=True):
    """Of positions: the opening instant is inside, the closing one is not (reading of 23)."""

    opens: int
    closes: int

    def holds(self, position: int) -> bool:
        return self.opens <= position < self.closes


def during_break(schedule: Schedule, level: int) -> Window:
    """The break after this level, for add-ons (FP-3)."""
    return Window(schedule.ends(level), schedule.starts(level + 1))


def rebuy_deadline(clock: Clock, bust: int, position: int, allowed: int, windows: Sequence[Window]) -> int | None:
    """Until when who lost the last chip may buy chips: `allowed` milliseconds, but no longer than the windows (23).

    `bust`, `position`: of the end of that hand. None: no window is open, so there is nothing to wait for (44). An
    add-on's window saves as well; one that follows a rebuy's at once goes on from it (reading of 31).
    """
    closes = position
    for window in sorted(windows, key=lambda each: each.opens):
        if window.holds(closes):
            closes = window.closes
    if closes == position:
        return None
    moment = clock.moment(closes)
    return bust + allowed if moment is None else min(bust + allowed, moment)
