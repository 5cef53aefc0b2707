"""What a table and its players' accounts ask each other, told by the policies of both: nothing is sent by hand here."""

import pytest

from libs.contracts.poker_events import HandVoided, SessionFeeDue, SessionFeePaid, SessionFeeUnpaid
from libs.contracts.table_events import PlayerLeft, RefundSent, SeatReleased, TopUpFailed
from libs.contracts.wallet_commands import DepositFunds
from tests.table.baccarat.play import CoupTable
from tests.table.casino.play import CASINO_HOLDEM
from tests.table.casino.play import rule as casino
from tests.table.no_draw.play import NoDraw
from tests.table.omaha.house import House
from tests.table.omaha.play import portugal, seated
from tests.table.play import TableUnderTest

RICH = 10**6


def sitting(table: TableUnderTest, *seats: int, amount: int, **balances: int) -> House:
    """Everybody is rich who has no other balance."""
    there = House(table, **(dict.fromkeys((f"p{seat}" for seat in seats), RICH) | balances))
    for seat in seats:
        assert there.sits(seat, amount) is None
    return there


@casino("7.b")
def test_a_session_is_charged_to_the_account_and_who_cannot_pay_is_not_dealt_in_before_it_is_paid() -> None:
    table = TableUnderTest(CASINO_HOLDEM, rake_mode="session", rake_bp=1000, between_hands_ms=0)
    there = sitting(table, 1, 2, 3, 4, 5, 6, amount=20_000, p6=20_000 + 1_999)
    table.wake()
    assert [due.amount for due in table.of(SessionFeeDue)] == [2_000] * 6
    there.settle()
    assert [there.available(seat) for seat in range(1, 7)] == [RICH - 22_000] * 5 + [1_999]
    assert [unpaid.player for unpaid in table.of(SessionFeeUnpaid, True)] == ["p6"]
    assert table.of(SessionFeePaid, True) == [], "for who has paid at once nothing follows"
    table.folds_round().wake()
    assert sorted(table.hand.order) == [1, 2, 3, 4, 5]
    there.at_wallet(6, DepositFunds(reference="d2", amount=1))
    table.folds_round()
    assert table.sit_in(6) is None
    there.settle()
    assert ([paid.player for paid in table.of(SessionFeePaid, True)], there.available(6)) == (["p6"], 0)
    assert len(table.of(SessionFeeUnpaid, True)) == 1


@portugal("8")
def test_a_seat_that_lapsed_before_the_account_answered_gives_the_buy_in_back() -> None:
    table = TableUnderTest(buy_in=10_000)
    there = House(table, p1=RICH)
    assert table.take(1, 10_000) is None
    assert table.due is not None
    table.now = table.due
    table.wake()
    assert [event.reason for event in table.of(SeatReleased, True)] == ["lapsed"]
    there.settle()
    assert (table.state.seats, there.available(1), there.reserved(1)) == ({}, RICH, 0)


@portugal("11.b")
def test_what_was_reserved_for_a_top_up_that_fits_no_more_is_given_back() -> None:
    table = seated((), top_up_to=12_000)
    there = sitting(table, 1, 2, amount=10_000)
    assert table.top_up(1, 2_000) is None
    table.deal(button=1)
    there.settle()
    assert there.available(1) == RICH - 12_000, "reserved while the hand runs"
    table.plays("1 raise 200", "2 fold")
    assert [event.reason for event in table.of(TopUpFailed)] == ["above_ceiling"]
    there.settle()
    assert (there.available(1), table.stacks[1]) == (RICH - 10_000, 10_100)


@casino("FP-4", "69.d")
def test_a_void_hand_comes_home_to_who_had_left() -> None:
    table = TableUnderTest(CASINO_HOLDEM, between_hands_ms=0)
    there = sitting(table, 1, 2, 3, 4, 5, amount=20_000)
    table.wake()
    leaver = table.turn
    assert leaver is not None
    table.plays(f"{leaver} raise 1000")
    while table.turn != leaver:
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    assert table.leave(leaver) is None
    there.settle()
    assert there.available(leaver) == RICH - 1_000
    assert table.void() is None
    (refunds,) = [event.refunds for event in table.of(HandVoided, True)]
    assert [event.amount for event in table.of(RefundSent, True)] == [1_000]
    there.settle()
    assert there.available(leaver) == RICH
    there.once_more(RefundSent)
    assert there.available(leaver) == RICH, "once"
    assert {refund.seat: refund.stack for refund in refunds if refund.seat != leaver} == table.stacks


@pytest.mark.rule("pt-803-2015-no-draw", "40")
@pytest.mark.rule("pt-812-2015-baccarat", "34")
@pytest.mark.parametrize("table", [NoDraw(), CoupTable()], ids=["no-draw", "baccarat"])
def test_who_goes_takes_the_whole_stack_home_once(table: NoDraw | CoupTable) -> None:
    there = House(table, p1=RICH)
    assert there.sits(1, 10_000) is None
    assert (there.available(1), there.reserved(1)) == (RICH - 10_000, 10_000)
    assert table.leave(1) is None
    there.settle()
    assert (there.available(1), there.reserved(1)) == (RICH, 0)
    there.once_more(PlayerLeft)
    assert there.available(1) == RICH
