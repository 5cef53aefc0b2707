"""The sums of days at tables, kept in the database (`hand_sums`): each hand is read once, when it is over.

How far a table's hands are in them is said by the rows themselves: each names the first and the last number that it is
of, and the next one goes on there. So nothing else needs to be told that a hand is over, and no hand is counted twice
or left out, whoever ends in between. What is not there, or not as the auditor wrote it, is made anew of the hands, and
what was there before is told: nobody hides hands by what he takes away or puts there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from libs.projecting import Connection, Pool
from libs.projecting.row_marks import Marks
from libs.views.hand import Hand
from services.audit.integrity.acts import PRIVATE_CARDS, played_hand, played_round
from services.audit.integrity.sums import FORM, Of, Sums, decode_sums, encode_sums
from services.audit.marked_rows import mark_row, why_not_row
from services.audit.projections.histories import RECORDS
from services.audit.projections.record_marks import MARKED, WrittenByHand, true_record
from services.audit.verifying.findings import Finding, Kind

DAY_MS = 86_400_000
_COLUMNS = ("table_id", "day", "form", "first", "last", "sums")
_AT_ONCE = 10
"""Tables, of which all days of the window are read at once: some ten megabytes, where they never rest."""
_PAGE = 500
"""Hands that one transaction counts."""
_TABLES = """with recursive tables (table_id) as (
      (select table_id from histories where started_at >= $1 and table_id > $2 order by table_id limit 1)
      union all
      select (select h.table_id from histories h where h.started_at >= $1 and h.table_id > t.table_id
               order by h.table_id limit 1)
        from tables t where t.table_id is not null)
    select t.table_id, last.number, last.kind, last.game, last.started_at,
           last.game = 'hand' or exists (select from openings o
              where o.table_id = t.table_id and o.state::jsonb->>'game' = any($3)) as private
      from tables t cross join lateral (select number, kind, game, started_at from histories h
              where h.table_id = t.table_id and h.started_at >= $1 order by number desc limit 1) last
     limit $4"""
"""Those that dealt in the months of the window: by a step into an index for each, whatever they dealt."""
_LISTED = 500
"""Tables that one statement lists."""
_LAST = f"""select h.* from unnest($1::text[]) as t (table_id) cross join lateral (select {MARKED} from histories h
              where h.table_id = t.table_id and h.started_at >= $2 order by number desc limit 1) h"""
_KEPT = f"""select h.* from unnest($1::text[]) as t (table_id) cross join lateral (
               select {", ".join(_COLUMNS)}, mark from hand_sums where table_id = t.table_id and day >= coalesce(
                  (select max(day) from hand_sums where table_id = t.table_id and day >= $2 and day < $3), $3)) h
             order by table_id, day"""
"""Those of $3 and later, and of each table the last one before it, from $2 on."""
_BEFORE = """select t.table_id, (select h.started_at from histories h
                      where h.table_id = t.table_id and h.number < t.first and h.started_at >= $3
                      order by h.number desc limit 1) as started_at
               from unnest($1::text[], $2::bigint[]) as t (table_id, first)"""
"""When the last hand before these was."""
_HANDS = f"""select {MARKED} from histories
              where table_id = $1 and number >= $2 and number < $3 and started_at >= $4 order by number limit {_PAGE}"""
_KEEP = """insert into hand_sums as kept (table_id, day, form, first, last, sums, mark)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (table_id, day) do update set form = excluded.form, first = excluded.first,
              last = excluded.last, sums = excluded.sums, mark = excluded.mark where kept.mark = $8 returning true"""
_FORGET = "delete from hand_sums where day < $1"
_NO_END = 2**63 - 1
Tell = Callable[[list[Finding]], Awaitable[None]]


class Overtaken(Exception):
    """Another process has counted hands of this table meanwhile."""


class Day(msgspec.Struct):
    """A row: of a table on a day, of the hands numbered from `first` to `last`."""

    day: int
    first: int
    last: int
    sums: Sums
    there: bytes | None = None
    """The mark of what stands in its place, as it was read; None: nothing does."""


class Read(NamedTuple):
    """A table, and its days, in order."""

    table: str
    days: list[Day]
    counted: int
    """The earliest day to which hands were counted just now; `NONE`: to none."""

    def sums(self) -> list[tuple[int, Sums]]:
        return [(day.day, day.sums) for day in self.days]


NONE = 2**31 - 1
Add = Callable[[Read], None]


class _Found(NamedTuple):
    """What is there of a table: days that the auditor has written, the marks of all rows by day, and what is told of
    the other rows."""

    days: list[Day]
    there: dict[int, bytes]
    amiss: list[Finding]
    others: bool = False
    """There are days of another form."""
    earlier: bool = False
    """In the window there are hands before the first of these days."""

    @property
    def doubtful(self) -> bool:
        """Whether a part of the window may not be enough to go on from."""
        return not self.days or bool(self.amiss) or self.others or self.earlier


class Dealt(NamedTuple):
    """A table, and the number of its last hand or round."""

    table: str
    last: int
    of: Of


class _Gap(NamedTuple):
    """Numbers that are in no row: from `first` to below `end`. They go on `behind` that day."""

    behind: Day | None
    first: int
    end: int


def how_many(tables: Iterable[Dealt]) -> int:
    """Of those that say what went between whom."""
    return sum(each.of == "hands" for each in tables)


async def forget(pool: Pool, first_day: int) -> None:
    """What is before the window. Not the day that has just left: another process, round midnight, would miss it."""
    await pool.execute(_FORGET, first_day - 1)


async def read_days(
    pool: Pool, tables: Sequence[Dealt], first_day: int, from_day: int, add: Add, tell: Tell, marks: Marks | None = None
) -> None:
    """Gives the days of each table to `add`, in a thread, in order: those from `from_day` on, and perhaps some before.

    What was not counted yet is counted; where something is not as it was kept, of the whole window from `first_day` on.
    """
    for start in range(0, len(tables), _AT_ONCE):
        page = tables[start : start + _AT_ONCE]
        found = await _found(pool, [each.table for each in page], first_day, from_day, marks)
        if from_day > first_day:
            doubtful = [each.table for each in page if found[each.table].doubtful]
            found |= await _found(pool, doubtful, first_day, first_day, marks)
        read = [await _whole(pool, each, found[each.table], first_day, tell, marks) for each in page]
        await asyncio.to_thread(_add_all, add, read)


def _add_all(add: Add, read: Iterable[Read]) -> None:
    for each in read:
        add(each)


async def dealt_since(pool: Pool, first_day: int, marks: Marks | None) -> list[Dealt]:
    """Play money tells nothing of interest, nor do rounds in which all cards are open: their tables are passed over, as
    are those that have not dealt since `first_day`, by the last hand of each, if the auditor wrote that."""
    found, after, since = list[Dealt](), "", _month_began(first_day)
    while True:
        async with pool.acquire() as connection:
            rows = await connection.fetch(_TABLES, since, after, list(PRIVATE_CARDS), _LISTED)
            over = [row["table_id"] for row in rows if not _is_of_interest(row, first_day)]
            last = await connection.fetch(_LAST, over, since)
        passed_over = await asyncio.to_thread(_passed_over, last, first_day, marks)
        found += (Dealt(row["table_id"], row["number"], _of(row)) for row in rows if row["table_id"] not in passed_over)
        if len(rows) < _LISTED:
            return found
        after = rows[-1]["table_id"]


def _is_of_interest(row: Any, first_day: int) -> bool:
    return bool(row["private"]) and _counts(row) and row["started_at"] >= first_day * DAY_MS


def _counts(row: Any) -> bool:
    return (row["kind"], row["game"]) in (("real", "hand"), ("tournament", "hand"), ("real", "round"))


class _Game(msgspec.Struct):
    game: str = ""


def _passed_over(rows: Iterable[Any], first_day: int, marks: Marks | None) -> set[str]:
    """Tables of which these are the last hands: but for those of which somebody else wrote it."""
    found = set[str]()
    for row in rows:
        try:
            document = true_record(marks, row)
            of_round = row["game"] == "round" and msgspec.json.decode(document, type=_Game).game not in PRIVATE_CARDS
        except (WrittenByHand, msgspec.MsgspecError):
            continue
        if of_round or not _counts(row) or row["started_at"] < first_day * DAY_MS:
            found.add(row["table_id"])
    return found


def _of(row: Any) -> Of:
    if row["game"] == "round":
        return "rounds"
    return "tournament" if row["kind"] == "tournament" else "hands"


def _month_began(day: int) -> int:
    """Milliseconds: histories lie by month, and of a whole part no row is passed over."""
    if day < 0:
        return day * DAY_MS
    return int(datetime.fromtimestamp(day * DAY_MS / 1000, UTC).replace(day=1).timestamp() * 1000)


async def _found(
    pool: Pool, tables: Sequence[str], first_day: int, from_day: int, marks: Marks | None
) -> dict[str, _Found]:
    """What is there of these tables, from `from_day` on, and of the last day before it in the window."""
    async with pool.acquire() as connection:
        rows = await connection.fetch(_KEPT, tables, first_day, from_day)
        found = await asyncio.to_thread(_by_table, tables, rows, marks)
        # Of a row before `from_day` nothing is asked here: what is before that a search of the whole window holds.
        begin = {table: each.days[0] for table, each in found.items() if each.days}
        first = {table: day.first for table, day in begin.items() if day.day >= from_day}
        before = await connection.fetch(_BEFORE, list(first), list(first.values()), _month_began(first_day))
    since = first_day * DAY_MS
    for row in before:
        if row["started_at"] is not None and row["started_at"] >= since:
            found[row["table_id"]] = found[row["table_id"]]._replace(earlier=True)
    return found


def _by_table(tables: Iterable[str], rows: Iterable[Any], marks: Marks | None) -> dict[str, _Found]:
    theirs: dict[str, list[Any]] = {table: [] for table in tables}
    for row in rows:
        theirs[row["table_id"]].append(row)
    return {table: _true_days(of_one, marks) for table, of_one in theirs.items()}


async def _whole(pool: Pool, dealt: Dealt, found: _Found, first_day: int, tell: Tell, marks: Marks | None) -> Read:
    """The days of the table, after what was missing is counted."""
    days, amiss, counted = found.days, found.amiss, NONE
    gaps = list(_gaps(days, found.earlier, dealt.last))
    if not found.others:
        amiss = [*amiss, *(_gone(dealt.table, gap) for gap in gaps if gap.end != _NO_END)]
    if amiss:
        await tell(amiss)
    try:
        for gap in gaps:
            days, since = await _count(pool, dealt, gap, days, found.there, first_day * DAY_MS, marks)
            counted = min(counted, since)
    except Overtaken:
        days = (await _found(pool, [dealt.table], first_day, first_day, marks))[dealt.table].days
    return Read(dealt.table, days, counted)


def _true_days(rows: Sequence[Any], marks: Marks | None) -> _Found:
    found = _Found([], {row["day"]: row["mark"] for row in rows}, [])
    days = found.days
    for row in rows:
        why = why_not_row(marks, b"sums", tuple(row[name] for name in _COLUMNS), row["mark"])
        if why is not None:
            place = f"the sums of the table {row['table_id']} on day {row['day']}"
            said = f"{place} are not as the auditor wrote them, and count for nothing: {why}"
            found.amiss.append(Finding(Kind.EVIDENCE, "audit.hand_sums", said))
        elif row["form"] != FORM:
            found = found._replace(others=True)
        elif not days or row["first"] > days[-1].last:  # an older row that was put back is of what another one is of
            days.append(Day(row["day"], row["first"], row["last"], decode_sums(row["sums"]), row["mark"]))
    return found


def _gaps(days: Sequence[Day], earlier: bool, last: int) -> Iterator[_Gap]:
    """`earlier`: there are hands before the first day's; `last`: the number of the last one."""
    before: Day | None = None
    for day in days:
        first = 0 if before is None else before.last + 1
        if earlier if before is None else first < day.first:
            yield _Gap(before, first, day.first)
        before = day
    if before is None or before.last < last:
        yield _Gap(before, 0 if before is None else before.last + 1, _NO_END)


