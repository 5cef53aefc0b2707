"""Sessions at a real table of baccarat, in the books and in the statement that the player gets."""

import pytest

from libs.contracts.table_events import PlayerLeft, PlayerWarned, RefundSent
from libs.contracts.wallet_commands import account_id
from libs.projecting import Pool
from tests.banked.sittings import Sittings, stated, statement_of
from tests.table.baccarat.play import SCORING, START, CoupTable
from tests.table.baccarat.test_idle import coups, many, warned_alone
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@pytest.mark.stack
@rule(_REGULATION, "33/1")
async def test_a_session_is_stated_and_a_void_round_stands_apart(case: Case, books_pool: Pool) -> None:
    first, void, last = case.ints("staked")
    won, lost = case.ints("net")
    table = CoupTable(commission_mode="five-percent").seat(1)
    table.plays(f"{SCORING[6, 8]} {SCORING[6, 8]}", s1=[f"banca {first}"])
    assert table.net(1) == won
    assert table.bet(1, f"ponto {void - 200}", "empate 200") is None
    assert table.void() is None
    table.wake()
    assert table.bet(1, f"ponto {last - 100}", "empate 100") is None
    table.close_bets()
    assert table.net(1) == lost
    running = await statement_of(books_pool, table, "p1")
    assert (running.end, running.totals[0].result) == (None, None)
    assert table.leave(1) is None
    session = await statement_of(books_pool, table, "p1")
    (part,), (total,) = session.parts, session.totals
    for each in (part, total):
        assert (each.staked, each.won, each.result) == (case["all_staked"], case["returned"], case["result"])
    assert [(each.staked, each.refunded) for each in part.rounds_void] == [(void, case["refunded"])]
    assert (part.hands, part.hands_void, session.end) == (2, 1, table.now)


@pytest.mark.stack
@rule(_REGULATION, "29", "33")
async def test_a_void_coup_comes_home_with_who_is_leaving_and_is_stated(books_pool: Pool) -> None:
    """Whose bet lies does not go before the coup is over (34 as read): so no refund has to follow anybody."""
    table = CoupTable().seat(1, 2).betting()
    assert table.bet(1, "ponto 700", "empate 200") is None
    assert table.bet(2, "banca 300") is None
    assert table.leave(1) is None
    script = Sittings("p1", "p2", amount=10_000).follow(table)
    home = account_id("p1", "EUR")
    assert (table.of(PlayerLeft, everything=True), script.accounts[home].available) == ([], 0)
    table.now += 1_000
    assert table.void() is None
    (left,) = table.of(PlayerLeft)
    assert (left.stack, table.of(RefundSent)) == (10_000, [])
    session = await stated(books_pool, script.follow(table), "p1")
    assert (script.accounts[home].available, script.accounts[home].reserved) == (10_000, 0)
    (part,), (total,) = session.parts, session.totals
    for each in (part, total):
        assert (each.staked, each.returned, each.result) == (0, 10_000, 0)
    assert [(each.staked, each.refunded) for each in part.rounds_void] == [(900, 900)]
    assert (part.hands, part.hands_void, session.end) == (0, 1, left.at)


@pytest.mark.stack
@rule(_REGULATION, "36/1")
async def test_a_single_players_session_that_ends_by_itself_is_stated(case: Case, books_pool: Pool) -> None:
    table = warned_alone(case)
    table.at(case.moment("bet") - START)
    assert not table.of(PlayerLeft, everything=True)
    table.at(case.moment("ends") - START)
    await _ended(books_pool, table)


@pytest.mark.stack
@rule(_REGULATION, "36/2")
async def test_a_session_at_a_table_for_many_that_ends_by_itself_is_stated(case: Case, books_pool: Pool) -> None:
    table = coups(many(), case["warned"])
    assert table.of(PlayerWarned)
    coups(table, case.int("ends") - case.int("warned"))
    await _ended(books_pool, table)


async def _ended(pool: Pool, table: CoupTable) -> None:
    (left,) = table.of(PlayerLeft)
    assert (left.player, left.reason) == ("p1", "inactivity")
    session = await statement_of(pool, table, "p1", "p2")
    (part,) = session.parts
    assert (session.end, part.end) == (left.at, left.at)
    assert (part.brought, part.returned, part.result) == (10_000, left.stack, left.stack - 10_000)
