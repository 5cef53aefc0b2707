"""Months of a house that really played, taken out of its database: what was asked before is answered after as well."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio

from libs.contracts.topics import topic
from libs.edge.paging import NEWEST, place_of
from libs.identity.purpose import PURPOSE
from libs.journal.machine import journal_name
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Pool, open_pool
from libs.stack import Stack, StackError
from libs.stack.postgres import ARCHIVIST
from services.audit.balances_of_all import balances_of_all
from services.audit.http.routes import audit_app
from services.audit.journal_audit import JournalAudit
from services.audit.projections.histories import record_of, records_of
from services.audit.watch import sums, written_by_hand
from services.cli.archive import asking, putting
from services.cli.archive.command import answer, months_in, put_months, whole_months_before
from services.cli.archive.files import Archive, Held, Packing, check, read_archive
from services.cli.archive.putting import Putting
from services.cli.archive.tables import PARTED, selected
from services.cli.backups.files import MANIFEST, Damaged
from services.cli.journals import books
from services.cli.migrate import migrated
from services.cli.rebuild import Report, rebuild_log
from services.wallet.http.application import application
from services.wallet.projections import balances as b
from services.wallet.projections.statements import statement
from tests.audit.played import KEYRING, PlayedHouse
from tests.audit.test_rebuild import project_live
from tests.conftest import connected_at, login_at
from tests.testkit.logins import callers, staff_token
from tests.testkit.marks import AUDIT, WALLET
from tests.testkit.partitions import PARTITIONS, partition_of

pytestmark = pytest.mark.stack
DAY = 86_400_000
MARKS = marks_of(ARCHIVIST, b"r" * 32, Plan())
MONTHS = ("2023-11", "2023-12", "2024-01")
"""In which the house played; the last one stays."""
OF_PLAYER = "select * from transfers where 'player/player-1/EUR' in (debit, credit) order by event_time, event_id, line"
PLAYERS = [f"player-{number}" for number in range(1, 4)]


def silent(what: str, done: int, total: int) -> None:
    """Nobody looks."""


@dataclass
class Lived:
    """Three months of play, an evening in each, and what the services made of them."""

    house: PlayedHouse
    url: str
    archivist: str
    """The same database, under the archivist's login."""
    folder: Path
    wallet: Pool
    audit: Pool

    def putting(self) -> Putting:
        held = read_archive(self.folder, MARKS)
        return Putting(self.folder, held.archive if held else Archive("", ()), MARKS, self.archivist, silent)

    async def put(self, until: str = MONTHS[-1]) -> dict[str, int]:
        return (await put_months(self.putting(), self.folder, until)).months

    def held(self) -> Held:
        held = read_archive(self.folder, MARKS)
        assert held is not None
        assert held.foreign is None
        return held

    def read(self, **asked: str) -> list[dict[str, Any]]:
        given: Any = {"player": None, "book": "real", "hand": None, "account": None} | asked
        return answer(self.folder, self.held().archive.pieces, **given)

    async def rebuilt(self) -> Report:
        return await rebuild_log(self.house.log, lambda: books(KEYRING, PARTITIONS), self.url)


def evening(house: PlayedHouse) -> None:
    for player in PLAYERS:
        house.sit(player, 5_000)
    house.play(3)
    for player in PLAYERS:
        house.leave(player)
    house.settle()


@pytest_asyncio.fixture
async def lived(stack: Stack, database: str, tmp_path: Path) -> AsyncIterator[Lived]:
    house = PlayedHouse()
    house.open(0)
    for _ in MONTHS:
        evening(house)
        house.now += 31 * DAY
    await project_live(house, database)
    await migrated(database)  # lets the archivist in
    wallet, audit = await open_pool(database, "wallet"), await open_pool(database, "audit")
    name = topic("table", "journal").name
    journal = JournalAudit(audit, house.log, name, partition_of(house.table), PARTITIONS, journal_name("table"))
    await journal.load()
    while not journal.caught_up:
        await journal.step()
    await journal.close()
    folder = tmp_path / "archive"
    folder.mkdir()
    yield Lived(house, database, login_at(stack, database, ARCHIVIST), folder, wallet, audit)
    await wallet.close()
    await audit.close()


async def asked(lived: Lived) -> dict[str, Any]:
    """What does not change whatever is in the archive."""
    async with lived.wallet.acquire() as connection:
        return {
            "trial balance": await b.trial_balance(connection),
            "totals": await b.totals(connection),
            "rake": await b.rake_accounts(connection),
            "accounts": [await b.account(connection, player) for player in PLAYERS],
            "kept months": await connection.fetch("select * from kept_months order by month"),
            "filled": await connection.fetch("select * from accounts where balance <> 0 order by account"),
            "unlike their transfers": await balances_of_all(connection, "wallet"),
            "by hand": await written_by_hand(connection, "wallet"),
            "sums": await sums(connection, "wallet"),
        }


