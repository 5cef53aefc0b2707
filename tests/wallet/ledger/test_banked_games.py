"""Games against the house in the books: every stake, credit and bank movement booked, hold in fact and in theory."""

from fractions import Fraction
from typing import get_args

import pytest

from libs.contracts.baccarat_events import Chance, CommissionMode
from libs.contracts.configurations import flat
from libs.contracts.facts import plain
from libs.contracts.wallet_answers import StatementPart
from libs.projecting import Pool, migrate, open_pool, project
from services.wallet.projections import BOOKS, COMPARED, MIGRATIONS, ROLE, books
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.chart import Book
from services.wallet.projections.hold import TableHold, banked_hold
from services.wallet.projections.house_edges import edges_of
from services.wallet.projections.statements import statement
from tests.banked.script import BACCARAT, POKER, BankedScript, baccarat, night, no_draw
from tests.testkit.memory_source import MemorySource


async def booked(pool: Pool, script: BankedScript) -> None:
    await project(pool, BOOKS, books(), MemorySource(script.records))


async def hold_of(pool: Pool, table: str, book: Book = "real") -> TableHold:
    async with pool.acquire() as connection:
        return next(each for each in await banked_hold(connection, book) if each.table == table)


async def parts(pool: Pool, player: str) -> dict[str, StatementPart]:
    async with pool.acquire() as connection:
        sessions = await statement(connection, player)
    return {part.table: part for session in sessions for part in session.parts}


@pytest.mark.stack
async def test_a_night_against_the_house_adds_up(books_pool: Pool) -> None:
    await booked(books_pool, night())
    async with books_pool.acquire() as connection:
        balance = await trial_balance(connection)
    groups = {group.group: group.balance for group in balance.groups}
    house_won = (-500 + 300 + 3_000) + (-1_900 + 1_000 + 400)
    assert balance.balanced
    assert (balance.disagreements, balance.open_pots, balance.difference) == (0, 0, {"EUR": 0})
    assert (groups["bank"], groups["round"], groups["stack"], groups["in-transit"]) == (0, 0, 0, 0)
    assert groups["treasury"] == house_won
    assert groups["player"] == 200_000 - house_won


@pytest.mark.stack
@pytest.mark.parametrize("cut", [9, 15, 22, 31, 40])
async def test_the_books_balance_after_every_event(books_pool: Pool, cut: int) -> None:
    """The database itself refuses a commit that does not balance: one event a batch, and every batch is committed."""
    await project(books_pool, BOOKS, books(), MemorySource(night().records[:cut]), limit=1)
    async with books_pool.acquire() as connection:
        balance = await trial_balance(connection)
    assert (balance.balanced, balance.disagreements) == (True, 0)


