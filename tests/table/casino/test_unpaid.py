"""Who can't pay for a session is not dealt in before it is paid, and is told why (pt-217-2007 7.b, 13)."""

from typing import Any

import pytest

from libs.contracts.poker_commands import ConfirmFee, FailFee
from libs.contracts.poker_events import HandStarted, SessionFeeDue, SessionFeePaid, SessionFeeUnpaid
from libs.contracts.table_events import PlayerLeft, PlayerSatOut, TableSuspended
from services.table.domain.games.poker.charging import LATE_MS
from services.table.domain.games.poker.entering import stack_to_enter
from tests.table.casino.play import rule
from tests.table.casino.test_game import MINUTE, one_hand
from tests.table.casino.test_sessions import charged
from tests.table.play import TableUnderTest
from tests.table.under_test import player_principal, policy
from tests.table.views import view_of


def dealt(table: TableUnderTest) -> set[int]:
    """Seats of the last hand that was started."""
    return {seat.seat for seat in table.of(HandStarted, True)[-1].seats}


def begun(**changes: Any) -> TableUnderTest:
    """A session of six has begun, and its first hand is over."""
    table = charged(**changes)
    table.wake()
    return table.folds_round()


def fee_of(table: TableUnderTest, seat: int) -> str:
    """The last charge that this player was asked for."""
    return str([due.fee for due in table.of(SessionFeeDue, True) if due.player == f"p{seat}"][-1])


def fails(table: TableUnderTest, seat: int) -> str | None:
    return table.send(policy(), FailFee(fee=fee_of(table, seat)))


def pays(table: TableUnderTest, seat: int) -> str | None:
    return table.send(policy(), ConfirmFee(fee=fee_of(table, seat)))


@rule("7.b")
def test_who_has_brought_just_the_buy_in_is_not_dealt_in() -> None:
    table = begun()
    assert fails(table, 3) is None
    (unpaid,) = table.of(SessionFeeUnpaid)
    assert (unpaid.player, unpaid.session, unpaid.amount) == ("p3", 1, table.of(SessionFeeDue, True)[0].amount)
    assert [(out.player, out.reason) for out in table.of(PlayerSatOut)] == [("p3", "fee_unpaid")]
    assert view_of(table).owing == ("p3",), "who is not dealt in is told why"
    one_hand(table)
    assert dealt(table) == {1, 2, 4, 5, 6}
    assert table.stacks[3] == 20_000, "nothing of it comes out of the stack"


@rule("7.b")
def test_coming_back_asks_for_it_anew_and_only_payment_deals_in() -> None:
    table = begun()
    first = fee_of(table, 3)
    fails(table, 3)
    assert table.sit_in(3) is None
    (due,) = table.of(SessionFeeDue)
    assert (due.player, due.session) == ("p3", 1)
    assert due.fee != first, "a charge that was refused stays refused at the wallet"
    one_hand(table)
    assert 3 not in dealt(table), "in again, and still not paid"
    assert view_of(table).owing == ("p3",)
    assert pays(table, 3) is None
    assert [paid.player for paid in table.of(SessionFeePaid)] == ["p3"]
    assert view_of(table).owing == ()
    while 3 not in dealt(table):
        one_hand(table)
    assert len(table.of(SessionFeeDue, True)) == 7


def test_who_comes_back_without_money_is_out_again() -> None:
    table = begun()
    for _ in range(2):
        assert fails(table, 3) is None
        assert table.of(PlayerSatOut)
        assert table.sit_in(3) is None
    assert fails(table, 3) is None
    one_hand(table)
    assert 3 not in dealt(table)


def test_leaving_and_sitting_down_again_is_no_way_round_it() -> None:
    table = begun()
    fails(table, 3)
    assert table.leave(3) is None
    table.now += LATE_MS + MINUTE
    assert table.take(3, max(20_000, stack_to_enter(table.state))) is None, table.refused
    assert table.confirm(3) is None
    assert [due.player for due in table.of(SessionFeeDue)] == ["p3"], "late or not: it was owed before"
    one_hand(table)
    assert 3 not in dealt(table)
    pays(table, 3)
    while 3 not in dealt(table):
        one_hand(table)


@rule("13")
def test_who_stays_unpaid_for_three_hands_goes_home_with_the_whole_stack() -> None:
    table = begun()
    fails(table, 3)
    for _ in range(3):
        assert 3 in table.state.seats
        one_hand(table)
    (left,) = table.of(PlayerLeft, True)
    assert (left.player, left.stack, left.reason) == ("p3", 20_000, "inactivity")


def test_a_hand_that_runs_is_played_on() -> None:
    table = charged()
    table.wake()
    assert fails(table, 3) is None
    assert 3 in table.hand.players
    table.checks_down()
    one_hand(table)
    assert 3 not in dealt(table)


@rule("24")
def test_where_too_few_have_paid_the_game_stands_still_until_one_has() -> None:
    table = begun()
    for seat in (1, 2):
        fails(table, seat)
    assert not table.of(TableSuspended)
    fails(table, 3)
    assert table.of(TableSuspended)
    table.wake()
    assert table.state.hand is None
    assert table.sit_in(3) is None
    table.wake()
    assert table.state.hand is None
    pays(table, 3)
    table.wake()
    assert table.state.hand is not None


def test_the_next_session_asks_everybody_anew() -> None:
    table = begun(session_tail="current_hand", decision_ms=120 * MINUTE, kind="demo")
    fails(table, 3)
    table.now += 61 * MINUTE
    one_hand(table)
    second = [due.player for due in table.of(SessionFeeDue, True) if due.session == 2]
    assert second == [f"p{seat}" for seat in range(1, 7)]
    assert table.state.sessions.owing == frozenset()


@pytest.mark.parametrize("answer", [ConfirmFee, FailFee])
def test_an_answer_to_no_open_charge_changes_nothing(answer: Any) -> None:
    table = begun()
    assert table.send(policy(), answer(fee="t1-9-p1")) == "no_such_fee"
    refused = fee_of(table, 3)
    fails(table, 3)
    assert table.send(policy(), answer(fee=refused)) == "no_such_fee"
    assert table.send(player_principal("p3"), answer(fee=fee_of(table, 4))) == "not_allowed"


def test_a_charge_that_is_paid_at_once_needs_no_word() -> None:
    table = begun()
    assert pays(table, 4) is None
    assert table.last == []
