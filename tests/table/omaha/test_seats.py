"""Buy-ins, top-ups, leaving: a real table with real accounts behind it (2.q, 8 to 12, 13, 17.b)."""

from typing import Any

import msgspec
import pytest

from libs.contracts.commands import fitted
from libs.contracts.poker_events import HandStarted, PlayerFolded, PotAwarded
from libs.contracts.table_commands import TakeSeat
from libs.contracts.table_events import (
    LeaveRequested,
    PlayerLeft,
    PlayerSeated,
    SeatReleased,
    TopUpAdded,
    TopUpDue,
    TopUpFailed,
)
from services.wallet.projections import chart
from tests.banked.booked import booked
from tests.table.omaha.house import House
from tests.table.omaha.play import nets, portugal, ranked, seated
from tests.table.play import PORTUGAL, TableUnderTest
from tests.table.test_rulebooks import rules_broken
from tests.table.views import view_of
from tests.testkit.cases import Case

RICH = 10**6


def house(table: TableUnderTest, *players: int, stack: int = 10_000) -> House:
    """Everybody has bought in through the wallet and has plenty left."""
    there = House(table, **{f"p{seat}": RICH for seat in players})
    for seat in players:
        assert there.sits(seat, stack) is None
    return there


@portugal("8/1", "13/1")
def test_a_fixed_buy_in_is_met_exactly(case: Case) -> None:
    buy_in = case.of("8/1").int("buy_in")
    assert buy_in == case.of("13/1")["buy_in"]
    table = TableUnderTest(buy_in=buy_in)
    there = House(table, p1=RICH)
    for amount in case.ints("refused"):
        assert there.sits(1, amount) in ("buy_in_below_minimum", "buy_in_above_maximum")
        assert table.refused is not None
        assert table.refused.rule == "pt-811-2015#8"
        assert (there.available(1), there.reserved(1), table.state.reserved) == (RICH, 0, {})
    assert there.sits(1, case["paid"]) is None
    assert (RICH - there.available(1), there.reserved(1)) == (case["paid"], case["paid"])
    (taken,) = table.of(PlayerSeated, True)
    assert (taken.stack, taken.currency, table.stacks) == (buy_in, "EUR", {1: buy_in})
    assert rules_broken(PORTUGAL, currency="USD") == [("currency", "pt-811-2015#13")]
    assert rules_broken(PORTUGAL, min_unit=2) == [("min_unit", "pt-811-2015#62")]
    with pytest.raises(msgspec.ValidationError):
        fitted(TakeSeat, {"reservation": "r9", "seat": 2, "amount": buy_in + 0.5})


@portugal("8/2")
def test_a_range_includes_its_ends(case: Case) -> None:
    table = TableUnderTest(buy_in_min=case["from"], buy_in_max=case["to"])
    there = House(table, p1=RICH, p2=RICH)
    for amount, reason in zip(case.ints("refused"), ("buy_in_below_minimum", "buy_in_above_maximum"), strict=True):
        assert there.sits(1, amount) == reason
    for seat, amount in enumerate(case.ints("accepted"), 1):
        assert there.sits(seat, amount) is None
        assert table.stacks[seat] == amount


@portugal("8/3")
def test_without_the_funds_no_seat_is_kept(case: Case) -> None:
    table = TableUnderTest(buy_in=case["buy_in"])
    there = House(table, p1=case["balance"])
    assert there.sits(1, case["buy_in"]) == "no seat"
    assert [event.reason for event in table.of(SeatReleased, True)] == ["reserve_refused"]
    assert (table.state.reserved, table.state.seats) == ({}, {})
    assert (there.available(1), there.reserved(1)) == (case["balance"], 0)


@portugal("9/1")
def test_one_seat_at_a_table(case: Case) -> None:
    seat, other = case.int("seat"), case.int("other")
    here, there = TableUnderTest().seat(seat), TableUnderTest()
    player = here.state.seats[seat].player
    for _ in range(2):
        assert here.take(other, 10_000, player) == "already_seated"
        assert here.refused is not None
        assert here.refused.rule == "pt-811-2015#9"
    assert (list(here.state.seats), here.state.reserved) == ([seat], {})
    assert there.take(other, 10_000, player) is None


