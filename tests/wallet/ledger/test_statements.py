"""Session statements: the worked cases of pt-811-2015 67 and 2.s, from events to figures."""

import pytest

from libs.contracts.wallet_answers import SessionStatement
from libs.projecting import Pool, project
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import rake_accounts, trial_balance
from services.wallet.projections.statements import statement
from tests.testkit.cases import Case
from tests.testkit.memory_source import MemorySource
from tests.wallet.script import START, Script

pytestmark = pytest.mark.stack
MINUTE = 60_000
DAY = START // 86_400_000 * 86_400_000


async def statements_of(pool: Pool, script: Script, player: str) -> list[SessionStatement]:
    await project(pool, BOOKS, books(), MemorySource(script.records), limit=9)
    async with pool.acquire() as connection:
        return await statement(connection, player)


def seated(script: Script, *players: str, at: str = "table-1", amount: int = 10_000) -> None:
    for player in players:
        script.deposit(player, 100_000)
        script.buy_in(player, at, f"{player}@{at}", amount)


def at_two_tables(first: int, second: int) -> Script:
    """A player sits down at these times of day, at one table and then at another."""
    script = Script()
    for at in ("table-1", "table-2"):
        script.open_table(at)
    for at, time in (("table-1", first), ("table-2", second)):
        script.now = DAY + time
        seated(script, "ann", at=at)
    return script


@pytest.mark.rule("pt-811-2015", "2.s/1")
async def test_one_session_over_two_tables(books_pool: Pool, case: Case) -> None:
    first, second = ((int(time[:2]) * 60 + int(time[3:])) * MINUTE for time in case.read("opened", list[str]))
    script = at_two_tables(first, second)
    script.now = DAY + case.moment("left")
    for at in ("table-1", "table-2"):
        script.leave("ann", at, f"ann@{at}")
    [session] = await statements_of(books_pool, script, "ann")
    assert (session.start, session.end) == (DAY + case.moment("start"), DAY + case.moment("end"))
    assert [(part.table, part.start, part.end) for part in session.parts] == [
        ("table-1", DAY + first, session.end),
        ("table-2", DAY + second, session.end),
    ]


@pytest.mark.rule("pt-811-2015", "2.s/2")
async def test_the_session_ends_with_the_last_table(books_pool: Pool, case: Case) -> None:
    first, last = DAY + case.moment("first"), DAY + case.moment("last")
    script = at_two_tables(first - 40 * MINUTE - DAY, first - 30 * MINUTE - DAY)
    script.now = first
    [at_both] = await statements_of(books_pool, script, "ann")
    assert (at_both.end, [part.table for part in at_both.parts]) == (None, ["table-1", "table-2"])
    script.leave("ann", "table-1", "ann@table-1")
    [running] = await statements_of(books_pool, script, "ann")
    script.now = last
    script.leave("ann", "table-2", "ann@table-2")
    [over] = await statements_of(books_pool, script, "ann")
    assert (running.end, {part.table: part.end for part in running.parts}) == (
        None,
        {"table-1": first, "table-2": None},
    )
    assert running.totals[0].result is None
    assert (over.end, {part.table: part.end for part in over.parts}) == (last, {"table-1": first, "table-2": last})
    assert (over.totals[0].result, over.totals[0].returned) == (0, 20_000)


@pytest.mark.rule("pt-811-2015", "2.s")
async def test_a_pause_without_a_table_begins_a_new_session(books_pool: Pool) -> None:
    script = Script()
    script.open_table("table-1")
    script.deposit("ann", 100_000)
    for number in range(3):
        script.buy_in("ann", "table-1", f"s{number}", 10_000)
        script.now += MINUTE
        script.leave("ann", "table-1", f"s{number}")
        script.now += 1 if number == 0 else 0  # the third follows without a gap

    sessions = await statements_of(books_pool, script, "ann")

    assert [[part.reservation for part in session.parts] for session in sessions] == [["s1", "s2"], ["s0"]]


