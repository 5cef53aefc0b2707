"""Notes of the wallet's transactions that a pause of the auditor left: taken away in pages, the foreign ones told."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Pool, migrate, open_pool
from libs.projecting.writings import ForeignWriting, Writings
from services.audit import noted_writings
from services.audit.noted_writings import Seen, foreign_writings
from services.audit.settings import MIGRATIONS as AUDIT_MIGRATIONS
from services.wallet.projections import MIGRATIONS, SCHEMA

pytestmark = pytest.mark.stack
ROOT = bytes(range(32))
OURS = Writings(marks_of("wallet", ROOT, Plan()))
WATCHES = Writings(marks_of("audit", ROOT, Plan()))
MANY = 20_000
BEGAN = 1_700_000_000_000_000


@pytest_asyncio.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    """The owner's, one connection, which counts what it read."""
    await migrate(database, SCHEMA, MIGRATIONS)
    await migrate(database, "audit", AUDIT_MIGRATIONS)
    async with await open_pool(database, SCHEMA, max_size=1) as pool:
        yield pool


async def lay(pool: Pool, first: int, last: int, without: tuple[int, ...] = (), wrong: tuple[int, ...] = ()) -> None:
    """A note and its mark for each number; some without a mark, some with a wrong one."""
    await pool.execute(
        """insert into writings (xid, at, rows, tables)
           select n::text::xid8, to_timestamp($3::bigint / 1000000), 0, '{positions}'
             from generate_series($1::int8, $2::int8) as n""",
        *(first, last, BEGAN),
    )
    marks = [
        (str(n), OURS.mark(str(n), str(BEGAN)) if n not in wrong else bytes(40))
        for n in range(first, last + 1)
        if n not in without
    ]
    await pool.execute(
        """insert into writing_marks (xid, mark)
           select x::text::xid8, m from unnest($1::text[], $2::bytea[]) as u (x, m)""",
        *([x for x, _ in marks], [mark for _, mark in marks]),
    )


async def entries_read(pool: Pool) -> int:
    """Of both tables and their indexes."""
    await pool.execute("select pg_stat_force_next_flush()")
    read: int = await pool.fetchval(
        """select sum(seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relid = t.relid))::int8
             from pg_stat_user_tables t where relid in ('writings'::regclass, 'writing_marks'::regclass)"""
    )
    return read


async def look(pool: Pool, seen: Seen) -> list[str]:
    async with pool.acquire() as connection, connection.transaction():
        found = await foreign_writings(connection, SCHEMA, WATCHES, seen)
    return sorted(each.detail.split()[1] + " " + each.detail.rpartition(": ")[2] for each in found)


async def count(pool: Pool) -> int:
    found: int = await pool.fetchval("select count(*) from writings")
    return found


@pytest.mark.parametrize("analysed", [False, True])
async def test_a_look_reads_what_it_takes_away_and_not_what_is_left(
    pool: Pool, analysed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noted_writings, "LOOK_S", 0.0)  # a page a look
    await beyond(pool, MANY + 1_000)
    async with asyncio.timeout(60):  # others of this server, which began in between, hold the looks' place back
        while int(await pool.fetchval(noted_writings._LOW)) <= MANY:
            await asyncio.sleep(0.1)
    await lay(pool, 1, MANY)
    if analysed:
        await pool.execute("analyze writings")
        await pool.execute("analyze writing_marks")
    seen = Seen()
    assert await look(pool, seen) == []
    assert await count(pool) == MANY - 1_000
    before = await entries_read(pool)
    for _ in range(8):  # a statement's plan is another one after five times
        assert await look(pool, seen) == []
    # Read, and looked up again to be deleted, in both tables; and what was deleted just before, while another
    # transaction of this server may see it.
    assert await entries_read(pool) - before < 8 * 10_000
    assert await count(pool) == MANY - 9_000


