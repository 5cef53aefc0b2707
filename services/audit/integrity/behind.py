"""What a search leaves for the next ones of its day: the days before yesterday, which as a rule no hand comes to.

The first search of a day (UTC) goes through the whole window. Those after it read what has come since yesterday, and go
through the pairs of that alone, with all that is theirs in the window: what is of no such pair has not changed, and was
judged. What is asked of many, and of few, is asked of all each time. Where a hand of a day before yesterday comes late,
that search goes through the whole window, too.
"""

import asyncio
from contextlib import ExitStack

from libs.projecting import Pool
from libs.projecting.row_marks import Marks
from services.audit.integrity.kept_sums import Dealt, Read, Tell, dealt_since, forget, how_many, read_days
from services.audit.integrity.many_to_one import Summed, summed
from services.audit.integrity.month import Month


class Behind:
    """Files without a name, and totals of all players in memory, until the day ends or a search fails."""

    def __init__(self) -> None:
        self._window: tuple[int, int] | None = None
        self._month: Month | None = None
        self._summed: Summed | None = None
        self._last: dict[str, int] = {}
        """The number of each table's last hand, as it was listed; and of its last one on the days before:"""
        self._reach: dict[str, int] = {}

    async def read(self, pool: Pool, first_day: int, today: int, tell: Tell, marks: Marks | None = None) -> Month:
        """What there is to search, as of `today` (days since the epoch). Whoever asks closes it before the next one."""
        since = max(first_day, today - 1)
        if self._month is not None and self._window == (first_day, since):
            month = await self._part(pool, self._month, first_day, since, tell, marks)
            if month is not None:
                return month
        return await self._whole(pool, first_day, since, tell, marks)

    async def _part(
        self, pool: Pool, before: Month, first_day: int, since: int, tell: Tell, marks: Marks | None
    ) -> Month | None:
        """None where a hand has come late."""
        month, late = Month(before=before, since=since, whole=False), False

        def add(read: Read) -> None:
            nonlocal late
            late |= read.counted < since or self._reach.get(read.table, -1) != _reach(read, since)
            month.add(read.table, read.sums())

        try:
            await asyncio.to_thread(month.take_over, before)
            await read_days(pool, await self._moved(pool, first_day, since, marks), first_day, since, add, tell, marks)
        except BaseException:
            month.close()
            raise
        if late:
            month.close()
            return None
        return month

    async def _moved(self, pool: Pool, first_day: int, since: int, marks: Marks | None) -> list[Dealt]:
        """Tables that have dealt since then, and those of which more is there than was: of days before."""
        found = await dealt_since(pool, since, marks)
        known = {each.table for each in found}
        listed = await dealt_since(pool, first_day, marks) if since > first_day else []
        return found + [each for each in listed if each.table not in known and each.last != self._last.get(each.table)]

    async def _whole(self, pool: Pool, first_day: int, since: int, tell: Tell, marks: Marks | None) -> Month:
        self.close()
        await forget(pool, first_day)
        tables = await dealt_since(pool, first_day, marks)
        before = Month(how_many(tables))
        month = Month(before=before, since=since)
        reach: dict[str, int] = {}

        def add(read: Read) -> None:
            days = read.sums()
            before.add(read.table, [(day, sums) for day, sums in days if day < since])
            month.add(read.table, days)
            if (number := _reach(read, since)) >= 0:
                reach[read.table] = number

        try:
            await read_days(pool, tables, first_day, first_day, add, tell, marks)
            await asyncio.to_thread(month.take_over, before)
        except BaseException:
            month.close()
            before.close()
            raise
        before.judge_stacks_as(month)
        self._window, self._month = (first_day, since), before
        self._last, self._reach = {each.table: each.last for each in tables}, reach
        return month

    def summed(self) -> Summed:
        """What everybody won and lost on the days before; it is made where it is asked for first."""
        month, window, found = self._month, self._window, self._summed
        assert month is not None
        assert window is not None
        if found is None:
            found = summed(month, window[1])
            if self._month is month:
                self._summed = found
            else:  # closed meanwhile
                found.close()
        return found

    def close(self) -> None:
        """ValueError for whoever goes through it."""
        open_ = [each for each in (self._summed, self._month) if each is not None]
        self._window = self._month = self._summed = None
        with ExitStack() as closing:
            for each in open_:
                closing.callback(each.close)


def _reach(read: Read, since: int) -> int:
    """The number of the last hand before that day; -1: there is none."""
    return max((day.last for day in read.days if day.day < since), default=-1)
