"""Histories: every hand and round as it goes on record, a running one as far as it has come (pt-811-2015 65).

A record is written as the document that is served. Only shown cards are in it, for no other card is in the events.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.edge.paging import Place
from libs.projecting import Connection, Told, make_months, month_of, write_rows
from libs.projecting.row_marks import Marks
from libs.views.records import Record, Records, fold_records
from services.audit.projections.record_marks import (
    MARKED,
    mark_history,
    mark_opening,
    true_opening,
    true_record,
)

TABLES = ("openings", "histories", "played")
"""What a rebuild compares, row by row."""
BY_MONTH = ("histories", "played", "journal_links")
"""Tables of the auditor that have a part for each month."""
Played = Literal["hand", "round"]
RECORDS: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)
_OPENINGS = msgspec.json.Decoder(Records)
_OPENED = "select table_id, state, mark_version, mark from openings where table_id = any($1)"
_LAST = f"""select h.* from unnest($1::text[]) as wanted (table_id) cross join lateral
             (select {MARKED} from histories h where h.table_id = wanted.table_id and h.started_at >= $2
               order by number desc limit 1) h"""
_RECENT_MS = 32 * 86_400_000
"""A table's last hand is looked for in the months that are so young, and only where there is none in all of them."""
_KEEP = """insert into openings (table_id, state, mark_version, mark) values ($1, $2, $3, $4) on conflict (table_id)
           do update set state = excluded.state, mark_version = excluded.mark_version, mark = excluded.mark"""
_WRITE = f"""insert into histories ({MARKED}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             on conflict (table_id, number, started_at)
             do update set outcome = excluded.outcome, players = excluded.players, record = excluded.record,
                           mark_version = excluded.mark_version, mark = excluded.mark"""
_PLAYED = "insert into played values ($1, $2, $3, $4, $5) on conflict do nothing"
_WITH_ITS_RECORD = f"""cross join lateral (
    select {MARKED} from histories h
     where h.table_id = p.table_id collate "default" and h.number = p.number and h.started_at = p.started_at
       and h.players @> array[p.player] {{which}} offset 0) h"""
"""Row by row, and no more rows than are shown: joined freely, PostgreSQL may read all histories for a page."""


class Histories:
    """The projection. It keeps nothing between batches; an event that is in the record already changes nothing."""

    name = "histories"

    def __init__(self, marks: Marks | None = None) -> None:
        """`marks`: none for histories that nobody is shown. A table whose rows are not ours is not gone on with."""
        self._marks = marks

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        told = [(event, fact) for event, fact in facts if isinstance(fact, TableEvent)]
        began = min((event.time for event, _ in told), default=0)
        tables = await self._load(connection, {event.stream for event, _ in told}, began - _RECENT_MS)
        loaded = dict(tables)
        written: dict[tuple[str, int], Record] = {}
        played: dict[tuple[str, str, int], tuple[object, ...]] = {}
        for event, fact in told:
            before = tables[event.stream]
            if before.record is not None and event.version <= before.record.version:
                continue
            after = tables[event.stream] = fold_records(before, fact, event.version)
            if after.record is not None and after.record is not before.record:
                record = written[event.stream, after.record.number] = after.record
                for player in _new_in(record, before.record):
                    where = (record.started_at, record.table, record.number)
                    played[player, record.table, record.number] = (player, record.__struct_config__.tag, *where)
        last = {event.stream: event.version for event, _ in told}
        changed = [table for table, before in loaded.items() if _opening(before) != _opening(tables[table])]
        await write_rows(connection, _KEEP, [self._opened(tables[table], table, last[table]) for table in changed])
        for table in ("histories", "played"):
            await make_months(connection, table, (record.started_at for record in written.values()))
        await write_rows(connection, _WRITE, [self._row(record) for record in written.values()])
        await write_rows(connection, _PLAYED, played.values())

    async def _load(self, connection: Connection, tables: set[str], recent: int) -> dict[str, Records]:
        """`recent`: milliseconds since the epoch. Raises `WrittenByHand`."""
        found = dict.fromkeys(tables, Records())
        for row in await connection.fetch(_OPENED, list(tables)):
            found[row["table_id"]] = _OPENINGS.decode(true_opening(self._marks, *row))
        last = await connection.fetch(_LAST, list(found), recent)
        if quiet := found.keys() - {row["table_id"] for row in last}:
            last += await connection.fetch(_LAST, list(quiet), 0)
        for row in last:
            record = RECORDS.decode(true_record(self._marks, row))
            found[row["table_id"]] = replace(found[row["table_id"]], record=record)
        return found

    def _opened(self, records: Records, table: str, version: int) -> tuple[object, ...]:
        state = msgspec.json.encode(_opening(records)).decode()
        return table, state, version, mark_opening(self._marks, table, state, version)

    def _row(self, record: Record) -> tuple[object, ...]:
        game, text = record.__struct_config__.tag, msgspec.json.encode(record).decode()
        where = (record.table, record.number, record.started_at, game, record.kind, record.outcome)
        row = (*where, list(record.players), text, record.version)
        return *row, mark_history(self._marks, row)