@portugal("10/1")
def test_between_hands_the_stack_comes_home_once(case: Case) -> None:
    table = seated(())
    there = House(table, p1=RICH)
    assert there.sits(1, case["stack"]) is None
    assert table.leave(1) is None
    there.settle()
    assert (there.available(1), there.reserved(1)) == (RICH, 0)
    assert table.stacks.get(1, 0) == case["after"]
    assert table.state.free_seats[0] == 1
    there.once_more(PlayerLeft)
    assert there.available(1) == RICH
    assert table.leave(1) == "not_seated"


def in_the_pot(case: Case) -> House:
    """Seat 1 has raised and is behind seat 2; 3 has the big blind."""
    table = seated(())
    there = house(table, 1, 2, 3, stack=case["put_in"] + case["left"])
    table.deal(button=1).plays(f"1 raise {case['put_in']}")
    assert table.stacks[1] == case["left"]
    return there


@portugal("10/2")
def test_leaving_on_the_turn_is_a_fold(case: Case) -> None:
    there = in_the_pot(case)
    table, had = there.table, there.available(1)
    table.plays(f"2 raise {2 * case['put_in']}", "3 call")
    assert table.leave(1) is None
    assert table.names[:2] == ["PlayerFolded", "PlayerLeft"]
    there.settle()
    assert (there.available(1) - had, there.reserved(1)) == (case["left"], 0)
    assert table.hand.pot == 5 * case["put_in"]
    table.checks_down()
    there.settle()
    assert there.available(1) - had == case["left"]
    assert sum(award.amount for award in table.of(PotAwarded, True)) == 5 * case["put_in"]


@portugal("10/3")
def test_leaving_before_the_turn(case: Case) -> None:
    there = in_the_pot(case)
    table, had = there.table, there.available(1)
    assert table.leave(1) is None
    there.settle()
    assert (table.names, there.available(1)) == (["LeaveRequested"], had)
    table.plays(f"2 raise {2 * case['put_in']}", "3 fold")
    (folded,) = [event for event in table.of(PlayerFolded) if event.seat == 1]
    assert (folded.actor, folded.reason) == ("house", "left")
    there.settle()
    assert there.available(1) - had == case["left"]
    there = in_the_pot(case)
    table, had = there.table, there.available(1)
    assert table.leave(1) is None
    table.plays("2 fold", "3 fold")
    there.settle()
    won = nets(table)[1]
    returned = case["put_in"] - 100
    assert won == 100 + 100 + 50
    assert there.available(1) - had == case["left"] + returned + won


@portugal("10/4")
def test_an_all_in_leaver_plays_on(case: Case) -> None:
    for place in (0, 2):
        table = seated(())
        there = house(table, 1, 2, 3, stack=case["put_in"])
        had = there.available(1)
        table.deal(button=1, fresh=ranked(1, {1: place, 2: 1}, folders=(3,))).plays(f"1 raise {case['put_in']}")
        assert table.leave(1) is None
        assert [type(event) for event in table.last] == [LeaveRequested]
        assert not table.hand.players[1].folded
        table.plays("2 call", "3 fold")
        there.settle()
        assert there.available(1) - had == nets(table).get(1, 0)
        assert (nets(table).get(1, 0) > case["put_in"]) == (place == 0)


def asks_for_more(there: House, seat: int, amount: int) -> None:
    """It is kept, whatever happens before the hand is over."""
    table, had, stack = there.table, there.available(seat), there.table.stacks[seat]
    assert table.top_up(seat, amount) is None
    there.settle()
    assert (table.names, table.stacks[seat], there.available(seat)) == (["TopUpRequested"], stack, had)
    while table.state.hand is not None:
        assert table.of(TopUpDue, True) == []
        assert there.available(seat) == had
        assert table.act(table.turn or 0, "check" if table.legal[0] else "fold") is None
        if table.state.hand is not None:
            there.settle()
    told = table.names
    assert told.index("PotAwarded") < told.index("TopUpDue")
    there.settle()
    assert had - there.available(seat) == amount


def three_thousand(balance: int = RICH, **changes: Any) -> House:
    """Seat 3 sits with 3000 and has the big blind in a hand that has come to the flop."""
    table = TableUnderTest(structure="no_limit", buy_in_min=3000, buy_in_max=10_000, **changes)
    there = House(table, p1=RICH, p2=RICH, p3=3000 + balance, p4=RICH)
    for seat, stack in ((1, 10_000), (2, 10_000), (3, 3000), (4, 10_000)):
        assert there.sits(seat, stack) is None
    return there


