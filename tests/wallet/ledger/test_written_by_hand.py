"""Somebody writes to the books with the wallet's login alone: nothing goes on from it, it is told and not shown."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import pytest_asyncio
from asyncpg import InsufficientPrivilegeError

from libs.contracts.messages import PublicEvent
from libs.identity.operators import add_operator
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Pool, Projector, open_pool
from libs.projecting.writings import ForeignWriting, Writings
from libs.stack import Stack
from services.audit import noted_writings
from services.audit.verifying.findings import Kind
from services.cli.mend import mended
from services.wallet.http.application import application
from services.wallet.projections import BOOKS, ROLE, SCHEMA, books
from tests.conftest import login_at
from tests.testkit.logins import callers
from tests.testkit.memory_source import MemorySource
from tests.wallet.ledger.test_set_aside import Mended
from tests.wallet.ledger.test_set_aside import evening as evening_with_a_refused_event
from tests.wallet.script import Script

pytestmark = pytest.mark.stack
ROOT = bytes(range(32))
MARKS = marks_of("wallet", ROOT, Plan())
WATCHES = Writings(marks_of("audit", ROOT, Plan()))
TABLE = "table-1"


@pytest_asyncio.fixture
async def pool(stack: Stack, house_database: str) -> AsyncIterator[Pool]:
    """The wallet's own login, as the service has it, and as who stole it."""
    async with await open_pool(login_at(stack, house_database, "wallet"), SCHEMA, role=ROLE) as pool:
        yield pool


@pytest_asyncio.fixture
async def owner(house_database: str) -> AsyncIterator[Pool]:
    async with await open_pool(house_database, SCHEMA) as pool:
        yield pool


@pytest.fixture
def wallet(pool: Pool, tmp_path: Path) -> httpx.AsyncClient:
    known, token = callers(tmp_path), add_operator(tmp_path / "operators.json", "house", ["reports"], 0)
    transport = httpx.ASGITransport(application(pool, known, MARKS, writings=Writings(MARKS)))
    headers = {"authorization": f"Bearer {token}", "croupier-purpose": "a test"}
    return httpx.AsyncClient(transport=transport, base_url="http://wallet/v1", headers=headers)


def evening() -> Script:
    script = Script()
    script.open_table(TABLE)
    for number, player in enumerate(("alice", "bob"), start=1):
        script.deposit(player, 100_000)
        script.buy_in(player, TABLE, f"{player}@{TABLE}", 10_000, number)
    script.hand(TABLE, {"alice": 500, "bob": 500}, "alice", rake=50)
    return script


def projector(pool: Pool, script: Script, projections: Any = None, limit: int = 500) -> Projector:
    source = MemorySource(script.records)
    return Projector(pool, BOOKS, projections or books(), source, limit=limit, writings=Writings(MARKS))


async def give(running: Projector, script: Script) -> None:
    """What the script has come to since is what the projector reads next."""
    running._source = MemorySource(script.records)
    await running._source.seek({place: head.position for place, head in running._heads.items()})


async def told(owner: Pool) -> list[str]:
    """What the auditor says at its next look."""
    async with owner.acquire() as connection, connection.transaction():
        found = await noted_writings.foreign_writings(connection, SCHEMA, WATCHES)
    assert {each.kind for each in found} <= {Kind.LEDGER_FOREIGN}
    return [each.detail.partition(" wrote to ")[2] for each in found]


async def available(pool: Pool, player: str) -> int:
    account: int = await pool.fetchval("select balance from balances where account = $1", f"player/{player}/EUR")
    return account


@pytest.mark.parametrize("limit", [1, 500])
@pytest.mark.parametrize("made", [evening, evening_with_a_refused_event])
async def test_what_the_books_write_themselves_is_theirs_and_its_notes_go(
    pool: Pool, owner: Pool, made: Callable[[], Script], limit: int
) -> None:
    await projector(pool, made(), limit=limit).run()
    assert await pool.fetchval("select count(*) from writings") > 0
    assert await told(owner) == []
    assert await pool.fetchval("select count(*) from writings") == 0
    assert await pool.fetchval("select count(*) from writing_marks") == 0


