"""Sessions at a real table of no-draw poker, in the books and in the statement that the player gets."""

import pytest

from libs.contracts.table_events import PlayerLeft, PlayerWarned
from libs.projecting import Pool
from tests.banked.sittings import Sittings, stated, statement_of
from tests.table.no_draw.play import ACE_KING, NO_KING, REGULATION, NoDraw
from tests.table.no_draw.test_sessions import a_round, after_ten, warned, warned_alone
from tests.testkit.cases import Case

rule = pytest.mark.rule


@pytest.mark.stack
@rule(REGULATION, "39/1")
async def test_a_session_is_stated_and_a_void_round_stands_apart(case: Case, books_pool: Pool) -> None:
    won, lost = case.ints("net")
    antes = [staked // 3 for staked in case.ints("staked")]
    table = NoDraw(mode="single").seat(1)
    for ante, dealer, net in ((antes[0], NO_KING, won), (antes[1], ACE_KING, lost)):
        table.dealt({1: ante}, {1: "Qh Jd 9s 7c 3h"}, dealer).plays("1 continue")
        assert table.nets == {1: net}
    table.dealt({1: case["void"]}, {1: "Qh Jd 9s 7c 3h"}, ACE_KING)
    assert table.void() is None
    running = await statement_of(books_pool, table, "p1")
    assert (running.end, running.totals[0].result) == (None, None)
    assert table.leave(1) is None
    session = await statement_of(books_pool, table, "p1")
    (part,), (total,) = session.parts, session.totals
    for each in (part, total):
        assert (each.staked, each.won, each.result) == (case["all_staked"], case["returned"], case["result"])
    assert [(each.staked, each.refunded) for each in part.rounds_void] == [(case["void"], case["refunded"])]
    assert (part.hands, part.hands_void, session.end) == (2, 1, table.now)


@pytest.mark.stack
@rule(REGULATION, "33", "39")
async def test_a_void_round_is_stated_to_who_had_folded_and_left(books_pool: Pool) -> None:
    """The refund follows into a statement that was over by then."""
    table = NoDraw().seat(1, 2).dealt({1: 700, 2: 300}, {1: "Qh Jd 9s 7c 3h", 2: "8c 8d 4s 6c 2h"}, ACE_KING)
    assert table.plays("1 fold").leave(1) is None
    (left,) = table.of(PlayerLeft)
    script = Sittings("p1", "p2").follow(table)
    table.now += 1_000
    assert table.void() is None
    session = await stated(books_pool, script.follow(table), "p1")
    (part,), (total,) = session.parts, session.totals
    assert left.stack == 10_000 - 700
    for each in (part, total):
        assert (each.staked, each.returned, each.result) == (0, 10_000, 0)
    assert [(each.staked, each.refunded) for each in part.rounds_void] == [(700, 700)]
    assert (part.hands, part.hands_void, session.end) == (0, 1, left.at)


@pytest.mark.stack
@rule(REGULATION, "42/1")
async def test_a_single_players_session_that_ends_by_itself_is_stated(case: Case, books_pool: Pool) -> None:
    table = warned_alone(case).at(after_ten(case, "ante")).wake()
    assert not table.of(PlayerLeft, everything=True)
    await _ended(books_pool, table.at(after_ten(case, "ends")).wake(), "p1")


@pytest.mark.stack
@rule(REGULATION, "42/2")
async def test_a_session_at_a_table_for_many_that_ends_by_itself_is_stated(case: Case, books_pool: Pool) -> None:
    table = warned(case["warned"])
    assert table.of(PlayerWarned)
    for _ in range(case.int("warned"), case.int("ends")):
        a_round(table, 1)
    await _ended(books_pool, table, "p2")


async def _ended(pool: Pool, table: NoDraw, player: str) -> None:
    (left,) = table.of(PlayerLeft, everything=True)
    assert (left.player, left.reason) == (player, "inactivity")
    session = await statement_of(pool, table, player, *({"p1", "p2"} - {player}))
    (part,) = session.parts
    assert (session.end, part.end) == (left.at, left.at)
    assert (part.brought, part.returned, part.result) == (10_000, left.stack, left.stack - 10_000)
