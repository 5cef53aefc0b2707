"""What a search leaves for the next ones of its day: the days before yesterday, which no hand is added to any more.

The first search of a day (UTC) goes through the whole window. Those after it read what has come since yesterday, and go
through the pairs and players of that alone, with all that is theirs in the window: what is of nobody else has not
changed, and was judged. So an hour costs what two days hold, and the window once a day.
"""

from libs.projecting import Pool
from libs.projecting.row_marks import Marks
from services.audit.integrity.kept_sums import Tell, dealt_since, forget, how_many, read_days
from services.audit.integrity.many_to_one import Summed, summed
from services.audit.integrity.month import Month
from services.audit.integrity.sums import Sums


class Behind:
    """Files without a name, and totals of all players in memory, until the day ends or a search fails."""

    def __init__(self) -> None:
        self._window: tuple[int, int] | None = None
        self._month: Month | None = None
        self._summed: Summed | None = None

    async def read(self, pool: Pool, first_day: int, today: int, tell: Tell, marks: Marks | None = None) -> Month:
        """What there is to search, as of `today` (days since the epoch). Whoever asks closes it before the next one."""
        since = max(first_day, today - 1)
        if self._month is None or self._window != (first_day, since):
            return await self._whole(pool, first_day, since, tell, marks)
        month = Month(before=self._month, since=since, whole=False)
        month.take_over(self._month)
        try:
            await read_days(pool, await dealt_since(pool, since, marks), first_day, since, month.add, tell, marks)
        except BaseException:
            month.close()
            raise
        return month

    async def _whole(self, pool: Pool, first_day: int, since: int, tell: Tell, marks: Marks | None) -> Month:
        self.close()
        await forget(pool, first_day)
        tables = await dealt_since(pool, first_day, marks)
        before = Month(how_many(tables))
        month = Month(before=before, since=since)

        def add(table: str, days: list[tuple[int, Sums]]) -> None:
            before.add(table, [(day, sums) for day, sums in days if day < since])
            month.add(table, days)

        try:
            await read_days(pool, tables, first_day, first_day, add, tell, marks)
        except BaseException:
            month.close()
            before.close()
            raise
        month.take_over(before)
        self._window, self._month = (first_day, since), before
        return month

    def summed(self) -> Summed:
        """What everybody won and lost on the days before; it is made where it is asked for first."""
        assert self._month is not None
        assert self._window is not None
        if self._summed is None:
            self._summed = summed(self._month, self._window[1])
        return self._summed

    def close(self) -> None:
        """ValueError for whoever goes through it."""
        for each in (self._summed, self._month):
            if each is not None:
                each.close()
        self._window = self._month = self._summed = None
