"""What a session is said to have cost: real tables and accounts play, and the books make the statement (67 to 72)."""

import pytest

from libs.contracts.poker_events import HandVoided
from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerWarned
from libs.contracts.wallet_answers import SessionStatement
from libs.projecting import Pool, project
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.statements import statement
from tests.table.omaha.house import House
from tests.table.omaha.play import portugal, ranked, seated
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case
from tests.testkit.memory_source import MemorySource

pytestmark = pytest.mark.stack
MINUTE = 60_000


async def statement_of(pool: Pool, there: House, seat: int) -> SessionStatement:
    """The only session of the player."""
    there.settle()
    await project(pool, BOOKS, books(), MemorySource(there.records))
    async with pool.acquire() as connection:
        [session] = await statement(connection, f"p{seat}")
        assert (await trial_balance(connection)).balanced
    return session


async def taken(pool: Pool, kind: str) -> int:
    """What the house has taken of all players, by the books: `rake` or `commission`."""
    async with pool.acquire() as connection:
        balance = await trial_balance(connection)
    return sum(group.balance for group in balance.groups if group.group == kind)


def hand(table: TableUnderTest, winner: int, *acts: str) -> None:
    """Heads-up; the next hand, with the cards for a winner."""
    button = 3 - table.state.button if table.state.running else 1
    loser = 3 - winner
    cards = ranked(button, {winner: 0, loser: 1})
    if table.state.running:
        table.wake(cards)
    else:
        table.deal(button=button, fresh=cards)
    table.plays(*acts)
    if table.state.hand is not None:
        table.checks_down()


@portugal("67/1", "17.a")
async def test_three_hands_in_pot_mode(books_pool: Pool, case: Case) -> None:
    bets, pots = case.read("bets", dict[int, int]), case.read("pots", dict[int, int])
    payments, (first, second, third) = case.read("payments", dict[int, int]), case.ints("counted")
    table = seated((), rake_bp=case["rate"])
    there = House(table, p1=50_000, p2=50_000)
    for seat in (1, 2):
        assert there.sits(seat, case["buy_in"]) is None
    hand(table, 2, f"1 raise {bets[1]}", "2 call")
    hand(table, 1, f"2 raise {bets[2]}", "1 call")
    assert pots[2] == 2 * second
    hand(table, 1, f"1 raise {third}", "2 call", "2 check", "1 check", "2 check", "1 check", "2 check",
         f"1 bet {case['uncalled']}", "2 fold")  # fmt: skip
    assert (third + case["uncalled"], pots[3]) == (bets[3], 2 * third)
    table.now += MINUTE
    table.leave(1)
    session = await statement_of(books_pool, there, 1)
    [total] = session.totals
    assert total.staked == case["total"] == first + second + third
    assert total.won == case["won"] == sum(payments.values())
    assert (total.result, total.returned, total.hands) == (case["result"], case["returned"], len(bets))
    assert total.rake == sum(pots.values()) - sum(payments.values())
    assert await taken(books_pool, "rake") == table.state.books.raked > total.rake
    assert session.end == table.now
    assert there.available(1) == 50_000 + case["result"]


@portugal("67/2", "17.b")
async def test_commission_on_the_buy_in_is_inside_the_loss(books_pool: Pool, case: Case) -> None:
    table = seated((), rake_mode="buy_in", rake_bp=case["rate"], buy_in_min=case["buy_in"])
    there = House(table, p1=50_000, p2=50_000)
    for seat in (1, 2):
        assert there.sits(seat, case["buy_in"]) is None
    hand(table, 2, f"1 raise {case['bet']}", "2 call")
    table.leave(1)
    [total] = (await statement_of(books_pool, there, 1)).totals
    assert (total.staked, total.commission) == (case["total"], case["commission"])
    assert await taken(books_pool, "commission") == table.state.books.raked == 2 * case["commission"]
    assert (total.result, total.returned) == (case["result"], case["returned"])


@portugal("67")
async def test_a_top_up_is_brought_and_not_won(books_pool: Pool) -> None:
    table = seated((), buy_in_min=6_000)
    there = House(table, p1=50_000, p2=50_000)
    assert (there.sits(1, 6_000), there.sits(2, 10_000)) == (None, None)
    hand(table, 2, "1 raise 500", "2 call")
    assert table.top_up(1, 2_000) is None
    there.settle()
    assert table.stacks[1] == 7_500
    table.leave(1)
    [total] = (await statement_of(books_pool, there, 1)).totals
    assert (total.staked, total.brought, total.returned, total.result) == (500, 8_000, 7_500, -500)
    assert there.available(1) == 50_000 - 500


def four(stack: int = 10_000) -> House:
    """P is seat 4."""
    table = seated(())
    there = House(table, p1=10**6, p2=10**6, p3=10**6, p4=10**6)
    for seat in (1, 2, 3, 4):
        assert there.sits(seat, stack) is None
    return there


def play_on(table: TableUnderTest) -> None:
    """A hand without P: the others fold."""
    table.wake()
    if table.state.hand is not None:
        table.folds_round()


