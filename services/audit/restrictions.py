"""The trail of who blocked players, lifted blocks and ended sessions: kept from the topic on which gateways tell it.

That topic keeps the last word of a player alone, and whoever administers the broker can cut it. What is kept here a
gateway asks for when it starts.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from pydantic import BaseModel

from libs.contracts.session_notices import KeptNotice, SessionNotice
from libs.edge.paging import Place
from libs.journal.log import Headers, LogRecord
from libs.projecting import Connection, is_of_the_event
from libs.projecting.row_marks import Marks
from services.audit.incidents import WORDS as INCIDENT
from services.audit.marked_rows import Evidence, mark_row
from services.audit.verifying.findings import Finding, Kind

WORDS = Evidence(
    "restrictions",
    (
        *("identity", "at", "about", "player", "whose", "holds", "until", "principal", "reason", "notice"),
        *("topic", "partition", "key", "headers"),
    ),
)
_KEEP = """insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice,
                                      topic, partition, key, headers, mark)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
           on conflict (identity) do nothing returning id"""
_SET = "select until, id from last_words where holds and until = 0 and id > $1 order by id limit $2"
"""What holds until somebody lifts it."""
_TIMED = "select until, id from last_words where holds and (until, id) > ($1, $2) order by until, id limit $3"
_SHOUTED_DOWN = """select id, about, player, whose from last_words
                    where (about, player, whose) in (select about, player, whose from restrictions where id = any($1))
                      and not (holds and (until = 0 or until > $2)) and id > $3 order by id limit $4"""
NEWEST = 500
"""Rows that are looked at anew before it is said what holds; of older ones the sweep has told."""
_WHOM = ("about", "player", "whose")
_LEAST, _MOST = -(2**63), 2**63 - 1
_SHOUTED = -1
"""In the place of a time."""
_TOLD = f"""select {INCIDENT.columns} from incidents
             where stream = 'audit.restrictions' and kind = '{Kind.EVIDENCE}' and version is not null"""
_LAST = f"""select {WORDS.columns} from restrictions where (about, player, whose) = ($1, $2, $3)
             order by at desc, id desc"""


class Restriction(BaseModel):
    """A row. Times in milliseconds; `what` is `blocked`, `unblocked` or `sessions_ended`."""

    id: int
    at: int
    what: str
    player: str
    by: str
    reason: str
    whose: str

    @property
    def place(self) -> Place:
        return Place(self.at, "restrictions", self.id)


async def keep(
    connection: Connection, topic: str, partition: int, records: Sequence[LogRecord], marks: Marks | None
) -> list[Finding]:
    """What is new of it is kept, and what the database refuses is set aside: what comes after it is kept all the same.

    A block of the house that is set or lifted is told besides, and sessions that a person of the house has ended. In a
    transaction of the caller's, with the auditor's `marks`."""
    found = []
    for record in records:
        notice = _restricting(record.value)
        if notice is None or record.value is None:
            continue
        stream, place = f"player-{notice.player}", (None, topic, partition, record.offset)
        values = (notice.at, notice.about, notice.player, notice.whose, notice.holds, notice.until, notice.by)
        read = topic, partition, record.key, msgspec.msgpack.encode(record.headers)
        try:
            async with connection.transaction():
                row = (*values, notice.reason, record.value, *read)
                new = await _kept(connection, marks, sha256(record.value).digest(), row)
        except Exception as wrong:
            if not is_of_the_event(wrong):
                raise
            detail = f"a notice of sessions was set aside: {type(wrong).__name__}"
            found.append(Finding(Kind.SET_ASIDE, stream, detail, *place))
            continue
        if new is not None and (told := _told_besides(notice)) is not None:
            found.append(Finding(told[0], stream, told[1], *place))
    return found


def _told_besides(notice: SessionNotice) -> tuple[Kind, str] | None:
    """What one of the staff may have done for another player's good. Sessions that end as a block is lifted are told
    with that, unless the player was in."""
    what_for = notice.reason or "no reason given"
    if notice.about == "blocked" and not notice.whose:
        kind, did = (Kind.BLOCKED, "set") if notice.holds else (Kind.UNBLOCKED, "lifted")
        return kind, f"{notice.by} {did} the house's block of {notice.player}: {what_for}"
    if notice.about == "since" and notice.ended is not UNSET and notice.ended.spares is not None:
        where = f"in a hand or round at {', '.join(notice.ended.tables)}" if notice.ended.tables else "in no hand"
        return Kind.SESSIONS_ENDED, f"{notice.by} ended the sessions of {notice.player}, who was {where}: {what_for}"
    return None


async def _kept(connection: Connection, marks: Marks | None, identity: bytes, row: tuple[object, ...]) -> int | None:
    """Its number if it is new. Where somebody else has put a row in its place it gets another one."""
    new: int | None = await connection.fetchval(_KEEP, identity, *row, WORDS.mark(marks, identity, *row))
    if new is None:
        there = await connection.fetchrow(f"select {WORDS.columns} from restrictions where identity = $1", identity)
        if there is not None and WORDS.why_not(marks, there) is not None:
            return await _kept(connection, marks, mark_row(marks, b"restriction", (identity,)), row)
    return new


def unreadable(record: LogRecord) -> bool:
    """Whether it is no notice of any gateway, though it bears a gateway's mark."""
    return record.value is not None and _read(record.value) is None