async def test_an_event_that_somebody_set_aside_is_never_booked(pool: Pool, owner: Pool) -> None:
    """It came into the books under the service's own mark, 777,777.00 for a thief, and the row was gone in 50 ms."""
    script = evening()
    running = projector(pool, script)
    await running.run()
    forged = PublicEvent(
        stream="account-alice-EUR",
        version=1_000_000,
        type="croupier.wallet.funds_deposited.v1",
        time=script.now,
        causation="x",
        data=msgspec.json.encode({
            "account": "account-alice-EUR", "player": "alice", "currency": "EUR", "reference": "bank-9",
            "amount": 77_777_700, "available": 77_867_700, "reserved": 0, "by": "operator:house",
        }),
    )  # fmt: skip
    before = await available(pool, "alice")
    await pool.execute(
        "insert into set_aside select projection, topic, partition, 10^9, $1, $2, '', $3 from positions limit 1",
        *(forged.stream, forged.version, msgspec.msgpack.encode(forged)),
    )

    with pytest.raises(ForeignWriting, match=r"wrote to set_aside: no mark"):
        await running.load()

    assert await available(pool, "alice") == before
    assert await pool.fetchval("select count(*) from set_aside") == 1
    # Taken away again before anybody looks: the note of it stays.
    await pool.execute("delete from set_aside")
    assert await told(owner) == ["set_aside: no mark", "set_aside: no mark"]


async def test_what_was_set_aside_is_not_taken_away_unseen(pool: Pool, owner: Pool) -> None:
    script = evening_with_a_refused_event()
    await projector(pool, script).run()
    assert await told(owner) == []
    await pool.execute("delete from set_aside")
    with pytest.raises(ForeignWriting):
        await projector(pool, script, [Mended(each) for each in books()]).load()
    assert await told(owner) == ["set_aside: no mark"]


async def test_a_row_that_nobody_can_read_does_not_end_the_books(pool: Pool, owner: Pool) -> None:
    """Of somebody else they stand, as of any; of a newer build's own its stream waits, and the others go on."""
    script = evening_with_a_refused_event()
    await projector(pool, script).run()
    stood = await pool.fetchval("select count(*) from set_aside")
    for unreadable in (b"\xc1", b"", b"\x91" * 100_000):
        await owner.execute("update set_aside set event = $1", unreadable)
        running = projector(pool, script, [Mended(each) for each in books()])
        await running.run()
        assert running.progress.set_aside == stood
        script.deposit("alice", 700)
    assert await available(pool, "alice") == 11_000 + 2 * 700

    await pool.execute(
        "insert into set_aside select projection, topic, partition, 10^9, 'x', 1, '', '' from positions limit 1"
    )
    with pytest.raises(ForeignWriting, match=r"wrote to set_aside: no mark"):
        await projector(pool, script).load()


async def test_a_true_event_is_not_withheld_by_moving_the_position(pool: Pool, owner: Pool) -> None:
    """Position and version went on behind a withdrawal: paid out, and not in the books."""
    script = evening()
    running = projector(pool, script)
    await running.run()
    script.deposit("bob", 700)
    topic, partition, event = script.records[-1]
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute(
            "update positions set position = position + 1, accepted = accepted + 1 where topic = $1 and partition = $2",
            *(topic, partition),
        )
        await connection.execute(
            "update streams set version = version + 1, seen = seen + 1 where stream = $1", event.stream
        )
    following = projector(pool, script)

    task = asyncio.create_task(following.run())
    while not following.progress.refused:
        await asyncio.sleep(0.01)

    assert not following.progress.following
    assert following.progress.refused.endswith("wrote to positions, streams: no mark")
    assert await told(owner) == ["positions, streams: no mark"]
    # The owner sets it right, takes the note away, and it goes on by itself.
    back = "update positions set position = position - 1, accepted = accepted - 1 where topic = $1 and partition = $2"
    await owner.execute(back, topic, partition)
    await owner.execute("update streams set version = version - 1, seen = seen - 1 where stream = $1", event.stream)
    await owner.execute("delete from writings")
    before = await available(pool, "bob")
    await asyncio.wait_for(task, 20)
    assert await available(pool, "bob") == before + 700
    assert await told(owner) == []


CHANGES = {
    "update sittings set won = won + 990000, returned = 990000": "/players/alice/statements",
    "insert into session_fees values ('table-1', 'f', 'alice@table-1', 5)": "/players/alice/statements",
    "insert into void_rounds values ('table-1', 'alice@table-1', 1, 5, 5)": "/players/alice/statements",
    "update rake_accounts set rake = rake / 2, hands_exempt = 3": "/rake-accounts",
    "insert into banked_tables values ('t', 'r', 'EUR', 'real')": "/banked-hold",
    "insert into banked_handle values ('t', 'r', 'a', 5)": "/banked-hold",
    "update balances set balance = balance + 5 where account like 'player/alice/%'; "
    "update balances set balance = balance - 5 where account like 'player/bob/%'": "/players/alice/accounts",
    "update positions set digest = ''": "/completeness",
    "update streams set version = version - 1 where stream = 'table-1'": "/gaps",
    "insert into house_edges values ('t', 'a', 5)": None,
    "insert into tables values ('table-2', 'demo', 'EUR', 'pt-811-2015-omaha', '')": None,
    "insert into disagreements values ('wallet', 'x', 'y', 1, 2)": None,
}


