"""What left the database for an archive, against who has the archivist's database login and not its marks."""

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from libs.identity.reads import of_audit, of_wallet
from libs.journal.mark_keys import ARCHIVE, ARCHIVED, ARCHIVIST, Plan, keys_of, marks_of
from libs.journal.marks import MayNotWrite
from libs.projecting import Connection, Pool
from libs.stack import Stack, StackError
from services.audit.archived_months import TOLD_MS, is_young, mark_piece, telling
from services.audit.record_watch import RecordWatch
from services.audit.verifying.findings import Finding
from services.cli.archive.command import put_months, whole_months_before
from services.cli.archive.files import Archive
from services.cli.archive.putting import Putting
from tests.audit.test_service import _ready, serving, settings_for, until
from tests.conftest import connected_at, login_at
from tests.testkit.archiving import keep_months
from tests.testkit.marks import ROOT as HOUSE_ROOT

ROOT = bytes(range(32))
AUDITOR, MARKS = marks_of("audit", ROOT, Plan()), marks_of(ARCHIVIST, ROOT, Plan())
OLD = "2023-11"
OLD_MS = 1_700_000_000_000
LEFT_MS = OLD_MS + 150 * 86_400_000
INVENTED = "0" * 64
TAKE = "select audit.take_out($1, $2::text::jsonb)"


@pytest_asyncio.fixture
async def archivist(stack: Stack, house_database: str) -> AsyncIterator[Connection]:
    connection = await connected_at(login_at(stack, house_database, ARCHIVIST))
    yield connection
    await connection.close()


@pytest.fixture
def watch(pool: Pool) -> tuple[RecordWatch, list[Finding]]:
    """As the auditor looks, and what it has told."""
    new: list[Finding] = []
    return RecordWatch(pool, AUDITOR, new.append, (of_audit("audit"), of_wallet("wallet"))), new