@portugal("68/4")
async def test_absent_after_an_overrun_break(books_pool: Pool) -> None:
    there = four()
    table, had = there.table, there.available(4)
    table.sit_out(4, on_break=True)
    table.now += table.state.rules.timing.break_ms
    table.wake()
    assert [event.reason for event in table.of(PlayerWarned)] == ["break_over"]
    assert 4 in table.state.seats
    while table.state.hand is not None:
        assert table.act(table.turn or 0, "fold") is None
    play_on(table)
    (left,) = table.of(PlayerLeft, True)
    assert (left.seat, left.reason, left.stack, 4 in table.state.seats) == (4, "break_over", 10_000, False)
    there.settle().once_more(PlayerLeft)
    assert there.available(4) - had == left.stack
    session = await statement_of(books_pool, there, 4)
    assert (session.end is not None, session.totals[0].returned, session.totals[0].result) == (True, 10_000, 0)


@portugal("71/3")
async def test_absent_after_the_warning(books_pool: Pool, case: Case) -> None:
    there = four()
    table, had = there.table, there.available(4)
    table.sit_out(4)
    while not table.of(PlayerLeft, True):
        assert table.state.hands < case["hand"]
        play_on(table)
    assert (table.state.hands, [event.hand for event in table.of(HandVoided, True)]) == (case["hand"], [])
    assert [type(event) for event in table.told if isinstance(event, PlayerInvitedToLeave | PlayerWarned)] == [
        PlayerInvitedToLeave,
        PlayerWarned,
    ]
    (left,) = table.of(PlayerLeft, True)
    assert (left.seat, left.reason, 4 in table.state.seats) == (4, "absent", False)
    there.settle().once_more(PlayerLeft)
    assert there.available(4) - had == left.stack == 10_000
    session = await statement_of(books_pool, there, 4)
    assert (session.end, session.totals[0].returned) == (table.now, 10_000)


@portugal("71/5")
async def test_heads_up_the_loser_has_the_waiting_time_twice(books_pool: Pool, case: Case) -> None:
    table = seated(())
    there = House(table, p1=10_000, p2=10_000)
    for seat in (1, 2):
        assert there.sits(seat, 10_000) is None
    hand(table, 2, "1 raise 10000", "2 call")
    assert table.stacks[1] == case["stack"]
    for wait, events in ((case["seconds"], [PlayerInvitedToLeave, PlayerWarned]), (case["again"], [PlayerLeft])):
        assert table.later(wait * 1000 - 1).last == []
        table.later(1)
        assert [type(event) for event in table.last] == events
    assert (1 in table.state.seats, table.last[0].stack) == (False, case["stack"])
    session = await statement_of(books_pool, there, 1)
    assert there.available(1) == case["stack"]
    assert (session.end, session.totals[0].returned, session.totals[0].result) == (table.now, 0, -10_000)


@portugal("69/1")
async def test_the_player_ends_the_session_at_any_time(books_pool: Pool) -> None:
    there = four()
    table = there.table
    table.deal(button=1).plays("4 raise 350")
    assert table.leave(1) is None, "in a hand, on the own turn"
    assert table.leave(4) is None, "in a hand, after the own turn"
    assert table.leave(2) is None
    table.plays("3 call").checks_down()
    assert table.leave(3) is None, "between hands"
    assert table.state.seats == {}
    there.settle()
    await project(books_pool, BOOKS, books(), MemorySource(there.records))
    async with books_pool.acquire() as connection:
        for seat in (1, 2, 3, 4):
            [session] = await statement(connection, f"p{seat}")
            assert session.end is not None
            assert 10**6 + (session.totals[0].result or 0) == there.available(seat)


@portugal("72/1")
async def test_a_void_hand_counts_nothing(books_pool: Pool, case: Case) -> None:
    stacks, put_in = case.ints("stacks"), case.ints("put_in")
    table = seated((), small_blind=put_in[1])
    there = House(table, **{f"p{seat}": stack for seat, stack in enumerate(stacks, 1)})
    for seat, stack in enumerate(stacks, 1):
        assert there.sits(seat, stack) is None
    table.deal(button=1).plays(f"1 raise {put_in[0]}", "2 fold", "3 call")
    assert table.void() is None
    assert table.state.books.raked == case["rake"]
    table.leave(1)
    session = await statement_of(books_pool, there, 1)
    assert (session.totals[0].staked, session.totals[0].result) == (case["staked"], 0)
    assert session.totals[0].returned == stacks[0]


@portugal("72/1")
async def test_a_void_hand_comes_home_and_is_told_to_who_had_folded_and_left(books_pool: Pool, case: Case) -> None:
    """The refund goes by the wallet's own policy, and the hand stands in the statement that was over by then."""
    stacks, put_in = case.ints("stacks"), case.ints("put_in")
    table = seated((), small_blind=put_in[1])
    there = House(table, **{f"p{seat}": stack for seat, stack in enumerate(stacks, 1)})
    for seat, stack in enumerate(stacks, 1):
        assert there.sits(seat, stack) is None
    table.deal(button=1).plays(f"1 raise {put_in[0]}", "2 fold")
    table.leave(2)
    there.settle()
    assert there.available(2) == stacks[1] - put_in[1]
    table.plays("3 call")
    assert table.void() is None
    session = await statement_of(books_pool, there, 2)
    assert there.available(2) == stacks[1]
    total = session.totals[0]
    assert (total.staked, total.result, total.returned) == (case["staked"], 0, stacks[1])
    assert (session.parts[0].hands, session.parts[0].hands_void) == (0, 1)
    assert table.state.books.raked == case["rake"]