async def beyond(pool: Pool, number: int) -> None:
    """Numbers up to it are given to transactions: to this one's, and some to those of others meanwhile."""
    now = int(await pool.fetchval("select pg_current_xact_id()::text"))
    over = "do $$ begin for i in 1..{} loop perform pg_current_xact_id(); commit; end loop; end $$"
    await pool.execute(over.format(max(1, number - now)))


async def test_all_go_and_what_is_foreign_is_told_each_time(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mark: at once, behind whatever is left. With a wrong one: when its page comes, and from then on."""
    monkeypatch.setattr(noted_writings, "LOOK_S", 0.0)
    await beyond(pool, 6_000)
    await lay(pool, 1, 5_000, without=(17, 4_800), wrong=(18, 3_500))
    seen = Seen()
    assert sorted(each.split()[0] for each in await look(pool, seen)) == ["17", "18", "4800"]
    for _ in range(4):
        await look(pool, seen)
    assert sorted(each.split()[0] for each in await look(pool, seen)) == ["17", "18", "3500", "4800"]
    assert await count(pool) == 4

    await pool.execute("delete from writings where xid = any('{17,18,3500}'::xid8[])")
    assert [each.split()[0] for each in await look(pool, seen)] == ["4800"]
    await pool.execute("delete from writings")
    assert await look(pool, seen) == []


async def test_more_foreign_ones_than_are_told_hide_none_for_ever(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noted_writings, "MOST", 3)
    await beyond(pool, 200)
    await lay(pool, 1, 100, without=(10, 20, 30, 40), wrong=(50,))
    seen = Seen()
    for _ in range(2):
        assert [each.split()[0] for each in await look(pool, seen)] == ["10", "20", "30"]
    assert await count(pool) == 5, "the others went"
    await pool.execute("delete from writings where xid = any('{10,20,30}'::xid8[])")
    assert [each.split()[0] for each in await look(pool, seen)] == ["40", "50"]


@pytest.mark.parametrize("ours", [True, False])
async def test_who_began_early_and_commits_late_is_not_passed_over(pool: Pool, database: str, ours: bool) -> None:
    early: Any = await asyncpg.connect(database, server_settings={"search_path": SCHEMA})
    try:
        begun = early.transaction()
        await begun.start()
        xid = await early.fetchval("select pg_current_xact_id()::text")
        await beyond(pool, int(xid) + 50)
        await lay(pool, int(xid) + 1, int(xid) + 40)
        seen = Seen()
        for _ in range(3):
            assert await look(pool, seen) == []
        assert await count(pool) == 0, "those that are there go, also above one that is under way"
        assert max(seen.place, seen.searched) <= int(xid)
        await early.execute(
            """insert into writings (xid, at, rows, tables)
               values ($1::text::xid8, to_timestamp($2::bigint / 1000000), 0, '{x}')""",
            *(xid, BEGAN),
        )
        if ours:
            await early.execute("insert into writing_marks (mark) values ($1)", OURS.mark(xid, str(BEGAN)))
        await begun.commit()
    finally:
        await early.close()
    assert [each.split()[0] for each in await look(pool, seen)] == ([] if ours else [xid])
    assert await count(pool) == (0 if ours else 1)


async def test_a_wallet_that_starts_reads_each_of_them_once(pool: Pool) -> None:
    await beyond(pool, MANY + 1_000)
    await lay(pool, 1, MANY)
    before, began = await entries_read(pool), time.monotonic()
    writings = Writings(marks_of("wallet", ROOT, Plan()))
    async with pool.acquire() as connection:
        await writings.check(connection, ["positions"])
    assert await entries_read(pool) - before < 3 * 2 * MANY
    assert time.monotonic() - began < 60
    await lay(pool, MANY + 1, MANY + 5, without=(MANY + 3,))
    async with pool.acquire() as connection:
        with pytest.raises(ForeignWriting):
            await Writings(marks_of("wallet", ROOT, Plan())).check(connection, ["positions"])