def young() -> tuple[str, int]:
    """A month that is three whole months old, and a millisecond in it."""
    months = whole_months_before(time.time_ns() // 1_000_000, 4)
    began = time.strptime(months, "%Y-%m")
    return months, (int(time.mktime(began)) + 5 * 86_400) * 1000


async def one_hand(owner: "asyncpg.Connection[asyncpg.Record]", month: str = OLD, at: int = OLD_MS) -> None:
    await owner.execute("select make_month('played', $1)", month)
    await owner.execute("insert into played values ('alice', 'hand', $1, 'table-1', 12)", at)


def piece(**other: Any) -> dict[str, Any]:
    return {"table": "played", "piece": 1, "rows": 1, "sha256": INVENTED, "mark": b"no mark".hex()} | other


async def left(owner: "asyncpg.Connection[asyncpg.Record]") -> int:
    count: int = await owner.fetchval("select count(*) from played")
    return count


async def looked(watch: tuple[RecordWatch, list[Finding]]) -> list[tuple[str, str, str, int | None]]:
    """What is told for the first time, in two looks."""
    for _ in range(2):
        await watch[0].look()
    found: list[tuple[str, str, str, int | None]]
    found = [(each.kind.value, each.severity, each.stream, each.version) for each in watch[1]]
    watch[1].clear()
    return found


@pytest.mark.stack
async def test_the_archivists_login_alone_takes_no_month_out_that_is_three_months_old(
    owner: "asyncpg.Connection[asyncpg.Record]", archivist: Connection
) -> None:
    """An attacker's: one hand of May in November, "in the archive" with a digest that nobody had made."""
    month, at = young()
    await one_hand(owner, month, at)
    for given in ({}, {"mark": None}):
        with pytest.raises(asyncpg.InvalidParameterValueError, match="too young to be taken out: 24 whole months stay"):
            await archivist.execute(TAKE, month, json.dumps([piece(**given)]))
    assert await left(owner) == 1


@pytest.mark.stack
@pytest.mark.parametrize(
    "pieces",
    [
        [{name: value for name, value in piece().items() if name != "mark"}],
        [piece(mark=None)],
        [piece(mark="")],
        [piece(mark="no hex")],
        [piece(mark="00" * 129)],
        [piece(sha256="0")],
        [piece(piece=0)],
        [piece(rows=2), piece(piece=2, rows=-1)],
        [piece(), piece(piece=2, rows=0)],
        [piece(), {"table": "histories", "piece": 1, "rows": 0, "sha256": INVENTED, "mark": "00"}],
    ],
)
async def test_nothing_is_put_down_without_rows_and_a_mark(
    owner: "asyncpg.Connection[asyncpg.Record]", archivist: Connection, pieces: list[dict[str, Any]]
) -> None:
    await one_hand(owner)
    with pytest.raises(asyncpg.InvalidParameterValueError, match="one piece, with its rows, digest and mark"):
        await archivist.execute(TAKE, OLD, json.dumps(pieces))
    assert await left(owner) == 1
    assert not await owner.fetch("select from archived")


@pytest.mark.stack
@pytest.mark.parametrize(
    "mark",
    [
        b"x",
        b"0" * 32 + b"01archivist",
        mark_piece(marks_of(ARCHIVIST, bytes(32), Plan()), "audit", "played", OLD, 1, 1, INVENTED),
        mark_piece(MARKS, "audit", "played", OLD, 1, 1, "1" * 64),
        mark_piece(MARKS, "audit", "played", "2023-12", 1, 1, INVENTED),
        mark_piece(MARKS, "wallet", "played", OLD, 1, 1, INVENTED),
        mark_piece(MARKS, "audit", "histories", OLD, 1, 1, INVENTED),
        mark_piece(MARKS, "audit", "played", OLD, 2, 1, INVENTED),
        mark_piece(MARKS, "audit", "played", OLD, 1, 2, INVENTED),
    ],
)
async def test_a_month_that_leaves_with_another_mark_is_told_at_once(
    owner: "asyncpg.Connection[asyncpg.Record]",
    archivist: Connection,
    watch: tuple[RecordWatch, list[Finding]],
    mark: bytes,
) -> None:
    await one_hand(owner)
    assert await looked(watch) == []
    await archivist.execute(TAKE, OLD, json.dumps([piece(mark=mark.hex())]))
    assert await left(owner) == 0
    assert await looked(watch) == [("month_not_archived", "critical", "audit.played", 1)]
    assert await looked(watch) == [], "once"
    [row] = await owner.fetch("select detail, count from incidents")
    assert row["detail"].startswith("piece 1 of 2023-11 left the database, and the archivist has not archived it: ")
    assert (INVENTED in row["detail"], row["count"]) == (False, 1)


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_an_auditor_that_runs_tells_it_within_seconds_and_takes_what_is_archived_for_it(
    stack: Stack, house_database: str, topics: str, tmp_path: Path, owner: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    archivist = marks_of(ARCHIVIST, HOUSE_ROOT, Plan())
    async with serving(settings_for(stack, house_database, topics, tmp_path)) as (parts, client):
        await until(lambda: _ready(parts))
        login = await connected_at(login_at(stack, house_database, ARCHIVIST))
        true = mark_piece(archivist, "audit", "played", OLD, 1, 1, INVENTED)
        for number, mark in ((1, true), (2, true)):
            await one_hand(owner)
            await login.execute(TAKE, OLD, json.dumps([piece(piece=number, mark=mark.hex())]))
        await login.close()
        began = time.monotonic()

        async def told() -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = (await client.get("/v1/incidents")).json()["incidents"]
            return rows if len(rows) == 2 else []

        found = await until(told, 20)
        assert time.monotonic() - began < 10
    assert {(each["kind"], each["severity"], each["version"]) for each in found} == {
        ("month_archived", "minor", 1),
        ("month_not_archived", "critical", 2),
    }


@pytest.mark.stack
async def test_also_where_the_auditor_was_away_and_much_has_left_since(
    owner: "asyncpg.Connection[asyncpg.Record]", pool: Pool, watch: tuple[RecordWatch, list[Finding]]
) -> None:
    """A look reads fifty rows of a schema, and comes to all of them."""
    await owner.execute(
        "insert into wallet.archived select 'transfers', '2020-01', n, 1, $1, n, 'x' from generate_series(1, 120) n",
        INVENTED,
    )
    await watch[0].look()
    assert await owner.fetchval("select count(*) from incidents") == 50
    for _ in range(2):
        await watch[0].look()
    assert await owner.fetchval("select count(*) from incidents where stream = 'wallet.transfers'") == 120


@pytest.mark.stack
async def test_what_is_archived_is_told_once_and_what_bears_no_mark_nobody_has_archived(
    stack: Stack,
    owner: "asyncpg.Connection[asyncpg.Record]",
    house_database: str,
    watch: tuple[RecordWatch, list[Finding]],
    tmp_path: Path,
) -> None:
    now = time.time_ns() // 1_000_000
    await owner.execute("insert into archived values ('played', '2023-10', 1, 1, 'of before', $1)", now)
    await one_hand(owner)
    assert await looked(watch) == [("month_not_archived", "critical", "audit.played", 1)]
    url = login_at(stack, house_database, ARCHIVIST)
    putting = Putting(tmp_path, Archive("", ()), MARKS, url, lambda what, done, total: None)
    assert (await put_months(putting, tmp_path, "2024-01")).months == {f"audit {OLD}": 1}
    assert await looked(watch) == [("month_archived", "minor", "audit.played", 1)]
    assert await looked(watch) == []
    [row] = await owner.fetch("select detail, count from incidents where kind = 'month_archived'")
    [held] = putting.archive.pieces
    assert row["detail"] == f"piece 1 of {OLD} left the database for the archive: 1 rows, SHA-256 {held.sha256}"
    assert row["count"] == 1


@pytest.mark.stack
async def test_a_month_that_is_younger_leaves_once_the_owner_has_said_so(
    stack: Stack, owner: "asyncpg.Connection[asyncpg.Record]", house_database: str, tmp_path: Path
) -> None:
    month, at = young()
    await one_hand(owner, month, at)
    until = whole_months_before(time.time_ns() // 1_000_000, 3)
    url = login_at(stack, house_database, ARCHIVIST)
    putting = Putting(tmp_path, Archive("", ()), MARKS, url, lambda what, done, total: None)
    with pytest.raises(StackError, match=r"wallet keeps 24 whole months: fewer once .* says so in wallet\.archiving"):
        await put_months(putting, tmp_path, until)
    with pytest.raises(asyncpg.CheckViolationError):
        await owner.execute("update archiving set least_months = 2")
    await keep_months(house_database, 3)
    assert (await put_months(putting, tmp_path, until)).months == {f"audit {month}": 1}
    await owner.execute("delete from archiving")
    with pytest.raises(asyncpg.InvalidParameterValueError, match="too young"):
        await owner.execute("select hold_month($1)", OLD)


def row(**other: Any) -> dict[str, Any]:
    mark = mark_piece(MARKS, "audit", "played", OLD, 1, 7, INVENTED)
    given = {"table_name": "played", "month": OLD, "piece": 1, "rows": 7, "sha256": INVENTED, "at": LEFT_MS}
    return given | {"mark": mark} | other


@pytest.mark.parametrize("month", ["2026-11", "2026-10", "2026-08", "2026-13", "before", ""])
def test_a_month_that_is_not_over_for_long_is_archived_by_nobody_whatever_its_mark(month: str) -> None:
    at = 1_796_000_000  # 30 November 2026
    mark = mark_piece(MARKS, "audit", "played", month, 1, 7, INVENTED)
    told = telling("audit", lambda: at)(AUDITOR, row(month=month, mark=mark))
    assert told is not None
    assert (told.kind.value, told.severity) == ("month_not_archived", "critical")


def test_the_youngest_month_that_may_leave() -> None:
    assert [is_young(month, 1_796_000_000_000) for month in ("2026-07", "2026-08")] == [False, True]
    assert [is_young(month, 1_800_000_000_000) for month in ("2026-09", "2026-10")] == [False, True]  # January


def test_a_retired_key_has_marked_what_left_and_old_pieces_are_not_told_again() -> None:
    retired = marks_of("audit", ROOT, Plan(accepted=(1, 2), writes=2, retired={1: {}}, said_at={1: OLD_MS}))
    tell = telling("audit", lambda: LEFT_MS / 1000)
    assert [tell(marks, row()) is None for marks in (AUDITOR, retired)] == [False, False]
    later = telling("audit", lambda: (LEFT_MS + TOLD_MS + 1) / 1000)
    assert [later(marks, row()) for marks in (AUDITOR, retired)] == [None, None]
    wrong = later(retired, row(rows=8))
    assert wrong is not None
    assert wrong.severity == "critical"


def test_who_judges_what_left_can_not_mark_an_archives_manifest() -> None:
    held = {(key.topic, key.writer) for key in keys_of("audit", ROOT, Plan())}
    assert (ARCHIVED, ARCHIVIST) in held
    assert ARCHIVE not in {topic for topic, _ in held}
    with pytest.raises(MayNotWrite):
        mark_piece(AUDITOR, "audit", "played", OLD, 1, 7, INVENTED)
