"""Levels, breaks, pauses and windows on the tournament's own clock (pt-810-2015 23, 45, 46, 52, FP-10, FP-14).

A *position* is what the clock shows: milliseconds of levels and breaks since the start. It stands still in a pause and
in a fault, and everything published for later comes so much later. Positions decide; moments are only told.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import msgspec


class Schedule(msgspec.Struct, frozen=True):
    levels: Sequence[int]
    """Milliseconds of each level, the first one first; the last one goes on without end (46)."""
    breaks: Mapping[int, int] = {}
    """Milliseconds of the break after a level, by its number; none after the last one."""

    def starts(self, level: int) -> int:
        """Position at which the level begins, after the break before it."""
        return self.ends(level - 1) + self.breaks.get(level - 1, 0) if level > 1 else 0

    def ends(self, level: int) -> int:
        """Position at which the level ends, before a break. Of the last level: when its own time is over."""
        return sum(self.levels[:level]) + sum(ms for after, ms in self.breaks.items() if after < level)

    def level_at(self, position: int) -> int:
        """In a break it is the level before: its hands are finished with its blinds."""
        last = len(self.levels)
        return next((level for level in range(1, last) if position < self.starts(level + 1)), last)

    def in_break(self, position: int) -> bool:
        level = self.level_at(position)
        return level < len(self.levels) and position >= self.ends(level)

    def next_change(self, position: int) -> int | None:
        """The next position at which a level ends or a break does; None in the last level."""
        last = len(self.levels)
        changes = (at for level in range(1, last) for at in (self.ends(level), self.starts(level + 1)))
        return next((at for at in changes if at > position), None)

    def after_playing(self, played: int) -> int:
        """Position at which so many milliseconds have been played; breaks do not count (reading of FP-14)."""
        ends = list(accumulate(self.levels))
        return played + sum(ms for after, ms in self.breaks.items() if ends[after - 1] < played)


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


def until_level(schedule: Schedule, level: int) -> Window:
    """From the start to the end of this level (23, FP-10)."""
    return Window(0, schedule.ends(level))


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