@portugal("11.b/1")
def test_nothing_is_added_during_the_hand(case: Case) -> None:
    there = three_thousand()
    cards = ranked(1, {1: 0, 2: 1, 3: 2}, folders=(4,))
    table = there.table.deal(button=1, fresh=cards).plays("4 fold", "1 call", "2 call", "3 check")
    assert (table.hand.street, table.stacks[3] + 100) == ("flop", case["stack"])
    table.plays("2 check")
    asks_for_more(there, 3, case["top_up"])
    (added,) = table.of(TopUpAdded, True)
    assert (added.amount, table.stacks[3]) == (case["top_up"], added.stack)


@portugal("11.b/2")
def test_who_has_folded_waits_too(case: Case) -> None:
    there = three_thousand()
    there.table.deal(button=1).plays("4 fold", "1 call", "2 call", "3 check", "2 check", "3 fold")
    assert there.table.hand.street == "flop"
    asks_for_more(there, 3, case["top_up"])


@portugal("11.b/3")
def test_who_is_on_a_break_waits_too(case: Case) -> None:
    there = three_thousand()
    there.table.sit_out(3, on_break=True)
    there.table.deal(button=1)
    assert 3 not in there.table.hand.players
    asks_for_more(there, 3, case["top_up"])


@portugal("11.b/4")
def test_what_the_wallet_does_not_hold_fails_as_a_whole(case: Case) -> None:
    there = three_thousand(balance=case["wallet"])
    table = there.table.deal(button=1).plays("4 fold", "1 call", "2 call", "3 check")
    assert table.top_up(3, case["top_up"]) is None
    table.plays("2 check", "3 fold", "1 fold")
    stack = table.stacks[3]
    assert view_of(table).seats[3].topping_up == case["top_up"]
    there.settle()
    assert view_of(table).seats[3].topping_up == 0, "the player is told that it came to nothing"
    (failed,) = table.of(TopUpFailed, True)
    assert (failed.player, failed.reason) == ("p3", "reserve_refused")
    assert (table.stacks[3], there.available(3)) == (stack, case["wallet"])


@portugal("11.b/5")
def test_a_kept_top_up_above_the_ceiling_fails_as_a_whole(case: Case) -> None:
    there = three_thousand(top_up_to=case["buy_in"])
    table, had = there.table, there.available(3)
    assert table.stacks[3] == case["had"]
    table.deal(button=1).plays("4 fold")
    assert table.top_up(3, case["top_up"]) is None
    half = case["had"] // 2
    table.plays(f"1 raise {half}", "2 call", f"3 raise {case['had']}", "1 fold", "2 fold")
    there.settle()
    assert table.stacks[3] == case["has"] == case["would"] - case["top_up"]
    (failed,) = table.of(TopUpFailed, True)
    assert (failed.player, failed.reason) == ("p3", "above_ceiling")
    assert there.available(3) == had
    assert table.of(TopUpDue, True) == [], "the wallet is not even asked"


@portugal("12/1")
def test_who_lost_everything_tops_up_and_plays_on(case: Case) -> None:
    table = TableUnderTest(structure="no_limit", buy_in=case["buy_in"])
    there = House(table, p1=case["wallet"] + case["buy_in"], p2=RICH)
    for seat in (1, 2):
        assert there.sits(seat, case["buy_in"]) is None
    table.deal(button=1, fresh=ranked(1, {2: 0, 1: 1})).plays(f"1 raise {case['buy_in']}", "2 call")
    there.settle()
    assert (table.stacks[1], there.available(1)) == (case["stack"], case["wallet"])
    assert table.top_up(1, case["top_up"]) is None
    there.settle()
    assert (table.stacks[1], there.available(1)) == (case["then"], case["left"])
    table.wake()
    assert set(table.hand.players) == {1, 2}
    assert table.state.seats[1].player == "p1"


def at_6500(case: Case) -> House:
    table = TableUnderTest(buy_in_min=case["stack"], buy_in_max=case["buy_in"], top_up_to=case["buy_in"])
    there = House(table, p1=RICH, p2=RICH)
    assert there.sits(1, case["stack"]) is None
    assert there.sits(2, case["buy_in"]) is None
    return there


