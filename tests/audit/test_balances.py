"""A balance that was changed by hand, on both sides, so that the books still add up: the auditor tells it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
import pytest_asyncio
from asyncpg import InsufficientPrivilegeError

from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Connection, Part, Pool, migrate, open_pool
from libs.projecting.row_marks import Marks
from libs.projecting.writings import Writings
from services.audit import noted_writings, watch
from services.audit.balances_of_all import balances_of_all
from services.audit.standing_alarms import StandingAlarms
from services.audit.verifying.findings import Finding, Kind
from services.wallet.projections import MIGRATIONS
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.ledger import COLUMNS

ROOT = bytes(range(32))
pytestmark = pytest.mark.stack


@pytest_asyncio.fixture
async def books(database: str) -> AsyncIterator[Pool]:
    """Ten players with 100.00 each, one of them in play money, too."""
    await migrate(database, "wallet", MIGRATIONS)
    pool = await open_pool(database, "wallet")
    async with pool.acquire() as connection, connection.transaction():
        for number in range(10):
            for book in ("real", "demo") if number == 3 else ("real",):
                account = f"player/p{number}/EUR"
                await connection.execute("insert into balances values ($1, $2, 'EUR', 10000, false)", book, account)
        for book, sum_ in (("real", -100_000), ("demo", -10_000)):
            await connection.execute(
                "insert into balances values ($1, 'operator-cash/EUR', 'EUR', $2, true)", book, sum_
            )
        for number in range(10):
            for book in ("real", "demo") if number == 3 else ("real",):
                await connection.execute(
                    """insert into transfers values ('wallet', $1, 1, $2, 'operator-cash/EUR', $3, 10000, 'EUR',
                                                     'deposit', 'r', 0)""",
                    *(f"account-{book}-{number}/2", book, f"player/p{number}/EUR"),
                )
    yield pool
    await pool.close()


async def looked(books: Pool) -> set[str]:
    async with books.acquire() as connection:
        written = await watch.written_by_hand(connection, "wallet")
    assert {each.kind for each in written} <= {Kind.ACCOUNT}
    return {each.detail.split(" is not")[0] for each in written}


async def test_sound_books_tell_nothing(books: Pool) -> None:
    assert await looked(books) == set()
    async with books.acquire() as connection:
        assert await watch.sums(connection, "wallet") == await balances_of_all(connection, "wallet") == []


async def test_a_thousand_that_no_transfer_brought(books: Pool) -> None:
    async with books.acquire() as connection, connection.transaction():
        raised = "update balances set balance = balance + 100000 where account = 'player/p7/EUR'"
        lowered = "update balances set balance = balance - 100000 where account = 'operator-cash/EUR' and book = 'real'"
        await connection.execute(raised)
        await connection.execute(lowered)
    async with books.acquire() as connection:
        assert await watch.books(connection, "wallet") == [], "in sum nothing is wrong"
        assert await watch.sums(connection, "wallet") == []
    both = {f"the balance of {each} (real books)" for each in ("player/p7/EUR", "operator-cash/EUR")}
    assert await looked(books) == both
    async with books.acquire() as connection:
        shown = await trial_balance(connection)
        assert (shown.unbalanced_accounts, shown.balanced, shown.difference) == (2, False, {"EUR": 0})
        await connection.execute("update balances set moved = balance")
        assert await looked(books) == set(), "who owns the database has written what is kept, too"
        found = await balances_of_all(connection, "wallet")
        assert {each.detail.split(" is not")[0] for each in found} == both, "the transfers themselves tell it"


async def test_an_account_on_which_events_disagree_is_told_once(books: Pool) -> None:
    """Behind the first event that states another balance each of its others does, for ever."""
    async with books.acquire() as connection:
        insert = "insert into disagreements values ('wallet', $1, $2, 1, 2)"
        await connection.executemany(insert, [(f"a/{n}", f"player/p{n % 2}/EUR") for n in range(50)])
        found = await watch.books(connection, "wallet")
    assert [(each.kind, each.detail) for each in found] == [
        (Kind.ACCOUNT, f"the books and events disagree on player/p{n}/EUR") for n in range(2)
    ]


async def test_a_kept_sum_that_is_not_that_of_its_accounts(books: Pool) -> None:
    async with books.acquire() as connection:
        await connection.execute(
            "update group_sums set balance = balance + 5 where \"group\" = 'player' and book = 'real'"
        )
        [found] = await watch.sums(connection, "wallet")
        assert found.detail == "the sum that is kept of all player accounts (real books) in EUR is not theirs"
        assert not (await trial_balance(connection)).balanced


async def test_a_thousand_from_one_of_the_houses_accounts_to_another(books: Pool) -> None:
    """No player's account is touched, and one of the two had never had a transfer."""
    async with books.acquire() as connection, connection.transaction():
        assert await balances_of_all(connection, "wallet") == []
        fee = "tournament-fee/one/EUR"
        await connection.execute("insert into balances values ('real', $1, 'EUR', 100000, true)", fee)
        lowered = "update balances set balance = balance - 100000 where account = 'operator-cash/EUR' and book = 'real'"
        await connection.execute(lowered)
    async with books.acquire() as connection:
        assert await watch.sums(connection, "wallet") == [], "in sum nothing is wrong"
        told = [each.detail.split(" is not")[0] for each in await balances_of_all(connection, "wallet")]
    assert told == [f"the balance of {each} (real books)" for each in ("operator-cash/EUR", fee)]


