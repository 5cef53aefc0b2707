"""Blocks, signals and cases that somebody wrote with the auditor's login: shown to nobody, told, and without effect."""

import json
from hashlib import sha256
from typing import Any

import asyncpg
import pytest

from libs.contracts.session_notices import SessionNotice
from libs.edge.paging import NEWEST, place_of
from libs.journal.log import LogRecord
from libs.projecting import Connection, Pool
from services.audit import restrictions as blocks
from services.audit.integrity.cases import Case, cases, open_cases
from services.audit.integrity.in_common import MOST_SHARE, read_shared
from services.audit.marked_rows import Evidence
from services.audit.projections.signals import WORDS as SIGNALS
from services.audit.record_watch import RecordWatch
from services.audit.restrictions import holding, keep, restrictions
from services.audit.verifying.findings import Kind
from tests.testkit.marks import AUDIT

pytestmark = pytest.mark.stack
NOW = 1_790_000_000_000
DUMPED = Case(kind="soft_play", players=("ann", "bob"), hands=(("t", 1), ("t", 2)), evidence={"pots": 200, "bets": 0})


def block(at: int, holds: bool = True, player: str = "bob") -> SessionNotice:
    return SessionNotice(about="blocked", player=player, at=NOW + at, holds=holds, by="staff:eva", reason="fraud 77")


async def told(pool: Pool, *notices: SessionNotice) -> None:
    records = [LogRecord(number, b"k", each.encoded(), (), NOW) for number, each in enumerate(notices)]
    async with pool.acquire() as connection, connection.transaction():
        await keep(connection, "sessions", 0, records, AUDIT)


async def kept_out(pool: Pool) -> list[str]:
    found = {limit: await kept_out_in_pages(pool, limit) for limit in (1, 2, 500)}
    assert found[1] == found[2] == found[500]
    return found[500]


async def kept_out_in_pages(pool: Pool, limit: int) -> list[str]:
    names, place = list[str](), blocks.Behind()
    async with pool.acquire() as connection:
        while True:
            found, behind = await holding(connection, NOW + 9, place, limit, AUDIT)
            names += [SessionNotice.decoded(each.value).player for each in found]
            if behind is None:
                break
            place = behind
    return sorted(names)


async def shown(pool: Pool) -> list[str]:
    async with pool.acquire() as connection:
        found, _ = await restrictions(connection, place_of(NEWEST), 9, AUDIT)
    return [f"{each.what} {each.player}" for each in found]


async def looked(pool: Pool) -> list[tuple[str, int | None]]:
    found = await RecordWatch(pool, AUDIT).look()
    assert {each.kind for each in found} <= {Kind.EVIDENCE}
    return [(each.stream, each.version) for each in found]


LIFTED = """insert into restrictions (identity, at, about, player, whose, holds, until, principal, reason, notice,
                                      topic, partition, key, headers, mark)
            select sha256(identity), $1, about, player, whose, not holds, 0, 'staff:supervisor-2', 'cleared, my friend',
                   notice, topic, partition, key, headers, mark from restrictions order by id limit 1"""


@pytest.mark.parametrize("at", [NOW, 2**62])
async def test_a_block_that_somebody_says_was_lifted_holds(pool: Pool, at: int) -> None:
    await told(pool, block(1), block(1, player="zoe"))
    await pool.execute(LIFTED, at)
    assert await kept_out(pool) == ["bob", "zoe"]
    assert await shown(pool) == ["blocked zoe", "blocked bob"]
    assert await looked(pool) == [("audit.restrictions", 3)]
    await told(pool, block(2, holds=False))
    assert await kept_out(pool) == ["zoe"]
    await told(pool, block(3))
    assert await kept_out(pool) == ["bob", "zoe"]


async def test_it_holds_also_when_much_was_told_since(pool: Pool) -> None:
    """Of older rows what the sweep has named counts."""
    await told(pool, block(1))
    await pool.execute(LIFTED, NOW + 5)
    assert await looked(pool) == [("audit.restrictions", 2)]
    await told(pool, *(block(7, player=f"p{number}") for number in range(blocks.NEWEST)))
    assert "bob" in await kept_out(pool)


async def test_a_block_that_nobody_told_keeps_nobody_out(pool: Pool) -> None:
    await told(pool, block(1))
    await pool.execute(LIFTED.replace("player, whose, not holds", "'zoe', whose, true"), NOW)
    assert await kept_out(pool) == ["bob"]
    assert await looked(pool) == [("audit.restrictions", 2)]


async def test_a_row_in_the_place_of_a_notice_that_is_to_come_keeps_it_out_no_more(pool: Pool) -> None:
    await told(pool, block(1, player="zoe"))
    await pool.execute(LIFTED.replace("sha256(identity)", "$2::bytea"), NOW, sha256(block(2).encoded()).digest())
    await told(pool, block(2), block(2))
    assert await shown(pool) == ["blocked bob", "blocked zoe"]
    assert await kept_out(pool) == ["bob", "zoe"]


async def report(pool: Pool, account: str, player: str) -> None:
    row = (account, "n1", player, "device", "d", NOW, "operator:o")
    columns = "account, report, player, kind, value, at, by, mark"
    await pool.execute(
        f"insert into account_signals ({columns}) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
        *(*row, SIGNALS.mark(AUDIT, *row)),
    )


async def shared(connection: Connection, *players: str) -> dict[tuple[str, str], dict[str, set[str]]]:
    return {what: each.whose for what, each in (await read_shared(connection, players, AUDIT)).items()}


THE_PAIR = {("device", "d"): {"operator:o": {"ann", "bob"}}}


