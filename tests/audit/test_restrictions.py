"""The trail of blocks and ended sessions: who, whom, what for, when; only added to, whatever becomes of the topic."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from libs.contracts.session_notices import EndedByHouse, SessionNotice
from libs.contracts.topics import SESSIONS
from libs.edge.paging import NEWEST, place_of
from libs.identity.operators import add_operator
from libs.journal.log import LogRecord
from libs.projecting import Pool, migrate, open_pool
from services.audit.http.routes import audit_app
from services.audit.incidents import incidents, record
from services.audit.restrictions import _SET, _TIMED, Behind, behind, holding, keep, restrictions, unreadable
from services.audit.settings import MIGRATIONS, SCHEMA
from services.audit.verifying.findings import SEVERITY, Finding, Kind
from services.gateway.kafka.session_notices import BlocksKept
from tests.testkit.logins import callers
from tests.testkit.marks import AUDIT, GATEWAY

pytestmark = pytest.mark.stack
NOW = 1_790_000_000_000


@pytest_asyncio.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    await migrate(database, SCHEMA, MIGRATIONS)
    held = await open_pool(database, SCHEMA)
    yield held
    await held.close()


def block(at: int, holds: bool = True, **more: Any) -> SessionNotice:
    said: dict[str, Any] = {"player": "ann", "by": "staff:eva", "reason": "fraud case 7", **more}
    return SessionNotice(about="blocked", at=NOW + at, holds=holds, **said)


def ended(at: int, by: str = "staff:sam") -> SessionNotice:
    return SessionNotice(about="since", player="bob", at=NOW + at, until=NOW + 1_000, by=by, reason="loud")


SET = Kind.BLOCKED, "staff:eva set the house's block of ann: fraud case 7"
"""Others win by it where the player sits in a pot or a tournament."""


async def told(pool: Pool, *notices: SessionNotice | bytes | None) -> list[tuple[Kind, str]]:
    records = [
        LogRecord(number, b"k", each.encoded() if isinstance(each, SessionNotice) else each, (), NOW)
        for number, each in enumerate(notices)
    ]
    async with pool.acquire() as connection:
        return [(each.kind, each.detail) for each in await keep(connection, "sessions", 0, records, None)]


async def rows(pool: Pool, before: str = NEWEST, limit: int = 100) -> list[Any]:
    async with pool.acquire() as connection:
        return (await restrictions(connection, place_of(before), limit))[0]


async def kept_out(pool: Pool, at: int) -> set[str]:
    return set(await pages(pool, at, 500))


async def pages(pool: Pool, at: int, limit: int, marks: Any = None) -> list[str]:
    """Who is kept out, page by page."""
    found, place = list[str](), Behind()
    async with pool.acquire() as connection:
        while True:
            kept, behind_it = await holding(connection, NOW + at, place, limit, marks)
            assert len(kept) <= limit
            found += [SessionNotice.decoded(each.value).player for each in kept]
            if behind_it is None:
                break
            assert behind(behind_it.cursor()) == behind_it
            place = behind_it
    return found


async def test_each_is_on_record_once_with_who_whom_what_for_and_when(pool: Pool) -> None:
    lift = block(2, holds=False)
    logout = SessionNotice(about="ended", player="zoe", at=NOW, session="s1", until=NOW + 9)
    elsewhere = ended(4, by="")
    found = await told(pool, block(1), block(1), logout, elsewhere, None, b"junk", ended(3), lift)
    assert found == [SET, (Kind.UNBLOCKED, "staff:eva lifted the house's block of ann: fraud case 7")]
    assert await told(pool, lift) == [], "told again by a gateway, it is the same"
    assert [(row.what, row.player, row.by, row.reason, row.at - NOW) for row in await rows(pool)] == [
        ("sessions_ended", "bob", "staff:sam", "loud", 3),
        ("unblocked", "ann", "staff:eva", "fraud case 7", 2),
        ("blocked", "ann", "staff:eva", "fraud case 7", 1),
    ]


async def test_a_notice_that_the_database_refuses_is_set_aside_and_the_next_is_kept(pool: Pool) -> None:
    """One stopped the reader for good: blocks and lifted blocks were on no trail any more."""
    await pool.execute("alter table restrictions add check (player <> 'mallory')")
    refused = [(Kind.SET_ASIDE, "a notice of sessions was set aside: CheckViolationError")]
    assert await told(pool, block(1, player="mallory"), block(2)) == [*refused, SET]
    assert [row.player for row in await rows(pool)] == ["ann"]


@pytest.mark.parametrize(
    "other",
    [{"at": 2**63}, {"at": -1}, {"until": 2**63}, {"by": "staff:\0x"}, {"whose": "a" * 10**6}, {"session": "\0"}],
)
async def test_what_no_database_holds_is_no_notice(pool: Pool, other: dict[str, Any]) -> None:
    wrong = replace(block(1), **other).encoded()
    assert unreadable(LogRecord(0, b"k", wrong, (), NOW))
    assert await told(pool, wrong, block(2)) == [SET]
    assert len(await rows(pool)) == 1


async def test_an_incident_is_told_whatever_the_record_says_that_it_is_about(pool: Pool) -> None:
    odd = Finding(Kind.PUBLICATION, "a\0b", "x" * 10**5, 2**63, "events", 0, 2**64)
    async with pool.acquire() as connection:
        assert await record(connection, [odd], NOW, None) == [odd]
        assert await record(connection, [odd], NOW, None) == []
        ((row,), _) = await incidents(connection)
    assert (row.stream, len(row.detail), row.version, row.offset) == ("a\ufffdb", 4_000, None, None)


async def test_a_platform_that_lifts_its_own_block_is_no_incident(pool: Pool) -> None:
    own: dict[str, Any] = {"whose": "operator:acme", "by": "operator:acme"}
    assert await told(pool, block(1, **own), block(2, holds=False, **own)) == []
    assert len(await rows(pool)) == 2


async def test_whose_sessions_a_person_ends_is_told_with_where_they_played(pool: Pool) -> None:
    """Not what a platform, the player or a lifted block ends. One of support folded hands by it, and nobody knew."""
    ending = EndedByHouse(endings=(NOW + 1,), spares=0, tables=("t-1", "t-2"))
    later = EndedByHouse(endings=(NOW + 1, NOW + 2), spares=0)
    platform = replace(ended(3, by="operator:acme"), ended=EndedByHouse(endings=(NOW + 1, NOW + 2)))
    found = await told(pool, replace(ended(1), ended=ending), replace(ended(2), ended=later), platform, ended(4))
    did = "staff:sam ended the sessions of bob, who was in"
    assert found == [
        (Kind.SESSIONS_ENDED, f"{did} a hand or round at t-1, t-2: loud"),
        (Kind.SESSIONS_ENDED, f"{did} no hand: loud"),
    ]
    assert SEVERITY[Kind.SESSIONS_ENDED] == "minor"
    assert await told(pool, replace(ended(1), ended=ending)) == [], "told again by a gateway, it is the same"
    assert [row.what for row in await rows(pool)] == ["sessions_ended"] * 4


async def test_what_keeps_players_out_now(pool: Pool) -> None:
    await told(pool, block(1), block(2, whose="operator:acme"), ended(1))
    assert await kept_out(pool, 500) == {"ann", "bob"}
    assert await kept_out(pool, 2_000) == {"ann"}, "a session that would be over anyway"
    await told(pool, block(3, holds=False))
    assert await kept_out(pool, 2_000) == {"ann"}, "the platform's block holds"
    await told(pool, block(4, holds=False, whose="operator:acme"))
    assert await kept_out(pool, 2_000) == set()
    await told(pool, block(1))
    assert await kept_out(pool, 2_000) == set(), "an old notice that somebody wrote again"


@pytest.mark.parametrize("limit", [1, 3, 500])
async def test_what_keeps_players_out_is_told_in_pages_each_once(pool: Pool, limit: int) -> None:
    names = [f"p{number}" for number in range(13)]
    await told(
        pool, *(block(1, player=name) for name in names), *(block(2, player=name, holds=False) for name in "xyz")
    )
    others = [replace(ended(number), player=f"e{number}", until=NOW + 100 * (number // 2)) for number in range(9)]
    await told(pool, *others)
    still = [f"e{number}" for number in range(9) if 100 * (number // 2) > 150]
    assert sorted(await pages(pool, 150, limit)) == sorted([*names, *still])


async def test_a_page_costs_what_it_tells_however_many_were_lifted_or_are_over(pool: Pool) -> None:
    """All of it was one answer: 5 s for 100,000 players."""

    async def read(sql: str, *given: object) -> int:
        (plan,) = json.loads(await pool.fetchval(f"explain (analyze, buffers, format json) {sql}", *given))
        return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])

    rows = """insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice)
              select sha256(convert_to($2 || n, 'utf8')), 1, $1, $2 || n, '', $3, $4, 's', '', 'x'
                from generate_series(1, $5::int) n"""
    await pool.execute(rows, "blocked", "held", True, 0, 2_000)
    await pool.execute(rows, "blocked", "lifted", False, 0, 20_000)
    await pool.execute(rows, "since", "over", True, 5, 20_000)
    await pool.execute("analyze restrictions, last_words")
    assert await read(_SET, 0, 500) < 100
    assert await read(_SET, 1_000, 500) < 100
    assert await read(_TIMED, NOW, 2**63 - 1, 500) < 10


async def test_a_gateway_asks_for_all_pages(pool: Pool, tmp_path: Path) -> None:
    notices = [block(1, player=f"p{number}") for number in range(502)]
    records = []
    for number, each in enumerate(notices):
        key, value = each.key.encode(), each.encoded()
        headers = GATEWAY.marked((SESSIONS.name, 0), key, value, ())
        records.append(LogRecord(number, key, value, headers, NOW))
    async with pool.acquire() as connection, connection.transaction():
        await keep(connection, SESSIONS.name, 0, records, AUDIT)
    app = audit_app(pool, callers(tmp_path), marks=AUDIT)
    own = add_operator(tmp_path / "operators.json", "gateway", ["house"], 0)
    by = {"authorization": f"Bearer {own}"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://audit", headers=by) as audit:
        kept = BlocksKept(audit, GATEWAY)
        first, after = await kept.page(None)
        second, last = await kept.page(after)
        assert (len(first), len(second), last) == (500, 2, None)
        assert sorted(each.player for each in [*first, *second]) == sorted(each.player for each in notices)
        assert (await audit.get("/v1/restrictions/holding", params={"after": "0"})).status_code == 422


async def test_it_is_only_added_to_and_paged_whole(pool: Pool) -> None:
    await told(pool, *(block(number // 4, player=f"p{number}") for number in range(12)))
    async with pool.acquire() as connection:
        for change in ("update restrictions set reason = ''", "delete from restrictions", "truncate restrictions"):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
                await connection.execute(change)
    seen, before = [], NEWEST
    while page := await rows(pool, before, 5):
        seen += [row.player for row in page]
        before = page[-1].place.cursor()
    assert sorted(seen) == sorted(f"p{number}" for number in range(12))