def _gone(table: str, gap: _Gap) -> Finding:
    numbers = f"{gap.first} to {gap.end - 1}" if gap.first else f"up to {gap.end - 1}"
    said = f"the sums of the hands {numbers} of the table {table} were gone, and are made anew of the hands"
    return Finding(Kind.EVIDENCE, "audit.hand_sums", said)


async def _count(
    pool: Pool, dealt: Dealt, gap: _Gap, days: Sequence[Day], there: dict[int, bytes], since: int, marks: Marks | None
) -> tuple[list[Day], int]:
    """The days, with the hands of the gap, and the earliest that they were counted to, or `NONE`. `there`: marks of
    what stands in rows that are none of `days`. Raises `Overtaken`."""
    kept, behind, number, counted = {day.day: day for day in days}, gap.behind, gap.first, NONE
    while True:
        async with pool.acquire() as connection:
            rows = await connection.fetch(_HANDS, dealt.table, number, gap.end, since)
        changed = await asyncio.to_thread(_fold, rows, behind, gap.first, marks)
        ended = len(rows) < _PAGE
        if ended and gap.end != _NO_END and (changed or behind is not None):
            changed = changed or [behind]  # type: ignore[list-item]
            changed[-1].last = gap.end - 1
        async with pool.acquire() as connection, connection.transaction():
            for day in changed:
                await _keep(connection, dealt.table, day, there, marks)
        kept |= {day.day: day for day in changed}
        counted = min((counted, *(day.day for day in changed)))
        if changed:
            behind = changed[-1]
        if ended:
            return [kept[day] for day in sorted(kept)], counted
        number = rows[-1]["number"] + 1