async def test_what_is_taken_out_is_read_in_the_archive_and_the_books_stay(lived: Lived) -> None:
    before = await asked(lived)
    async with lived.wallet.acquire() as books_, lived.audit.acquire() as hands:
        statements = await statement(books_, "player-1")
        transfers = [dict(row) for row in await books_.fetch(OF_PLAYER)]
        first = await record_of(hands, "hand", lived.house.table, 1)
        links = await hands.fetchval("select count(*) from journal_links")
    assert (len(statements), before["unlike their transfers"], before["by hand"], before["sums"]) == (3, [], [], [])
    assert before["trial balance"].balanced

    out = await lived.put()

    assert list(out) == [f"{schema} {month}" for schema in ("wallet", "audit") for month in MONTHS[:2]]
    assert await asked(lived) == before
    assert await lived.put() == {}, "what is done is done"
    async with lived.wallet.acquire() as books_, lived.audit.acquire() as hands:
        left = await statement(books_, "player-1")
        kept = [dict(row) for row in await books_.fetch(OF_PLAYER)]
        assert await record_of(hands, "hand", lived.house.table, 1) is None
        assert len(await records_of(hands, "hand", "player-1", place_of(NEWEST), 50)) == 3
        still = await hands.fetchval("select count(*) from journal_links")
        assert await books_.fetchval("select count(*) from balances where account like 'pot/%'") == 3
    assert left == statements[:1]
    assert lived.read(player="player-1") == [each.model_dump() for each in statements[1:]]
    assert lived.read(hand=f"{lived.house.table}/1") == [json.loads(first or "")]
    assert lived.read(account="player/player-1/EUR") + kept == transfers
    pieces = lived.held().archive.pieces
    assert still + sum(each.rows for each in asking.of(pieces, "audit", "journal_links")) == links
    assert "player/player-1/EUR" in asking.as_csv(lived.read(account="player/player-1/EUR")).splitlines()[1]
    assert lived.read(player="nobody") == lived.read(hand="no-table/1") == []


async def test_no_month_is_sorted_to_be_copied(lived: Lived) -> None:
    """292 B of temporary file a row: the archivist's 8 GB were a month of eighteen tables' transfers."""
    async with lived.wallet.acquire() as connection:
        for setting in ("sort", "seqscan", "bitmapscan"):
            await connection.execute(f"set enable_{setting} = off")
        for schema, tables in PARTED.items():
            for kept in tables:
                for row in await connection.fetch(f"explain {await selected(connection, schema, kept, MONTHS[0])}"):
                    assert "Sort" not in row[0], (kept.name, row[0])


async def test_a_rebuild_knows_which_months_are_in_the_archive(lived: Lived) -> None:
    await lived.put()
    report = await lived.rebuilt()
    assert (report.problem, report.differences) == ("", 0)
    archived = {each.table for each in report.tables if "archived" in each.table}
    assert {f"{table} {MONTHS[0]}, archived" for table in ("transfers", "sittings", "histories", "played")} <= archived
    await lived.wallet.execute(
        "update archived set sha256 = 'x' where table_name = 'transfers' and month = $1", MONTHS[0]
    )
    assert [each.table for each in (await lived.rebuilt()).tables if each.rows] == [f"transfers {MONTHS[0]}, archived"]


async def test_what_comes_late_for_a_month_in_the_archive_is_another_piece(lived: Lived) -> None:
    await lived.put()
    await project_live(lived.house, lived.url)  # the log once more: nothing is booked twice
    assert await lived.put() == {}
    async with lived.wallet.acquire() as connection, connection.transaction():
        await connection.execute("select make_month('transfers', $1)", MONTHS[0])
        await connection.execute(
            """insert into transfers select 'wallet', 'account-late/1', 1, 'real', 'operator-cash/EUR', 'treasury/EUR',
                                           5, 'EUR', 'deposit', 'late', $1""",
            1_700_000_000_000,
        )
        await connection.execute("update balances set balance = moved where balance <> moved")
    assert await lived.put() == {f"wallet {MONTHS[0]}": 1}
    assert {each.piece for each in asking.of(lived.held().archive.pieces, "wallet", "transfers")} == {1, 2}
    assert [row["reference"] for row in lived.read(account="treasury/EUR")] == ["late"]
    assert (await asked(lived))["unlike their transfers"] == []


class Ended(Exception):
    """As if the process were."""


