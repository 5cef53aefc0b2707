"""Who wrote to the books, and to what the auditor sets aside: the database's notes of transactions, held against their
marks. However many notes were left, as by a pause of the auditor, each look takes a bounded time."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from libs.projecting import Connection
from libs.projecting.connecting import is_there
from libs.projecting.migrator import checked
from libs.projecting.writings import MOMENT, Noted, Writings, noted_in
from services.audit.notes_taken import Taking
from services.audit.settings import SCHEMA
from services.audit.verifying.findings import Finding, Kind

MOST = 1_000
"""Told in one look: the first that were found. The others once one of these is settled."""
LOOK_S = 0.5
_AFRESH_S = 3600.0
"""All that is there is gone over once more: a schema may have been put in the place of another one."""
_PAGE = 1_000
_SEARCHED = 50_000
# The mark by a look-up of its own: no join, whose plan would be made for as many rows as there were once.
_NOTED = f"""select w.xid::text as xid, {MOMENT.format("w.at")} as began, w.tables,
                    (select mark from {{schema}}.writing_marks m where m.xid = w.xid) as mark
               from {{schema}}.writings w"""
_THESE = _NOTED + " where w.xid = any($1::text[]::xid8[]) order by w.xid"
_NEXT = f"{_NOTED} where w.xid >= $1::text::xid8 order by w.xid limit {_PAGE}"
_NEWEST = f"{_NOTED} order by w.xid desc limit {_PAGE}"
_UP_TO = f"""select xid::text from {{schema}}.writings where xid >= $1::text::xid8
              order by xid offset {_SEARCHED} limit 1"""
_UNMARKED = """select xid::text as xid from {schema}.writings w
                where xid >= $1::text::xid8 and xid < $2::text::xid8
                  and (select m.xid from {schema}.writing_marks m where m.xid = w.xid) is null
                order by w.xid limit $3"""
_BY_INDEX = "set local enable_seqscan = off"
"""Also where the plan was made while next to nothing was there."""
_LAST = str(2**64 - 1)
_LOW = "select pg_snapshot_xmin(pg_current_snapshot())::text"


@dataclass(slots=True)
class Seen:
    """What earlier looks at one schema have settled. Valid once the look's transaction is committed.

    No place lies above the lowest number of a transaction that was under way when the look began: one that began early
    and commits late is met by a later look. A note and its mark come in one commit, so a note without one stays so.
    """

    known: tuple[str, ...] = ()
    """Not ours: looked at again, and told, each time."""
    searched: int = 0
    """Of the notes below it those without a mark are known."""
    place: int = 0
    """Of the notes below it those that are ours are taken away."""
    began: float = field(default_factory=time.monotonic)


async def foreign_writings(
    connection: Connection, schema: str, writings: Writings, seen: Seen | None = None
) -> list[Finding]:
    """Transactions that wrote to the books without the wallet's mark: somebody else's, with its login. Marked ones are
    seen once and taken away, others stay and are found each time. In a transaction that may write; `seen` moves on."""
    name, seen, until = f'"{checked(schema)}"', seen or Seen(), time.monotonic() + LOOK_S
    if not await is_there(connection, f"{name}.writings"):
        return []
    await connection.execute(_BY_INDEX)
    taking = Taking(connection, name, writings.marks)
    await taking.look()
    low = int(await connection.fetchval(_LOW))
    foreign = await _without_mark(connection, name, writings, seen, low, until - LOOK_S / 2)
    at: int | None = seen.place
    while at is not None:
        rows = await connection.fetch(_NEXT.format(schema=name), str(at))
        found = _foreign(rows, writings)
        whole = [row["xid"] for row in rows if row["xid"] not in {each.xid for each in found}]
        if whole:
            await taking.take(whole)
        foreign |= found
        at = int(rows[-1]["xid"]) + 1 if len(rows) == _PAGE else None
        seen.place = low if at is None else min(at, low)
        if time.monotonic() >= until:
            break
    await taking.end()
    told = _first(foreign)
    seen.known = tuple(each.xid for each in told)
    return taking.found + [Finding(Kind.LEDGER_FOREIGN, "ledger", f"{each}: {why}") for each, why in told.items()]


async def foreign_aside(connection: Connection, writings: Writings, seen: Seen | None = None) -> list[Finding]:
    """The same of what the auditor sets aside itself, where notes stay: all without a mark, and the newest others."""
    name, seen, until = f'"{SCHEMA}"', seen or Seen(), time.monotonic() + LOOK_S / 2
    if not await is_there(connection, f"{name}.writings"):
        return []
    await connection.execute(_BY_INDEX)
    low = int(await connection.fetchval(_LOW))
    foreign = await _without_mark(connection, name, writings, seen, low, until)
    seen.known = tuple(each.xid for each in _first(foreign))
    foreign |= _foreign(await connection.fetch(_NEWEST.format(schema=name)), writings)
    return [Finding(Kind.HISTORY, SCHEMA, f"{each}: {why}") for each, why in _first(foreign).items()]


async def _without_mark(
    connection: Connection, name: str, writings: Writings, seen: Seen, low: int, until: float
) -> dict[Noted, str]:
    """Those that are known, and further ones without a mark."""
    known = _foreign(await connection.fetch(_THESE.format(schema=name), list(seen.known)), writings)
    if len(known) < len(seen.known) or time.monotonic() - seen.began >= _AFRESH_S:
        seen.searched, seen.place, seen.began = 0, 0, time.monotonic()
    at: str | None = str(seen.searched)
    while at is not None and len(known) < MOST:
        up_to = await connection.fetchval(_UP_TO.format(schema=name), at)
        most = MOST - len(known)
        rows = await connection.fetch(_UNMARKED.format(schema=name), at, up_to or _LAST, most)
        xids = [row["xid"] for row in rows]
        known |= _foreign(await connection.fetch(_THESE.format(schema=name), xids), writings) if xids else {}
        at = up_to if len(xids) < most else str(int(xids[-1]) + 1)
        seen.searched = low if at is None else min(int(at), low)
        if time.monotonic() >= until:
            break
    return known


def _foreign(rows: Iterable[Any], writings: Writings) -> dict[Noted, str]:
    return {each: why for each in map(noted_in, rows) if (why := writings.why_not(each)) is not None}


def _first(foreign: Mapping[Noted, str]) -> dict[Noted, str]:
    return dict(list(foreign.items())[:MOST])
