"""A month that its owner dropped is told, also where an empty one lies in its place and the sums are carried over."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from libs.journal.mark_keys import ARCHIVIST, Plan, marks_of
from libs.projecting import Pool
from libs.stack import Stack
from services.audit.archived_months import mark_piece
from services.audit.months_that_left import MonthsThatLeft, Part, Parts, gone
from services.cli.archive.command import put_months
from services.cli.archive.files import Archive
from services.cli.archive.putting import Putting
from tests.conftest import login_at

ROOT = bytes(range(32))
AUDITOR, MARKS = marks_of("audit", ROOT, Plan()), marks_of(ARCHIVIST, ROOT, Plan())
NOW_MS = 1_796_000_000_000
"""30 November 2026."""
OLD, YOUNG = "2023-11", "2026-11"
INVENTED = "0" * 64
Look = Callable[[], Awaitable[list[tuple[str, str]]]]

_CARRY = "insert into wallet.carried values ('real', 'player/alice/EUR', 'EUR', {0}), ('real', 'x', 'EUR', -{0})"


@pytest_asyncio.fixture
async def look(pool: Pool) -> AsyncIterator[Look]:
    """As the auditor does, and what it tells for the first time."""
    at, told = MonthsThatLeft(("wallet", "audit"), "wallet"), set[object]()

    async def looked() -> list[tuple[str, str]]:
        async with pool.acquire() as connection, connection.transaction(isolation="repeatable_read", readonly=True):
            found = await at.look(connection, AUDITOR)
        at._again = 0.0
        new = [each for each in found if each not in told]
        told.update(found)
        assert {each.kind.value for each in new} <= {"month_not_archived"}
        return [(each.stream, each.detail) for each in new]

    yield looked


async def filled(owner: "asyncpg.Connection[asyncpg.Record]", month: str) -> None:
    await owner.execute("select make_month('played', $1)", month)
    at = int(time.mktime(time.strptime(month, "%Y-%m")) + 5 * 86_400) * 1000
    await owner.execute("insert into played values ('alice', 'hand', $1, 'table-1', 12)", at)


async def dropped(owner: "asyncpg.Connection[asyncpg.Record]", month: str) -> None:
    part = f"played_{month.replace('-', '_')}"
    await owner.execute(f"alter table played detach partition {part}; drop table {part}")


@pytest.mark.stack
async def test_a_month_that_its_owner_dropped_and_made_again(
    owner: "asyncpg.Connection[asyncpg.Record]", look: Look
) -> None:
    """An attacker's of 30 November 2026: 123 transfers were gone, and nothing told."""
    month = time.strftime("%Y-%m", time.gmtime())
    await filled(owner, month)
    assert [await look(), await look()] == [[], []]
    async with owner.transaction():
        await dropped(owner, month)
        await owner.execute("insert into archived values ('played', $1, 1, 1, $2, 1, null)", month, INVENTED)
        await owner.execute("select make_month('played', $1)", month)
    said = "left the database, and nobody has archived it: its part is gone, or another one"
    assert await look() == [("audit.played", f"{month} {said}")]
    assert await look() == []


@pytest.mark.stack
async def test_what_is_archived_leaves_and_so_does_a_month_without_rows(
    stack: Stack, owner: "asyncpg.Connection[asyncpg.Record]", house_database: str, look: Look, tmp_path: Path
) -> None:
    await filled(owner, OLD)
    for parent in ("histories", "journal_links"):
        await owner.execute("select make_month($1, $2)", parent, OLD)
    await owner.execute("select wallet.make_month('transfers', '2023-10')")
    assert await look() == []
    url = login_at(stack, house_database, ARCHIVIST)
    putting = Putting(tmp_path, Archive("", ()), MARKS, url, lambda what, done, total: None)
    assert f"audit {OLD}" in (await put_months(putting, tmp_path, "2024-01")).months
    assert not await owner.fetchval("select to_regclass('wallet.transfers_2023_10') is not null")
    assert await look() == []
    await filled(owner, OLD)  # what comes late has a part of its own
    assert [await look(), await look()] == [[], []]


@pytest.mark.stack
async def test_nothing_is_carried_where_no_transfers_have_left(
    owner: "asyncpg.Connection[asyncpg.Record]", look: Look
) -> None:
    await owner.execute(_CARRY.format(500))
    await owner.execute("insert into wallet.archived values ('transfers', $1, 1, 1, $2, 1, null)", OLD, INVENTED)
    said = "there are sums of transfers in an archive, and none have left for one"
    assert await look() == [("wallet.carried", said)]


@pytest.mark.stack
async def test_what_is_carried_changes_with_a_month_that_leaves_alone(
    owner: "asyncpg.Connection[asyncpg.Record]", look: Look
) -> None:
    async def leaves(month: str, sums: int) -> None:
        mark = mark_piece(MARKS, "wallet", "transfers", month, 1, 1, INVENTED)
        async with owner.transaction():
            put = "insert into wallet.archived values ('transfers', $1, 1, 1, $2, 1, $3)"
            await owner.execute(put, month, INVENTED, mark)
            await owner.execute(f"delete from wallet.carried; {_CARRY.format(sums)}")

    await leaves(OLD, 500)
    assert [await look(), await look()] == [[], []]
    await leaves("2023-12", 700)
    assert [await look(), await look()] == [[], []]
    await owner.execute("update wallet.carried set moved = moved * 2")
    said = "sums of transfers in an archive are others than before, and none have left for one"
    assert await look() == [("wallet.carried", said)]


def parts(**of: Part) -> Parts:
    """By month, with `_` before and in its name."""
    return {("transfers", name[1:].replace("_", "-")): part for name, part in of.items()}


@pytest.mark.parametrize(
    ("before", "now", "fresh", "told"),
    [
        (Part(1, True), Part(1, True), set(), False),
        (Part(1, True), None, set(), True),
        (Part(1, True), Part(2, False), set(), True),
        (Part(1, True), None, {("transfers", OLD, 1)}, False),
        (Part(1, True), Part(2, True), {("transfers", OLD, 2)}, False),
        (Part(1, True), None, {("transfers", "2023-10", 1)}, True),
        (Part(1, True), None, {("histories", OLD, 1)}, True),
        (Part(1, False), None, set(), False),
    ],
)
def test_an_old_month(before: Part, now: Part | None, fresh: set[tuple[str, str, int]], told: bool) -> None:
    found = gone("wallet", parts(_2023_11=before), parts(_2023_11=now) if now else {}, fresh, NOW_MS)
    assert [each.stream for each in found] == ["wallet.transfers"] * told


@pytest.mark.parametrize("had_rows", [False, True])
def test_a_young_one_leaves_for_nobody(had_rows: bool) -> None:
    fresh = {("transfers", YOUNG, 1)}
    assert gone("wallet", parts(_2026_11=Part(1, had_rows)), {}, fresh, NOW_MS)
    assert gone("wallet", parts(_before=Part(1, had_rows)), {}, fresh, NOW_MS), "nor what no month is"


def test_very_many_are_one_finding() -> None:
    before = {("transfers", f"20{year}-0{month}"): Part(1, True) for year in (21, 22, 23) for month in range(1, 10)}
    (found,) = gone("wallet", before, {}, set(), NOW_MS)
    assert found.detail.startswith("2021-01, 2021-02, ")
    assert "2022-03 and 15 more left the database" in found.detail