async def test_a_signal_that_nobody_reported_makes_nobody_a_suspect(pool: Pool) -> None:
    for player in ("ann", "zoe"):
        await pool.execute(
            "insert into account_signals (account, report, player, kind, value, at, mark)"
            " values ('a-' || $1, 'n1', $1, 'device', 'd', 1, 'x')", player,
        )  # fmt: skip
    async with pool.acquire() as connection, connection.transaction():
        assert await shared(connection, "ann", "zoe") == {}
        assert await looked(pool) == [("audit.account_signals", 2), ("audit.account_signals", 1)]
        for _ in range(2):
            await report(pool, "a-ann", "ann")
            await report(pool, "a-bob", "bob")
        assert await shared(connection, "ann", "bob", "zoe") == THE_PAIR
    assert await pool.fetchval("select count(*) from account_signals") == 4


async def test_signals_that_nobody_reported_clear_nobody(pool: Pool) -> None:
    """What more than some dozens share is no evidence: who writes dozens beside it makes it none the less one."""
    for player in ("ann", "bob"):
        await report(pool, f"a-{player}", player)
    crowd = [f"p{number}" for number in range(2 * MOST_SHARE)]
    await pool.executemany(
        "insert into account_signals (account, report, player, kind, value, at, mark)"
        " values ('a-' || $1, 'n1', $1, 'device', 'd', 1, 'x')", [(player,) for player in crowd],
    )  # fmt: skip
    async with pool.acquire() as connection, connection.transaction():
        assert await shared(connection, "ann", "bob", *crowd) == THE_PAIR


_AS_BEFORE = (
    "insert into account_signals (account, report, player, kind, value, at, mark) values ($1, $2, $3, $4, $5, $6, $7)"
)


async def test_a_signal_of_before_it_was_kept_who_reported_is_true_and_its_reporter_unknown(pool: Pool) -> None:
    """And nobody gives it one afterwards, nor takes the reporter from another one."""
    before = Evidence("account_signals", ("account", "report", "player", "kind", "value", "at"))
    for player in ("ann", "bob"):
        row = (f"a-{player}", "n1", player, "device", "d", NOW)
        await pool.execute(_AS_BEFORE, *row, before.mark(AUDIT, *row))
    async with pool.acquire() as connection, connection.transaction():
        assert await shared(connection, "ann", "bob") == {("device", "d"): {"": {"ann", "bob"}}}
        assert await looked(pool) == []
    await report(pool, "a-zoe", "zoe")
    for by, player in (("operator:o", "ann"), ("", "zoe")):
        kept = await pool.fetchrow(f"select {SIGNALS.columns} from account_signals where player = $1", player)
        assert kept is not None
        assert SIGNALS.why_not(AUDIT, kept) is None
        assert SIGNALS.why_not(AUDIT, {**kept, "by": by}) is not None


async def opened(pool: Pool, *found: Case, now: int = NOW) -> list[Case]:
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local lock_timeout = '3s'")
        return await open_cases(connection, found or [DUMPED], now, AUDIT)


async def listed(pool: Pool) -> list[Any]:
    async with pool.acquire() as connection:
        found, _ = await cases(connection, marks=AUDIT)
    return [(each["kind"], each["players"], each["hands"], each["evidence"]) for each in found]


THE_CASE = ("soft_play", ["ann", "bob"], [["t", 1], ["t", 2]], {"pots": 200, "bets": 0})


async def test_evidence_that_somebody_changed_is_shown_to_nobody_until_it_is_found_again(pool: Pool) -> None:
    assert await opened(pool) == [DUMPED]
    assert await listed(pool) == [THE_CASE]
    assert await looked(pool) == []
    await pool.execute("update cases set hands = $1::jsonb", json.dumps([["t", 9]]))
    assert await listed(pool) == []
    assert await looked(pool) == [("audit.cases", 1)]
    assert await opened(pool, now=NOW + 1) == []
    assert await listed(pool) == [THE_CASE]
    assert await looked(pool) == []


async def test_a_case_does_not_go_back_to_what_it_was(pool: Pool) -> None:
    await opened(pool)
    before = await pool.fetchrow("select hands, evidence, last_seen, mark from cases")
    assert before is not None
    await opened(pool, Case(kind="soft_play", players=("ann", "bob"), hands=(("t", 3),), evidence={}), now=NOW + 1)
    back = "update cases set hands = $1::jsonb, evidence = $2::jsonb, last_seen = $3, mark = $4"
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="stays"):
        await pool.execute(back, *before)


async def test_a_case_that_somebody_writes_before_it_is_found_silences_nothing(pool: Pool) -> None:
    await pool.execute(
        "insert into cases (identity, kind, players, hands, evidence, opened_at, last_seen, mark)"
        " values ($1, 'soft_play', '{ann,bob}', '[]', '{}', 1, 1, 'x')", DUMPED.identity,
    )  # fmt: skip
    assert await opened(pool) == [DUMPED]
    assert await listed(pool) == [THE_CASE]
    assert await looked(pool) == [("audit.cases", 1)]


async def test_who_holds_a_case_keeps_nobody_from_opening_the_next(pool: Pool) -> None:
    await opened(pool)
    other = Case(kind="soft_play", players=("ann", "zoe"), hands=(), evidence={})
    async with pool.acquire() as held, held.transaction():
        await held.execute("select from cases for update")
        assert await opened(pool, DUMPED, other, now=NOW + 1) == [other]


@pytest.mark.parametrize("table", ["restrictions", "account_signals", "cases", "incidents", "reads"])
async def test_nobody_chooses_a_rows_number_nor_takes_one_away(pool: Pool, table: str) -> None:
    statements = (f"delete from {table}", f"truncate {table}", f"update {table} set id = default")
    for statement in (*statements, f"insert into {table} overriding system value select * from {table}"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await pool.execute(statement)