def _opening(records: Records) -> Records:
    return replace(records, record=None)


def _new_in(record: Record, before: Record | None) -> set[str]:
    """Players of whom it was not said yet that they are in it."""
    known = before.players if before is not None and before.number == record.number else ()
    return set(record.players).difference(known)


async def record_of(
    connection: Connection, game: Played, table: str, number: int, marks: Marks | None = None
) -> str | None:
    """The document of the hand or round with this number at this table, also of a running one.

    With `marks` it raises `WrittenByHand` for one that is not ours, as all of these do.
    """
    query = f"select {MARKED} from histories where game = $1 and table_id = $2 and number = $3"
    return _true(marks, await connection.fetchrow(query, game, table, number))


async def last_record(
    connection: Connection, game: Played, table: str, player: str | None = None, marks: Marks | None = None
) -> str | None:
    """The document of the last one at this table that is over; with `player`, of the last that they were in."""
    if player is None:
        # A table deals hands or rounds, and nothing else: of the other there is no last one to be looked for.
        query = f"""select {MARKED} from (select * from histories where table_id = $2
                       and outcome in ('ended', 'void') order by number desc limit 1) last where game = $1"""
        return _true(marks, await connection.fetchrow(query, game, table))
    over = _WITH_ITS_RECORD.format(which="and h.outcome in ('ended', 'void')")
    found = await connection.fetchrow(
        f"""select h.* from played p {over} where p.player = $3 and p.table_id = $2 and p.game = $1
            order by p.number desc limit 1""",
        *(game, table, player),
    )
    return _true(marks, found)


def _true(marks: Marks | None, row: Any) -> str | None:
    return None if row is None else true_record(marks, row)


async def records_of(
    connection: Connection, game: Played, player: str, before: Place, limit: int, marks: Marks | None = None
) -> list[Record]:
    """A player's, newest first, those below `before`: by their start, then by table and number."""
    rows = await connection.fetch(
        f"""select h.* from played p {_WITH_ITS_RECORD.format(which="")}
            where p.player = $2 and p.game = $1 and (p.started_at, p.table_id, p.number) < ($3, $4, $5)
              and p.started_at <= $3
            order by p.started_at desc, p.table_id desc, p.number desc limit $6""",
        *(game, player, *before, limit),
    )
    return [RECORDS.decode(true_record(marks, row)) for row in rows]


async def archived_of(connection: Connection, game: Played, player: str, before: Place) -> str | None:
    """The latest month (`2024-10`) in the archive, not behind `before`, in which the player was in one."""
    month: str | None = await connection.fetchval(
        "select max(month) from archived_players where player = $1 and game = $2 and month <= $3",
        *(player, game, month_of(before.at) or "9999-12"),
    )
    return month


async def archived_at(connection: Connection, table: str, number: int | None) -> str | None:
    """The month in the archive in which the table had the one of that number; None as number: its latest month."""
    month: str | None = await connection.fetchval(
        """select max(month) from archived_hands
           where table_id = $1 and ($2::bigint is null or $2 between first and last)""",
        *(table, number),
    )
    return month


def place_in_list(record: Record) -> Place:
    return Place(record.started_at, record.table, record.number)