@pytest.mark.rule("pt-811-2015", "67")
async def test_what_still_lies_on_another_table_is_no_loss(books_pool: Pool) -> None:
    script = at_two_tables(0, MINUTE)
    script.top_up("ann", "table-2", "ann@table-2", 3_000, "u1")
    script.now += MINUTE
    script.leave("ann", "table-1", "ann@table-1")
    [running] = await statements_of(books_pool, script, "ann")
    (total,) = running.totals
    assert (running.end, total.brought, total.returned, total.result) == (None, 23_000, 10_000, None)
    script.leave("ann", "table-2", "ann@table-2")
    [over] = await statements_of(books_pool, script, "ann")
    (total,) = over.totals
    assert (over.end, total.brought, total.returned, total.result) == (script.now, 23_000, 23_000, 0)


@pytest.mark.rule("pt-811-2015", "72")
async def test_a_void_hand_counts_with_stakes_zero(books_pool: Pool) -> None:
    script = Script()
    script.open_table("table-1")
    seated(script, "ann", "bob")
    script.void("table-1", {"ann": 300, "bob": 100})
    script.leave("ann", "table-1", "ann@table-1")

    [session] = await statements_of(books_pool, script, "ann")

    assert (session.totals[0].staked, session.totals[0].result, session.totals[0].returned) == (0, 0, 10_000)
    assert (session.parts[0].hands, session.parts[0].hands_void) == (0, 1)
    async with books_pool.acquire() as connection:
        assert (await rake_accounts(connection))[0].hands_void == 1


@pytest.mark.rule("pt-811-2015", "72")
async def test_the_refund_of_a_void_hand_follows_a_player_who_had_gone(books_pool: Pool) -> None:
    script = Script()
    script.open_table("table-1")
    seated(script, "ann", "bob")
    script.bet("table-1", 1, 0, "ann", 300)
    script.now += MINUTE
    stack = script.leave("ann", "table-1", "ann@table-1")
    script.settle("ann", "table-1", "ann@table-1", 10_000, stack)
    script.now += MINUTE
    script.refund("table-1", 1, "ann", 300)
    script.send_after("ann", "table-1", "ann@table-1")
    script.settle("ann", "table-1", "ann@table-1", 0, 300)

    [session] = await statements_of(books_pool, script, "ann")

    assert (session.totals[0].result, session.totals[0].returned) == (0, 10_000)
    assert session.end == START + MINUTE
    async with books_pool.acquire() as connection:
        balance = await trial_balance(connection)
    assert (balance.balanced, balance.open_pots, balance.disagreements) == (True, 0, 0)
    assert next(group.balance for group in balance.groups if group.group == "in-transit") == 0


@pytest.mark.rule("pt-811-2015", "75/3")
async def test_play_money_stands_in_no_statement_or_account_of_real_money(books_pool: Pool) -> None:
    script = Script(kind="demo")
    script.open_table("fun-1")
    seated(script, "ann", "bob", at="fun-1")
    script.hand("fun-1", {"ann": 1_200, "bob": 1_200}, "ann", rake=120)
    script.leave("ann", "fun-1", "ann@fun-1")
    assert await statements_of(books_pool, script, "ann") == []
    async with books_pool.acquire() as connection:
        assert await rake_accounts(connection) == []
        assert [account.rake for account in await rake_accounts(connection, "demo")] == [120]
        real = await trial_balance(connection)
        assert (real.balanced, [group for group in real.groups if group.balance]) == (True, [])
        [fun] = await statement(connection, "ann", "demo")
    assert [part.table for part in fun.parts] == ["fun-1"]


@pytest.mark.parametrize("limit", [1, 2, 5, 9])
async def test_every_session_is_on_one_page(books_pool: Pool, limit: int) -> None:
    script = Script()
    script.open_table("table-1")
    script.deposit("ann", 100_000)
    for number in range(9):
        script.now += 1
        script.buy_in("ann", "table-1", f"s{number}", 10_000)
        script.leave("ann", "table-1", f"s{number}")

    await project(books_pool, BOOKS, books(), MemorySource(script.records))

    found, before = [], 2**61
    async with books_pool.acquire() as connection:
        while page := await statement(connection, "ann", "real", before, limit):
            assert len(page) <= limit
            found += [part.reservation for session in page for part in session.parts]
            before = page[-1].start
    assert found == [f"s{number}" for number in reversed(range(9))]
