"""Incidents: findings kept as rows. The same finding met again is counted on its row and never makes a second one."""

from collections.abc import Sequence
from hashlib import sha256

from pydantic import BaseModel

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import Evidence, mark_row
from services.audit.verifying.findings import Finding

WORDS = Evidence(
    "incidents",
    ("identity", "kind", "severity", "stream", "version", "topic", "partition", "offset", "detail", "first_seen"),
)
"""What an incident says; how often it was met, and when last, is a count that goes up."""
_INSERT = """
    insert into incidents (kind, severity, stream, version, topic, partition, "offset", detail, identity, first_seen,
                           last_seen, mark)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)
    on conflict (identity) do nothing returning id
"""
_THERE = f"select {WORDS.columns} from incidents where identity = $1"
# Who holds the row's lock keeps nobody from looking for the next thing: it is counted another time.
_COUNT = """
    update incidents set count = least(count, $2) + $3::int, last_seen = greatest(last_seen, $4)
     where id = (select id from incidents where identity = $1 for update skip locked)
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


async def record(connection: Connection, findings: Sequence[Finding], now: int, marks: Marks | None) -> list[Finding]:
    """Writes the findings; returns those that are new. An alarm met again counts up, a place in the log does not.

    A row that somebody else has put where a finding belongs silences nothing: nobody else knows where that is, and what
    is there without its mark is no row of ours. `marks`: the auditor's; None: for a copy that nobody believes.
    """
    new = []
    for finding in findings:
        numbers = (_within(finding.version), finding.topic, finding.partition, _within(finding.offset))
        what = (finding.kind.value, finding.severity, _written(finding.stream), *numbers, _written(finding.detail))
        identity = identity_of(finding, marks)
        mark = WORDS.mark(marks, identity, *what, now)
        if await connection.fetchval(_INSERT, *what, identity, now, mark) is not None:
            new.append(finding)
            continue
        again = int(finding.version is None and finding.offset is None)
        await connection.execute(_COUNT, identity, _MOST - 1, again, now)
        there = await connection.fetchrow(_THERE, identity)
        if there is None or WORDS.why_not(marks, there) is not None:
            new.append(finding)
    return new


def _written(text: str) -> str:
    """As a row holds it: what a finding says may come out of a record, which is not to keep the incident from being
    told."""
    return text.replace("\0", "\ufffd")[:_MOST_CHARACTERS]


def _within(number: int | None) -> int | None:
    return number if number is not None and abs(number) <= _MOST else None


async def incidents(
    connection: Connection, after: int = 0, limit: int = 100, marks: Marks | None = None
) -> tuple[list[IncidentRow], int | None]:
    """By id, those of the next `limit` above `after` that the auditor has written; and behind which the next ones are,
    None: there are no more."""
    rows = await connection.fetch("select * from incidents where id > $1 order by id limit $2", after, limit)
    found = [IncidentRow(**dict(row)) for row in rows if WORDS.why_not(marks, row) is None]
    return found, rows[-1]["id"] if len(rows) == limit else None


def identity_of(finding: Finding, marks: Marks | None) -> bytes:
    """The same for the same finding, whenever and by whom it is met; only who has the key can tell it beforehand. Under
    a new key what still stands is told once more."""
    place = (finding.version, finding.topic, finding.partition, finding.offset)
    text = "\x1f".join(map(str, (finding.kind.value, finding.stream, *place, finding.detail)))
    return mark_row(marks, b"incident", (sha256(text.encode()).digest(),)) or sha256(text.encode()).digest()