async def test_sums_past_64_bits_are_told_like_others(books: Pool) -> None:
    async with books.acquire() as connection, connection.transaction():
        for sign, name in (("+", "player/p7/EUR"), ("-", "operator-cash/EUR")):
            moved = f"update balances set balance = balance {sign} 2::numeric ^ 70 where book = 'real' and account = $1"
            await connection.execute(moved, name)
    async with books.acquire() as connection:
        assert await watch.books(connection, "wallet") == await watch.sums(connection, "wallet") == []
    assert await looked(books) == {
        f"the balance of {each} (real books)" for each in ("player/p7/EUR", "operator-cash/EUR")
    }


async def test_a_sum_that_is_not_zero_is_told_by_the_totals_and_by_the_accounts_themselves(books: Pool) -> None:
    off = {Kind.LEDGER_SUM: "the sum over all real accounts in EUR is not zero"}
    async with books.acquire() as connection:
        await connection.execute("alter table totals disable trigger all")
        await connection.execute("update balances set balance = balance + 1 where account = 'operator-cash/EUR'"
                                 " and book = 'real'")  # fmt: skip
        assert {each.kind: each.detail for each in await watch.books(connection, "wallet")} == off
        await connection.execute("update totals set total = 0")
        assert await watch.books(connection, "wallet") == [], "somebody has written the total, too"
        assert {each.kind: each.detail for each in await watch.sums(connection, "wallet")} == off


@pytest.fixture
def sums_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that is looked at."""

    async def nothing(*_: object, **__: object) -> list[Finding]:
        return []

    for name in (
        "check_open_sittings",
        "check_open_fees",
        "check_open_passages",
        "_wallet",
        "check_promises",
        "check_disqualifications",
    ):
        monkeypatch.setattr(watch, name, nothing)
    monkeypatch.setattr(StandingAlarms, "record", nothing)


@pytest.mark.usefixtures("sums_alone")
async def test_the_accounts_are_summed_up_seldom_beside_the_looks_and_the_finding_stays(
    books: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look waited for millions of accounts, and held its snapshot as long."""
    summed, go_on = 0, asyncio.Event()

    async def counted(connection: object, schema: str) -> list[Finding]:
        nonlocal summed
        summed += 1
        await go_on.wait()
        await asyncio.sleep(0.02)
        return [Finding(Kind.LEDGER_SUM, "ledger", "off")]

    monkeypatch.setattr(watch, "sums", counted)
    looks = watch.Watch(books, NoTopics(), [], "wallet")  # type: ignore[arg-type]
    summing = asyncio.create_task(looks.run_sums(0.0, Part("sums")))
    while not summed:
        await asyncio.sleep(0.01)
    assert await looks.look() == [], "it is not waited for"
    go_on.set()
    while not await looks.look():
        await asyncio.sleep(0.01)
    found = [await looks.look() for _ in range(5)]
    summing.cancel()
    assert summed == 1, "its share of the time is a hundredth"
    assert all(Kind.LEDGER_SUM in {each.kind for each in each_look} for each_look in found)


