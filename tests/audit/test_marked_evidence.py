"""What the auditor says, against who has its database login alone: it is neither silenced nor made to say anything."""

import hashlib
import re
import time
from typing import Any

import asyncpg
import pytest

from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Pool
from services.audit.incidents import IncidentRow, identity_of, incidents, record
from services.audit.record_watch import RecordWatch
from services.audit.verifying.findings import Finding, Kind

pytestmark = pytest.mark.stack
MARKS = marks_of("audit", bytes(range(32)), Plan())
NOW = 1_790_000_000_000
GAP = Finding(Kind.PROJECTION_GAP, "account-zoe-EUR", "wallet-books waits for version 1")


async def told(pool: Pool, *findings: Finding, now: int = NOW) -> list[Finding]:
    async with pool.acquire() as connection, connection.transaction():
        return await record(connection, findings or [GAP], now, MARKS)


async def shown(pool: Pool) -> list[IncidentRow]:
    async with pool.acquire() as connection:
        return (await incidents(connection, marks=MARKS))[0]


async def looked(pool: Pool, watch: RecordWatch | None = None) -> list[tuple[str, str, str]]:
    found = await (watch or RecordWatch(pool, MARKS)).look()
    return [(each.kind.value, each.stream, each.detail.rpartition(": ")[2]) for each in found]


BY_HAND = """insert into incidents (identity, kind, severity, stream, detail, first_seen, last_seen, mark)
             values ($1, $2, 'minor', $3, 'drill of the 3rd, agreed with the SRE', $4, $4, $5)"""


def guessed(finding: Finding) -> list[bytes]:
    """Identities that who knows our sources and no key can make."""
    text = "\x1f".join(map(str, (finding.kind.value, finding.stream, None, None, None, None, finding.detail)))
    plain = hashlib.sha256(text.encode()).digest()
    assert plain == identity_of(finding, None)
    return [plain, identity_of(finding, marks_of("audit", bytes(32), Plan()))]


async def test_what_the_auditor_writes_is_shown_and_tells_nothing(pool: Pool) -> None:
    assert await told(pool) == [GAP]
    assert await told(pool, now=NOW + 5) == []
    [row] = await shown(pool)
    assert (row.detail, row.first_seen, row.last_seen, row.count) == (GAP.detail, NOW, NOW + 5, 2)
    assert await looked(pool) == []


async def test_what_is_there_already_is_neither_written_again_nor_takes_a_number(pool: Pool) -> None:
    """Thousands of them stand for ever: each look wrote each, in a statement of its own."""
    places = [Finding(Kind.PARKED, "books", f"no {n}", None, "topic", 0, n) for n in range(400)]
    alarms = [Finding(Kind.ACCOUNT, "ledger", f"account {n}") for n in range(400)]
    asked: list[str] = []
    async with pool.acquire() as connection, connection.transaction():
        connection.add_query_logger(lambda query: asked.extend(re.findall(r"\bincidents\b.*", query.query)[:1]))
        assert await record(connection, [*places, *alarms, alarms[0]], NOW, MARKS) == places + alarms
    assert len(asked) == 3, "who is there, who is not, what counts up"
    of_places = 'select identity, xmin::text, last_seen from incidents where "offset" is not null order by id'
    before = await pool.fetch(of_places)
    for later in (1, 2):
        assert await told(pool, *places, *alarms, now=NOW + later) == []
    assert await pool.fetch(of_places) == before
    counted = await pool.fetch('select count, last_seen from incidents where "offset" is null order by id')
    assert [tuple(row) for row in counted] == [(4, NOW + 2)] + 399 * [(3, NOW + 2)]
    assert await told(pool) == [GAP]
    assert await pool.fetchval("select max(id) from incidents") == 801


async def test_an_incident_that_somebody_writes_before_it_happens_silences_nothing(pool: Pool) -> None:
    """It was counted as known: no log line, no alert, and the list told the forger's words for ever."""
    for identity in guessed(GAP):
        await pool.execute(BY_HAND, identity, GAP.kind.value, GAP.stream, NOW - 3 * 86_400_000, b"x")
    assert await told(pool) == [GAP]
    assert [row.detail for row in await shown(pool)] == [GAP.detail]
    assert await looked(pool) == 2 * [("evidence_written_by_hand", "audit.incidents", "a writer without a key")]
    assert sorted(row.kind for row in await shown(pool)) == 2 * ["evidence_written_by_hand"] + [GAP.kind]


async def test_a_true_mark_is_of_its_own_row_alone(pool: Pool) -> None:
    await told(pool)
    whole = await pool.fetchrow("select * from incidents")
    assert whole is not None
    await pool.execute(BY_HAND, b"another", whole["kind"], whole["stream"], whole["first_seen"], whole["mark"])
    assert await looked(pool) == [("evidence_written_by_hand", "audit.incidents", "a wrong mark")]
    assert len(await shown(pool)) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "update incidents set detail = 'x'",
        "update incidents set severity = 'minor'",
        "update incidents set mark = 'x'",
        "update incidents set first_seen = 0",
        "delete from incidents",
        "truncate incidents",
        "insert into incidents overriding system value select 10000 + id, 'x', kind, severity, stream, version, topic,"
        ' partition, "offset", detail, first_seen, last_seen, count, mark from incidents',
    ],
)
async def test_what_was_told_stays_and_nobody_takes_the_next_numbers(pool: Pool, statement: str) -> None:
    """A row with the number that comes next would have refused the finding itself."""
    await told(pool)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await pool.execute(statement)


async def test_a_count_goes_up_only_and_holds_nobody_up(pool: Pool) -> None:
    await told(pool)
    for statement in ("update incidents set count = 0", "update incidents set last_seen = 0"):
        with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="stays"):
            await pool.execute(statement)
    await pool.execute("update incidents set count = 9223372036854775807, last_seen = 9223372036854775807")
    assert await told(pool) == []
    assert await looked(pool) == []


async def test_who_holds_a_row_keeps_nobody_from_telling_the_next_thing(pool: Pool) -> None:
    await told(pool)
    async with pool.acquire() as held, held.transaction():
        await held.execute("select from incidents for update")
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute("set local lock_timeout = '3s'")
            other = Finding(Kind.BANK_ALARM, "bank", "empty")
            assert await record(connection, [GAP, other], NOW, MARKS) == [other]


async def test_a_row_of_before_the_marks_is_believed_and_nobody_makes_another(pool: Pool, owner: Any) -> None:
    for connection in (pool, owner):
        doing = connection.execute(BY_HAND, b"old", GAP.kind.value, GAP.stream, NOW, None)
        if connection is pool:
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="needs a mark"):
                await doing
        else:
            await doing
    assert [row.count for row in await shown(pool)] == [1]
    assert await looked(pool) == []


async def test_a_row_that_says_something_else_where_a_finding_belongs_is_told_again(pool: Pool, owner: Any) -> None:
    """By who owns the database."""
    await told(pool)
    await owner.execute("update incidents set detail = 'x'")
    assert await told(pool) == [GAP]
    assert await shown(pool) == []


async def test_it_is_named_at_the_next_look_and_once(pool: Pool) -> None:
    watch = RecordWatch(pool, MARKS)
    assert await looked(pool, watch) == []
    await pool.execute(BY_HAND, b"x", "bank_alarm", "bank", time.time_ns() // 10**6, b"x")
    first = await looked(pool, watch)
    assert first == await looked(pool, watch)
    [row] = await shown(pool)
    assert (row.kind, row.severity, row.count) == ("evidence_written_by_hand", "critical", 1)