@pytest.mark.stack
async def test_hold_in_fact_and_in_theory(books_pool: Pool) -> None:
    await booked(books_pool, night())
    poker, bac = await hold_of(books_pool, POKER), await hold_of(books_pool, BACCARAT)
    assert (poker.drop, poker.handle, poker.win, poker.rounds, poker.rounds_void) == (40_000, 4_800, 2_800, 2, 1)
    # 5.2243 % of antes of 1800 and nothing of the second bets.
    assert (poker.theoretical, poker.hold_bp, poker.theoretical_bp) == (94, 5_833, 195)
    assert (poker.bank_in, poker.bank_out, poker.bank) == (1_050_000, 1_052_800, 0)
    assert (bac.handle, bac.win, bac.commission) == (3_400, -500, 100)
    assert (bac.hold_bp, bac.theoretical) == (-1_470, 2_000 * 10_579 // 10**6 + 1_400 * 12_351 // 10**6)
    assert [(area.area, area.handle, area.win) for area in bac.areas] == [
        ("banca", 2_000, -1_900),
        ("ponto", 1_400, 1_400),
    ]


@pytest.mark.stack
@pytest.mark.rule("pt-803-2015-no-draw", "39")
async def test_a_session_of_no_draw_poker_is_stated(books_pool: Pool) -> None:
    await booked(books_pool, night())
    part = (await parts(books_pool, "ann"))[POKER]
    assert (part.staked, part.won, part.result, part.hands) == (4_500, 2_000, -2_500, 2)
    assert [(void.staked, void.refunded) for void in part.rounds_void] == [(900, 900)]
    assert part.hands_void == 1


@pytest.mark.stack
@pytest.mark.rule("pt-812-2015-baccarat", "33")
async def test_a_session_of_baccarat_is_stated(books_pool: Pool) -> None:
    await booked(books_pool, night())
    part = (await parts(books_pool, "ann"))[BACCARAT]
    assert (part.staked, part.won, part.result) == (2_400, 3_900, 1_500)
    assert (part.rake, part.commission_on_wins, part.commission) == (0, 100, 0)
    assert [(void.staked, void.refunded) for void in part.rounds_void] == [(1_200, 1_200)]


@pytest.mark.stack
async def test_a_bank_that_is_empty_pays_nobody(books_pool: Pool) -> None:
    script = BankedScript()
    script.deposit("ann", 100_000)
    script.open_against(BACCARAT, baccarat(), bank=500)
    script.sit("ann", BACCARAT, 20_000)
    script.betting(BACCARAT)
    script.stake(BACCARAT, "ann", "ponto", 1_000)
    script._banks[BACCARAT] = 10_000  # a lie: nobody brought it
    script.settle_round(BACCARAT, {("ann", "ponto"): (2_000, 0)})
    await booked(books_pool, script)
    assert await books_pool.fetchval("select stream || ' ' || reason from set_aside where reason <> ''") == (
        f"{BACCARAT} BooksBroken"
    )
    assert await books_pool.fetchval("select balance from balances where account = $1", f"bank/{BACCARAT}") >= 0


@pytest.mark.stack
async def test_play_money_against_the_house_stays_in_its_own_books(books_pool: Pool) -> None:
    await booked(books_pool, night("demo"))
    async with books_pool.acquire() as connection:
        real, demo = await trial_balance(connection), await trial_balance(connection, "demo")
        assert await banked_hold(connection) == []
        assert {table.table for table in await banked_hold(connection, "demo")} == {POKER, BACCARAT}
    assert (real.transfers, demo.balanced) == (0, True)
    assert "treasury" not in {group.group for group in demo.groups}
    assert await parts(books_pool, "ann") == {}


@pytest.mark.stack
async def test_the_hold_is_read_of_the_banks_and_not_of_every_account_there_ever_was(books_pool: Pool) -> None:
    await booked(books_pool, night())
    read = "select seq_tup_read from pg_stat_user_tables where relname = 'balances'"
    async with books_pool.acquire() as connection:
        for number in range(10):
            over = "select 'real', 'pot/t' || $1 || '/' || n, 'EUR', 0, false from generate_series(1, 1000) n"
            await connection.execute("insert into balances " + over, str(number))
        await connection.execute("analyze balances")
        await connection.execute("select pg_stat_force_next_flush()")
        before = await connection.fetchval(read)
        assert len(await banked_hold(connection)) == 2
        await connection.execute("select pg_stat_force_next_flush()")
        assert await connection.fetchval(read) == before


@pytest.mark.stack
async def test_a_rebuild_is_equal_row_by_row(books_pool: Pool, database: str) -> None:
    script = night()
    await project(books_pool, BOOKS, books(), MemorySource(script.records), limit=7)
    await migrate(database, "wallet_rebuilt", MIGRATIONS)
    rebuilt = await open_pool(database, "wallet_rebuilt", role=ROLE)
    by_partition = sorted(script.records, key=lambda record: (record[0], record[1]))
    await project(rebuilt, BOOKS, books(), MemorySource(by_partition))
    for table in COMPARED:
        made, kept = [sorted(map(repr, await pool.fetch(f"select * from {table}"))) for pool in (rebuilt, books_pool)]
        assert made == kept, table
    assert await rebuilt.fetchval("select count(*) from banked_handle") == 4
    await rebuilt.close()


async def test_edges_are_those_of_the_exact_enumeration() -> None:
    from services.cli.house_edges.baccarat import odds

    for decks in (6, 8):
        exact = odds(decks)
        for mode in get_args(CommissionMode):
            stored = edges_of(flat(baccarat(decks=decks, commission_mode=mode)))
            assert set(stored) == {"ponto", "banca", "empate", "par_ponto", "par_banca"}
            for area in get_args(Chance):
                ppm = stored[area]
                assert abs(exact.edge(area, mode) * 10**6 - ppm) <= Fraction(1, 2), (decks, mode, area)


def test_poker_between_players_has_no_edge() -> None:
    assert edges_of({"game": "poker"}) == {}
    assert edges_of(plain(no_draw())) == {"ante": 52_243, "bet": 0}