@pytest.mark.usefixtures("sums_alone")
async def test_what_is_booked_while_it_looks_is_no_finding(books: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts and what is kept of them are two questions: each answer of a moment of its own would tell of a theft."""
    rows, booked = watch._rows, "update balances set balance = balance {0} 5, moved = moved {0} 5 where account = '{1}'"

    async def slow(connection: Connection, schema: str, table: str, *rest: str) -> list[object]:
        found = await rows(connection, schema, table, *rest)
        if table == "balances":
            async with books.acquire() as other, other.transaction():
                for sign, account in (("+", "player/p7/EUR"), ("-", "operator-cash/EUR")):
                    await other.execute(booked.format(sign, account) + " and book = 'real'")
        return found

    monkeypatch.setattr(watch, "_rows", slow)
    looks = watch.Watch(books, NoTopics(), [], "wallet")  # type: ignore[arg-type]
    await looks.sum_up()
    assert await looks.look() == []
    assert await books.fetchval("select balance from balances where account = 'player/p7/EUR'") == 10_005


class NoTopics:
    async def ends(self) -> dict[object, int]:
        return {}


MARKS = marks_of("wallet", ROOT, Plan())


async def written(books: Pool, number: int, marks: Marks | None = None) -> bytes | None:
    """A transfer that moves money from the treasury to a player, in one transaction with its mark, which it gives."""
    accounts = ("treasury/EUR", f"player/p{number}/EUR")
    row = ("wallet", f"made-up/{number}", 1, "real", *accounts, 5_000, "EUR", "deposit", "r", number)
    async with books.acquire() as connection, connection.transaction():
        await connection.copy_records_to_table("transfers", records=[row], columns=list(COLUMNS))
        if marks is not None:
            await Writings(marks).end(connection)
        mark: bytes | None = await connection.fetchval("select mark from writing_marks order by xid desc limit 1")
    return mark


async def foreign(books: Pool) -> list[str]:
    async with books.acquire() as connection, connection.transaction():
        found = await noted_writings.foreign_writings(connection, "wallet", Writings(marks_of("audit", ROOT, Plan())))
    assert {each.kind for each in found} <= {Kind.LEDGER_FOREIGN}
    return [each.detail.partition(": ")[2] for each in found]


async def test_what_the_wallet_has_marked_is_looked_at_once(books: Pool) -> None:
    await books.execute("delete from writings")
    await written(books, 1, MARKS)
    assert await foreign(books) == []
    assert await books.fetchval("select count(*) from writings") == 0
    assert await books.fetchval("select count(*) from writing_marks") == 0


async def test_a_transaction_that_writes_in_parts_has_one_mark(books: Pool) -> None:
    """As where events are projected one by one, because one of them is refused."""
    await books.execute("delete from writings")
    async with books.acquire() as connection, connection.transaction():
        for number in (1, 2, 3):
            row = (
                "wallet",
                f"made-up/{number}",
                1,
                "real",
                "treasury/EUR",
                "player/p1/EUR",
                1,
                "EUR",
                "deposit",
                "r",
                5,
            )
            with suppress(ZeroDivisionError):
                async with connection.transaction():
                    await connection.copy_records_to_table("transfers", records=[row], columns=list(COLUMNS))
                    await Writings(MARKS).end(connection)
                    if number == 1:
                        raise ZeroDivisionError
    assert await foreign(books) == []


async def test_what_somebody_wrote_with_the_wallets_login_is_told_each_time(books: Pool) -> None:
    """Balanced on both sides, and so on the books of nobody: 50,000.00 for a thief came that way."""
    await books.execute("delete from writings")
    mark = await written(books, 1, MARKS)
    assert await foreign(books) == []
    await written(books, 2)
    await written(books, 3)
    await books.execute("insert into writing_marks select max(xid), $1 from writings", mark)
    assert await foreign(books) == ["no mark", "a wrong mark"]
    assert await foreign(books) == ["no mark", "a wrong mark"]


async def test_no_login_of_a_service_takes_the_notes_away(books: Pool) -> None:
    await written(books, 1)
    async with books.acquire() as connection, connection.transaction():
        await connection.execute("set local role croupier_wallet")
        with pytest.raises(InsufficientPrivilegeError):
            await connection.execute("delete from writings")