async def _keep(connection: Connection, table: str, day: Day, there: dict[int, bytes], marks: Marks | None) -> None:
    """Raises `Overtaken`."""
    row = (table, day.day, FORM, day.first, day.last, encode_sums(day.sums))
    mark = mark_row(marks, b"sums", row)
    if await connection.fetchval(_KEEP, *row, mark, day.there or there.get(day.day)) is None:
        raise Overtaken(table)
    day.there = mark


def _fold(rows: Iterable[Any], behind: Day | None, first: int, marks: Marks | None) -> list[Day]:
    """The days that the hands of `rows` are of, in order: the first of them goes on with `behind`, if it is of that
    day. One that runs yet is not counted, nor is what somebody else has written."""
    changed: list[Day] = []
    for row in rows:
        try:
            true_record(marks, row)
        except WrittenByHand:
            continue
        if row["outcome"] == "running":
            continue
        number, day = row["number"], row["started_at"] // DAY_MS
        if behind is not None and day <= behind.day:  # a clock that was set back makes no second row of a day
            if not changed:
                changed.append(behind)
        else:
            begins = first if behind is None else behind.last + 1
            behind = Day(day, begins, number, Sums(_of(row)))
            changed.append(behind)
        behind.last = number
        if row["outcome"] == "ended" and _counts(row):
            _add(behind.sums, row["record"])
    return changed


def _add(sums: Sums, document: str) -> None:
    try:
        record = RECORDS.decode(document)
    except msgspec.MsgspecError:
        return
    if isinstance(record, Hand):
        sums.add(played_hand(record))
    elif record.game in PRIVATE_CARDS:
        sums.add(played_round(record))