@pytest.mark.parametrize("at", ["end", "name", "write_archive", "_take_out"])
async def test_a_run_that_ends_anywhere_loses_nothing(lived: Lived, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    before, count = await asked(lived), await lived.wallet.fetchval("select count(*) from transfers")
    where: Any = Packing if at in ("end", "name") else putting
    real = getattr(where, at)

    def ends(*given: Any) -> Any:
        real(*given) if at in ("end", "name", "write_archive") else None
        raise Ended

    with monkeypatch.context() as patched:
        patched.setattr(where, at, ends)
        with pytest.raises(Ended):
            await lived.put()
    assert await lived.wallet.fetchval("select count(*) from transfers") == count
    assert (await lived.rebuilt()).differences == 0
    assert len(await lived.put()) == 4
    pieces = lived.held().archive.pieces
    assert {each.piece for each in pieces} == {1}, "what was written already is found again"
    for each in pieces:
        check(lived.folder, each)
    assert await asked(lived) == before
    assert (await lived.rebuilt()).differences == 0


_KILLED = """
import asyncio, sys
from pathlib import Path
from services.cli.archive import putting
from services.cli.archive.command import put_months
from services.cli.archive.files import Archive
from tests.cli.archive.test_archive import MARKS, silent

async def stands(*_):
    print("here", flush=True)
    await asyncio.sleep(60)

putting._take_out = stands
folder, url, until = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
asyncio.run(put_months(putting.Putting(folder, Archive("", ()), MARKS, url, silent), folder, until))
"""


async def test_a_process_that_is_killed_and_run_again(lived: Lived) -> None:
    before = await asked(lived)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _KILLED, str(lived.folder), lived.archivist, MONTHS[-1]), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"here\n"
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    assert lived.held().archive.pieces, "so far it had come"
    assert await asked(lived) == before
    assert len(await lived.put()) == 4
    assert await asked(lived) == before
    assert len(lived.read(player="player-1")) == 2


