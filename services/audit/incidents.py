"""Incidents: findings kept as rows. The same finding met again is counted on its row and never makes a second one."""

import hashlib
from collections.abc import Sequence

from pydantic import BaseModel

from libs.projecting import Connection
from services.audit.verifying.findings import Finding

_INSERT = """
    insert into incidents (identity, kind, severity, stream, version, topic, partition, "offset", detail, first_seen,
                           last_seen)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
    on conflict (identity) do update set count = incidents.count + $11::int,
                                         last_seen = greatest(incidents.last_seen, excluded.last_seen)
    returning count, xmax = 0 as is_new
"""
_MOST = 2**63 - 1
_MOST_CHARACTERS = 4_000


class IncidentRow(BaseModel):
    """What did not agree, and how often. Times are milliseconds since the epoch."""

    id: int
    kind: str
    severity: str
    stream: str
    version: int | None
    topic: str | None
    partition: int | None
    offset: int | None
    detail: str
    first_seen: int
    last_seen: int
    count: int


async def record(connection: Connection, findings: Sequence[Finding], now: int) -> list[Finding]:
    """Writes the findings; returns those that are new. An alarm met again counts up, a place in the log does not."""
    new = []
    for finding in findings:
        again = int(finding.version is None and finding.offset is None)
        numbers = (_within(finding.version), finding.topic, finding.partition, _within(finding.offset))
        what = (finding.kind.value, finding.severity, _written(finding.stream), *numbers, _written(finding.detail))
        row = await connection.fetchrow(_INSERT, identity_of(finding), *what, now, again)
        if row is not None and row["is_new"]:
            new.append(finding)
    return new


def _written(text: str) -> str:
    """As a row holds it: what a finding says may come out of a record, which is not to keep the incident from being
    told."""
    return text.replace("\0", "\ufffd")[:_MOST_CHARACTERS]


def _within(number: int | None) -> int | None:
    return number if number is not None and abs(number) <= _MOST else None


async def incidents(connection: Connection, after: int = 0, limit: int = 100) -> list[IncidentRow]:
    """By id, those above `after`."""
    rows = await connection.fetch("select * from incidents where id > $1 order by id limit $2", after, limit)
    return [IncidentRow(**dict(row)) for row in rows]


def identity_of(finding: Finding) -> bytes:
    """The same for the same finding, whenever and by whom it is met."""
    place = (finding.version, finding.topic, finding.partition, finding.offset)
    text = "\x1f".join(map(str, (finding.kind.value, finding.stream, *place, finding.detail)))
    return hashlib.sha256(text.encode()).digest()