@portugal("2.q/1")
def test_a_top_up_to_the_ceiling(case: Case) -> None:
    there = at_6500(case)
    had = there.available(1)
    assert there.table.top_up(1, case["top_up"]) is None
    assert view_of(there.table).seats[1].topping_up == case["top_up"]
    there.settle()
    told = view_of(there.table).seats[1]
    assert (told.topping_up, told.stack) == (0, case["then"])
    assert had - there.available(1) == case["top_up"]
    there.table.wake()
    (started,) = there.table.of(HandStarted)
    assert [seat.stack for seat in started.seats if seat.seat == 1] == [case["then"]]


@portugal("2.q/2")
def test_a_cent_above_the_ceiling(case: Case) -> None:
    there = at_6500(case)
    had = there.available(1)
    assert there.table.top_up(1, case["top_up"]) == "above_ceiling"
    assert there.table.refused is not None
    assert there.table.refused.rule == "pt-811-2015#2.q"
    assert there.settle().available(1) == had
    assert there.table.top_up(1, case["most"]) is None


def raked(table: TableUnderTest) -> int:
    """What the house has of the buy-in and top-ups of the only player; the books agree, with the stack too."""
    balances = booked(table.told)
    (seated,) = table.of(PlayerSeated, True)
    assert balances[chart.stack("t1", "p1")] == table.stacks.get(1, 0)
    assert balances[chart.commission("t1", seated.rulebook)] == table.state.books.raked
    return table.state.books.raked


@portugal("17.b/2")
def test_commission_on_the_buy_in(case: Case) -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=case["rate"], buy_in=case["buy_in"])
    there = House(table, p1=RICH)
    assert there.sits(1, case["buy_in"]) is None
    (taken,) = table.of(PlayerSeated, True)
    assert (taken.commission, taken.stack, table.stacks[1]) == (case["commission"], case["stack"], case["stack"])
    assert (RICH - there.available(1), raked(table)) == (case["debit"], case["commission"])


@portugal("17.b/3")
def test_commission_on_a_top_up(case: Case) -> None:
    brought = next(n for n in range(case["stack"], 2 * case["stack"]) if n - n // 10 == case["stack"])
    table = TableUnderTest(rake_mode="buy_in", rake_bp=case["rate"], buy_in_min=brought, buy_in_max=10_000)
    there = House(table, p1=RICH)
    assert there.sits(1, brought) is None
    assert table.stacks[1] == case["stack"]
    had = there.available(1)
    assert table.top_up(1, case["top_up"]) is None
    there.settle()
    (added,) = table.of(TopUpAdded, True)
    assert (had - there.available(1), added.commission) == (case["debit"], case["commission"])
    assert (added.stack, table.stacks[1]) == (case["then"], case["then"])
    assert raked(table) == brought // 10 + case.int("commission")


@portugal("17.b/4")
def test_commission_stays_taken_without_a_hand(case: Case) -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=case["rate"], buy_in=case["buy_in"])
    there = House(table, p1=RICH)
    assert there.sits(1, case["buy_in"]) is None
    assert table.stacks[1] == case["stack"]
    paid = there.available(1)
    assert table.leave(1) is None
    assert there.settle().available(1) - paid == case["credited"]
    assert (RICH - there.available(1), raked(table)) == (case["commission"], case["commission"])


@portugal("17.b/5")
def test_commission_is_rounded_down(case: Case) -> None:
    table = TableUnderTest(rake_mode="buy_in", rake_bp=case["rate"], buy_in=case["buy_in"])
    assert House(table, p1=RICH).sits(1, case["buy_in"]) is None
    (taken,) = table.of(PlayerSeated, True)
    assert (taken.commission, taken.stack) == (case["commission"], case["stack"])
    assert raked(table) == case["commission"]


@portugal("17.b/6")
def test_with_commission_on_the_buy_in_pots_are_paid_in_full(case: Case) -> None:
    table = seated((1, 2), rake_mode="buy_in", rake_bp=case["rate"], buy_in_min=10**5)
    table.deal(button=1, fresh=ranked(1, {1: 0, 2: 1})).plays(f"1 raise {case['pot'] // 2}", "2 call").checks_down()
    (award,) = table.of(PotAwarded)
    assert (award.amount, award.rake, nets(table)) == (case["pot"], 0, {1: case["paid"]})