def _read(value: bytes) -> SessionNotice | None:
    try:
        return SessionNotice.decoded(value)
    except msgspec.MsgspecError:
        return None


def _restricting(value: bytes | None) -> SessionNotice | None:
    """None for what concerns no one else's sessions: a logout, a login elsewhere, that one was used."""
    notice = _read(value or b"")
    if notice is None:
        return None
    return notice if notice.about == "blocked" or (notice.about == "since" and notice.by) else None


async def restrictions(
    connection: Connection, before: Place, limit: int, marks: Marks | None = None
) -> tuple[list[Restriction], Place | None]:
    """Of the next `limit` below a place those that the auditor has written, newest first; and behind which the next
    ones are, None: there are no more."""
    rows = await connection.fetch(
        f"""select {WORDS.columns} from restrictions
           where at <= $1 and (at, id) < ($1, $2) order by at desc, id desc limit $3""",
        *(before.at, before.number, limit),
    )
    found = [_row(row) for row in rows if WORDS.why_not(marks, row) is None]
    return found, _row(rows[-1]).place if len(rows) == limit else None


def _row(row: Any) -> Restriction:
    what = "sessions_ended" if row["about"] == "since" else "blocked" if row["holds"] else "unblocked"
    told = {name: row[name] for name in ("id", "at", "player", "whose", "reason")}
    return Restriction(what=what, by=row["principal"], **told)


class Behind(NamedTuple):
    """Up to which word a list of what holds was told: first what somebody else says was lifted, then what holds until
    it is lifted, then the rest by when it ends. Any two numbers of 64 bits: who writes to the table chooses them."""

    until: int = _SHOUTED
    number: int = _LEAST

    def cursor(self) -> str:
        return f"{self.until}~{self.number}"


FIRST = Behind().cursor()


def behind(cursor: str) -> Behind:
    """What `Behind.cursor` wrote; as far as numbers of the database go."""
    until, _, number = cursor.partition("~")
    return Behind(*(min(max(int(each), _LEAST), _MOST) for each in (until, number)))


async def holding(
    connection: Connection, now: int, place: Behind, limit: int, marks: Marks | None = None
) -> tuple[list[KeptNotice], Behind | None]:
    """Of the next `limit` behind a place what keeps players out at this moment (ms), as it was told and marked; and
    behind which the next ones are, None: there are no more. A word that changes meanwhile comes again, and none is
    missed.

    The database keeps the last word on each of them, whoever wrote it; where somebody else did, the last one that the
    auditor has written counts.
    """
    found: list[Any] = []
    left = limit
    if place.until == _SHOUTED:
        shouted = await _shouted_down(connection, now, place.number, limit, marks)
        for row in shouted:
            true = await _last_true(connection, marks, tuple(row[name] for name in _WHOM))
            found += [true] if true is not None and _holds(true, now) else []
        if (left := limit - len(shouted)) == 0:
            return _kept_notices(found), Behind(_SHOUTED, shouted[-1]["id"])
        place = Behind(0)
    words = await connection.fetch(_SET, place.number, left) if place.until == 0 else []
    if len(words) < left:
        words += await connection.fetch(_TIMED, *max(place, Behind(now, _MOST)), left - len(words))
    found += await _as_written(connection, marks, [word["id"] for word in words], now)
    return _kept_notices(found), Behind(*words[-1]) if len(words) == left else None


def _holds(row: Any, now: int) -> bool:
    return bool(row["holds"]) and (row["until"] == 0 or row["until"] > now)


def _kept_notices(rows: Sequence[Any]) -> list[KeptNotice]:
    return [
        KeptNotice(
            row["topic"] or "", row["partition"] or 0, row["key"] or b"", row["notice"], _headers(row["headers"])
        )
        for row in rows
    ]


async def _as_written(connection: Connection, marks: Marks | None, numbers: Sequence[int], now: int) -> list[Any]:
    """Of those last words the auditor's own, in their order; in the place of another's the last one that is, where it
    holds."""
    rows = await connection.fetch(f"select {WORDS.columns} from restrictions where id = any($1)", numbers)
    there = {row["id"]: row for row in rows}
    found = []
    for row in (there[number] for number in numbers if number in there):
        true = row
        if WORDS.why_not(marks, row) is not None:
            true = await _last_true(connection, marks, tuple(row[name] for name in _WHOM))
        if true is not None and _holds(true, now):
            found.append(true)
    return found


async def _shouted_down(connection: Connection, now: int, after: int, limit: int, marks: Marks | None) -> Sequence[Any]:
    """Who is kept out by no last word, and of whom somebody else has written: as incidents tell, and by what came
    last."""
    told = [row["version"] for row in await connection.fetch(_TOLD) if INCIDENT.why_not(marks, row) is None]
    newest = await connection.fetch(f"select {WORDS.columns} from restrictions order by id desc limit {NEWEST}")
    told += [row["id"] for row in newest if WORDS.why_not(marks, row) is not None]
    return await connection.fetch(_SHOUTED_DOWN, told, now, after, limit) if told else []


async def _last_true(connection: Connection, marks: Marks | None, whom: tuple[str, ...]) -> Any:
    async with connection.transaction(readonly=True):
        async for row in connection.cursor(_LAST, *whom):
            if WORDS.why_not(marks, row) is None:
                return row
    return None


def _headers(raw: bytes | None) -> Headers:
    try:
        return msgspec.msgpack.decode(raw or b"\x90", type=Headers)
    except msgspec.DecodeError:
        return ()