@pytest.mark.parametrize("change", CHANGES)
async def test_no_row_of_somebody_else_is_shown_or_gone_on_from(
    pool: Pool, owner: Pool, wallet: httpx.AsyncClient, change: str
) -> None:
    script = evening()
    running = projector(pool, script)
    await running.run()
    shown = CHANGES[change]
    if shown is not None:
        assert (await wallet.get(shown)).status_code == 200
    await pool.execute(change)

    said = await told(owner)
    assert len(said) == 1
    assert said[0].endswith(": no mark")
    if shown is not None:
        answer = await wallet.get(shown)
        assert (answer.status_code, answer.json()["type"]) == (500, "urn:croupier:problem:record-not-true")
    hands = "select sum(hands) from rake_accounts"
    before = await pool.fetchval(hands)
    script.hand(TABLE, {"alice": 500, "bob": 500}, "bob", rake=50)
    with pytest.raises(ForeignWriting):
        await projector(pool, script).load()
    await give(running, script)
    with pytest.raises(ForeignWriting):
        await running.step()
    assert await pool.fetchval(hands) == before


async def test_a_mark_of_another_transaction_is_none(pool: Pool, owner: Pool) -> None:
    await projector(pool, evening()).run()
    stolen = await pool.fetchval("select mark from writing_marks limit 1")
    with pytest.raises(InsufficientPrivilegeError):
        await pool.execute("insert into writing_marks select max(xid), $1 from writings", stolen)
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("update rake_accounts set rake = 0")
        await connection.execute("insert into writing_marks (mark) values ($1)", stolen)
    assert await told(owner) == ["rake_accounts: a wrong mark"]


async def test_who_waited_for_the_thief_does_not_add_to_what_he_wrote(pool: Pool, owner: Pool) -> None:
    """The change is not there yet when the batch begins, and is when it ends."""
    script = evening()
    running = projector(pool, script)
    await running.run()
    script.hand(TABLE, {"alice": 500, "bob": 500}, "bob", rake=50)
    await give(running, script)
    async with pool.acquire() as thief:
        theft = thief.transaction()
        await theft.start()
        await thief.execute("update rake_accounts set rake = 1")
        step = asyncio.create_task(running.step())
        await asyncio.sleep(0.3)
        await theft.commit()
    with pytest.raises(ForeignWriting):
        await step
    assert await pool.fetchval("select rake from rake_accounts") == 1


async def test_all_that_the_login_may_write_is_noted(pool: Pool, owner: Pool) -> None:
    rows = await pool.fetch(
        """select relname, exists (select from pg_trigger where tgrelid = c.oid
                                    and tgname in ('note_change', 'note_writing')) as noted
             from pg_class c where relnamespace = 'wallet'::regnamespace and relkind in ('r', 'p')
              and (has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE')
                   or has_any_column_privilege(c.oid, 'INSERT, UPDATE'))"""
    )
    # The trail of reads is a chain, a mark is worth what it proves, and of a turn nothing can be changed.
    assert {row["relname"] for row in rows if not row["noted"]} == {"reads", "turns", "writing_marks"}


async def test_what_mend_takes_up_is_marked_and_it_takes_up_nothing_of_somebody_else(
    pool: Pool, owner: Pool, house_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await projector(pool, evening_with_a_refused_event()).run()
    assert await told(owner) == []
    monkeypatch.setattr("services.wallet.projections.books", lambda: [Mended(each) for each in books()])
    await pool.execute("delete from set_aside where version = 0")
    report = await mended(house_database, True, MARKS, marks_of("audit", ROOT, Plan()))
    assert (report.taken_up, len(report.aside)) == (0, 1)
    assert report.foreign[0].startswith("wallet: transaction ")
    await owner.execute("delete from writings")
    report = await mended(house_database, True, MARKS, marks_of("audit", ROOT, Plan()))
    assert (report.taken_up, report.aside, report.foreign) == (2, [], [])
    assert await told(owner) == []