async def test_what_somebody_changed_is_refused(lived: Lived, tmp_path: Path) -> None:
    await lived.put()
    piece = asking.of(lived.held().archive.pieces, "wallet", "transfers")[0]
    file = lived.folder / piece.file
    whole = file.read_bytes()
    for harm in (whole[: len(whole) // 2], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], b""):
        file.write_bytes(harm)
        with pytest.raises(Damaged, match=piece.file):
            lived.read(account="player/player-1/EUR")
        with pytest.raises(Damaged, match=piece.file):
            await asking.into_schema(lived.url, lived.folder, [piece], "archive_harmed", silent)
    assert not await lived.wallet.fetchval("select count(*) from pg_namespace where nspname = 'archive_harmed'")
    file.unlink()
    with pytest.raises(Damaged, match="missing"):
        lived.read(account="player/player-1/EUR")
    file.write_bytes(whole)
    manifest = lived.folder / MANIFEST
    kept = manifest.read_bytes()
    manifest.write_bytes(kept.replace(piece.sha256.encode(), b"0" * 64))
    with pytest.raises(Damaged, match="not as it was written"):
        read_archive(lived.folder, MARKS)
    manifest.write_bytes(kept)
    stranger = marks_of(ARCHIVIST, b"s" * 32, Plan())
    held = read_archive(lived.folder, stranger)
    assert held is not None
    assert held.foreign, "a manifest with another house's mark"


async def test_months_become_tables_again_for_questions_in_sql(lived: Lived) -> None:
    rows = await lived.wallet.fetch(
        "select * from transfers where event_time < $1 order by event_id, line", 1_704_067_200_000
    )
    await lived.put()
    pieces = lived.held().archive.pieces
    assert await asking.into_schema(lived.url, lived.folder, pieces, "archive", silent) == sum(e.rows for e in pieces)
    again = await lived.wallet.fetch("select * from archive.wallet_transfers order by event_id, line")
    assert [tuple(row) for row in again] == [tuple(row) for row in rows]
    assert await lived.wallet.fetchval("select record from archive.audit_histories limit 1")
    with pytest.raises(StackError, match="schema archive already"):
        await asking.into_schema(lived.url, lived.folder, pieces, "archive", silent)


async def test_a_page_of_what_is_in_the_archive_says_so(lived: Lived, tmp_path: Path) -> None:
    await lived.put()
    known = callers(tmp_path)
    apps = {"wallet": application(lived.wallet, known, WALLET), "audit": audit_app(lived.audit, known, AUDIT)}
    as_support = {"authorization": f"Bearer {staff_token('support')}", PURPOSE: "a test"}
    asked_of = {
        name: httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://house", headers=as_support)
        for name, app in apps.items()
    }
    [newest] = (await asked_of["wallet"].get("/v1/players/player-1/statements")).json()
    for service, path, month in (
        ("wallet", f"/v1/players/player-1/statements?before={newest['start']}", MONTHS[1]),
        ("audit", f"/v1/hands?player=player-1&before={newest['start']}", MONTHS[1]),
        ("audit", f"/v1/hands/{lived.house.table}/2", MONTHS[0]),
        ("audit", f"/v1/hands/{lived.house.table}/5", MONTHS[1]),
    ):
        told = await asked_of[service].get(path)
        assert (told.status_code, told.json()["type"], told.json()["month"]) == (
            410, "urn:croupier:problem:archived", month,
        ), path  # fmt: skip
    assert (await asked_of["wallet"].get("/v1/players/nobody/statements")).json() == []
    assert (await asked_of["audit"].get(f"/v1/hands/{lived.house.table}/99")).status_code == 404
    for client in asked_of.values():
        await client.aclose()


async def test_the_archivist_takes_nothing_out_that_is_not_in_the_archive(lived: Lived) -> None:
    before, young = await asked(lived), whole_months_before(time.time_ns() // 1_000_000, 24)
    await lived.wallet.execute("select make_month('transfers', $1)", young)
    counted = await lived.wallet.fetchval("select transfers from kept_months where month = $1", MONTHS[0])
    lie = {"table": "transfers", "piece": 1, "rows": counted, "sha256": "0" * 64, "mark": "00"}
    archivist = await connected_at(lived.archivist)
    try:
        for schema, month, pieces, why in (
            ("wallet", MONTHS[0], [], "rows"),
            ("wallet", MONTHS[0], [lie], "rows of void_rounds|rows of session_fees|rows of sittings"),
            ("wallet", MONTHS[0], [lie | {"rows": counted - 1}], "rows"),
            ("audit", MONTHS[0], [], "rows of histories"),
            ("audit", MONTHS[0], [lie], "a table that is not archived"),
            ("wallet", young, [], "too young"),
            ("wallet", "beyond", [], "no month"),
            ("wallet", None, [], "no month"),
        ):
            with pytest.raises(asyncpg.PostgresError, match=why):
                await archivist.execute(f"select {schema}.take_out($1, $2::text::jsonb)", month, json.dumps(pieces))
    finally:
        await archivist.close()
    assert await asked(lived) == before
    assert not await lived.wallet.fetch("select from archived")


async def test_the_archivist_holds_up_nobody_who_reads_and_nobody_who_writes_now(lived: Lived) -> None:
    now = time.time_ns() // 1_000_000
    present, young = whole_months_before(now, 0), whole_months_before(now, 24)
    for pool, table in ((lived.wallet, "transfers"), (lived.audit, "histories")):
        for month in (present, young):
            await pool.execute("select make_month($1, $2)", table, month)
    archivist = await connected_at(lived.archivist)
    part = "{}_" + present.replace("-", "_")
    try:
        for schema, table in (("wallet", "transfers"), ("audit", "histories")):
            for name in (table, part.format(table), f"{table}_beyond", f"{table}_{MONTHS[0].replace('-', '_')}"):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await archivist.execute(f"begin; lock table {schema}.{name} in share mode")
                await archivist.execute("rollback")
            for refused in (present, young, "beyond", None):
                with pytest.raises(asyncpg.InvalidParameterValueError, match=r"too young|no month"):
                    await archivist.execute(f"select {schema}.hold_month($1)", refused)
        async with archivist.transaction():
            await archivist.execute("select wallet.hold_month($1), audit.hold_month($1)", MONTHS[0])
            async with lived.wallet.acquire() as connection, connection.transaction():
                await connection.execute("set local lock_timeout = '2s'")
                assert await connection.fetchval("select count(*) from transfers")
                await connection.execute("insert into transfers select * from transfers limit 0")
                with pytest.raises(asyncpg.LockNotAvailableError):
                    await connection.execute(f"insert into transfers_{MONTHS[0].replace('-', '_')} default values")
    finally:
        await archivist.close()
    assert len(await lived.put()) == 4


async def test_a_part_is_as_append_only_as_the_ledger(lived: Lived) -> None:
    owner = await asyncpg.connect(lived.url)
    part = f"wallet.transfers_{MONTHS[0].replace('-', '_')}"
    try:
        for statement_ in (f"update {part} set amount = 1", f"delete from {part}", f"truncate {part}"):
            with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="append-only"):
                await owner.execute(statement_)
        await owner.execute("set role croupier_wallet")
        for statement_ in (f"insert into {part} select * from {part}", f"drop table {part}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await owner.execute(statement_)
        await owner.execute("set search_path to wallet")
        with pytest.raises(asyncpg.InvalidParameterValueError):
            await owner.execute("select make_month('transfers', '2026-13')")
        with pytest.raises(asyncpg.UndefinedTableError):
            await owner.execute("select make_month('balances', '2026-01')")
    finally:
        await owner.close()


def test_whole_months_that_are_older() -> None:
    assert (months_in("24mo"), months_in("2y"), months_in("3mo")) == (24, 24, 3)
    november = 1_795_000_000_000  # 2026-11-18
    assert [whole_months_before(november, each) for each in (3, 11, 24)] == ["2026-08", "2025-12", "2024-11"]
