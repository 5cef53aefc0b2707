"""The trail of who blocked players, lifted blocks and ended sessions: kept from the topic on which gateways tell it.

That topic keeps the last word of a player alone, and whoever administers the broker can cut it. What is kept here a
gateway asks for when it starts.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from pydantic import BaseModel

from libs.contracts.session_notices import KeptNotice, SessionNotice
from libs.edge.paging import Place
from libs.journal.log import Headers, LogRecord
from libs.projecting import Connection, is_of_the_event
from services.audit.verifying.findings import Finding, Kind

_KEEP = """insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice,
                                      topic, partition, key, headers)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
           on conflict (identity) do nothing returning id"""
_HOLDING = """select topic, partition, key, notice, headers from last_words l join restrictions using (id)
               where l.holds and (l.until = 0 or l.until > $1) order by l.about, l.player, l.whose"""


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


async def keep(connection: Connection, topic: str, partition: int, records: Sequence[LogRecord]) -> list[Finding]:
    """What is new of it is kept; a block of the house that is lifted is told besides, and what the database refuses is
    set aside: what comes after it is kept all the same. In a transaction of the caller's."""
    found = []
    for record in records:
        notice = _restricting(record.value)
        if notice is None or record.value is None:
            continue
        stream, place = f"player-{notice.player}", (None, topic, partition, record.offset)
        values = (notice.at, notice.about, notice.player, notice.whose, notice.holds, notice.until, notice.by)
        identity = sha256(record.value).digest()
        read = topic, partition, record.key, msgspec.msgpack.encode(record.headers)
        try:
            async with connection.transaction():
                new = await connection.fetchval(_KEEP, identity, *values, notice.reason, record.value, *read)
        except Exception as wrong:
            if not is_of_the_event(wrong):
                raise
            detail = f"a notice of sessions was set aside: {type(wrong).__name__}"
            found.append(Finding(Kind.SET_ASIDE, stream, detail, *place))
            continue
        if new is not None and notice.about == "blocked" and not (notice.holds or notice.whose):
            detail = f"{notice.by} lifted the house's block of {notice.player}: {notice.reason or 'no reason given'}"
            found.append(Finding(Kind.UNBLOCKED, stream, detail, *place))
    return found


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


async def restrictions(connection: Connection, before: Place, limit: int) -> list[Restriction]:
    """Those below a place, newest first."""
    rows = await connection.fetch(
        """select id, at, about, holds, player, whose, principal, reason from restrictions
           where at <= $1 and (at, id) < ($1, $2) order by at desc, id desc limit $3""",
        *(before.at, before.number, limit),
    )
    return [_row(row) for row in rows]


def _row(row: Any) -> Restriction:
    what = "sessions_ended" if row["about"] == "since" else "blocked" if row["holds"] else "unblocked"
    told = {name: row[name] for name in ("id", "at", "player", "whose", "reason")}
    return Restriction(what=what, by=row["principal"], **told)


async def holding(connection: Connection, now: int) -> list[KeptNotice]:
    """What keeps players out at this moment (ms), as it was told and marked."""
    return [
        KeptNotice(
            row["topic"] or "", row["partition"] or 0, row["key"] or b"", row["notice"], _headers(row["headers"])
        )
        for row in await connection.fetch(_HOLDING, now)
    ]


def _headers(raw: bytes | None) -> Headers:
    try:
        return msgspec.msgpack.decode(raw or b"\x90", type=Headers)
    except msgspec.DecodeError:
        return ()
