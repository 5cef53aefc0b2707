"""Incidents: findings kept as rows. The same finding met again is counted on its row and never makes a second one."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from libs.projecting import Connection
from libs.projecting.row_marks import Marks
from services.audit.marked_rows import Evidence, mark_row, page_of
from services.audit.verifying.findings import Finding

WORDS = Evidence(
    "incidents",
    ("identity", "kind", "severity", "stream", "version", "topic", "partition", "offset", "detail", "first_seen"),
)
"""What an incident says; how often it was met, and when last, is a count that goes up."""
_INSERT = """
    insert into incidents (kind, severity, stream, version, topic, partition, "offset", detail, identity, first_seen,
                           last_seen, mark)
    select kind, severity, stream, version, topic, partition, "offset", detail, identity, $11, $11, mark
      from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::bigint[], $8::text[],
                  $9::bytea[], $10::bytea[]) with ordinality
           as found (kind, severity, stream, version, topic, partition, "offset", detail, identity, mark, nth)
     order by nth
    on conflict (identity) do nothing returning identity
"""
_THERE = f"select {WORDS.columns} from incidents where identity = any($1::bytea[])"
# Who holds a row's lock keeps nobody from looking for the next thing: it is counted another time.
_COUNT = """
    update incidents set count = least(count, $4 - again) + again, last_seen = greatest(last_seen, $3)
      from unnest($1::bytea[], $2::bigint[]) as met (identity, again)
     where id in (select id from incidents where identity = any($1::bytea[]) for update skip locked)
       and incidents.identity = met.identity
"""
_MOST = 2**63 - 1
_MOST_INT = 2**31 - 1
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
    named = [(identity_of(finding, marks), finding) for finding in findings]
    met, first = Counter(identity for identity, _ in named), dict(reversed(named))
    there = await _there(connection, first)
    inserted = await _insert(connection, {each: first[each] for each in met if each not in there}, now, marks)
    there |= await _there(connection, first.keys() - there.keys() - inserted)  # somebody was quicker
    met.subtract(inserted)
    await count_again(connection, {each: met[each] for each, of in first.items() if met[each] and of.counts}, now)
    true = {identity for identity, row in there.items() if WORDS.why_not(marks, row) is None}
    return [first[identity] for identity in met if identity not in true]


async def count_again(connection: Connection, again: Mapping[bytes, int], now: int) -> None:
    """How often alarms were met since their rows said so; `now`: when last, in milliseconds."""
    if again:
        await connection.execute(_COUNT, list(again), list(again.values()), now, _MOST)


async def _insert(
    connection: Connection, findings: Mapping[bytes, Finding], now: int, marks: Marks | None
) -> set[bytes]:
    if not findings:
        return set()
    whats = [(_told(finding), identity) for identity, finding in findings.items()]
    rows = [(*what, identity, WORDS.mark(marks, identity, *what, now)) for what, identity in whats]
    return {row["identity"] for row in await connection.fetch(_INSERT, *zip(*rows, strict=True), now)}


async def _there(connection: Connection, identities: Iterable[bytes]) -> dict[bytes, Any]:
    rows = await connection.fetch(_THERE, asked) if (asked := list(identities)) else []
    return {row["identity"]: row for row in rows}


def _told(finding: Finding) -> tuple[object, ...]:
    topic = _written(finding.topic) if finding.topic is not None else None
    partition = finding.partition if finding.partition is not None and abs(finding.partition) <= _MOST_INT else None
    place = _within(finding.version), topic, partition, _within(finding.offset)
    return finding.kind.value, finding.severity, _written(finding.stream), *place, _written(finding.detail)


def _written(text: str) -> str:
    """As a row holds it: what a finding says may come out of a record, which is not to keep the incident from being
    told."""
    return text.replace("\0", "\ufffd")[:_MOST_CHARACTERS]


def _within(number: int | None) -> int | None:
    return number if number is not None and abs(number) <= _MOST else None


async def incidents(
    connection: Connection,
    after: int | None = None,
    limit: int = 100,
    marks: Marks | None = None,
    only: Mapping[str, str] | None = None,
) -> tuple[list[IncidentRow], int | None]:
    """By id, those of the next `limit` above `after` (None: of all) that the auditor has written; and behind which the
    next ones are, None: there are no more. `only`: the `kind` or the `severity` that they have to have."""
    rows = await page_of(connection, "select * from incidents", after, limit, only)
    found = [IncidentRow(**dict(row)) for row in rows if WORDS.why_not(marks, row) is None]
    return found, rows[-1]["id"] if len(rows) == limit else None


def identity_of(finding: Finding, marks: Marks | None) -> bytes:
    """The same for the same finding, whenever and by whom it is met; only who has the key can tell it beforehand. Under
    a new key what still stands is told once more."""
    place = (finding.version, finding.topic, finding.partition, finding.offset)
    text = "\x1f".join(map(str, (finding.kind.value, finding.stream, *place, finding.detail)))
    return mark_row(marks, b"incident", (sha256(text.encode()).digest(),)) or sha256(text.encode()).digest()
