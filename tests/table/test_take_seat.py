"""Taking a seat, confirming it, giving it up, coming back."""

import pytest

from libs.contracts.messages import Principal
from libs.contracts.table_events import PlayerSeated, SeatReleased, SeatReserved
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def test_the_order_of_reasons() -> None:
    """The first row is wrong in every way; each row mends one thing and meets the next reason."""
    table = TableUnderTest(seats=2).seat(1)
    used = table.sitting
    for player, seat, amount, sitting, reason in [
        ("p1", 9, 1, used, "already_seated"),
        ("p2", 9, 1, used, "reservation_used"),
        ("p2", 9, 1, "new", "no_such_seat"),
        ("p2", 1, 1, "new", "seat_taken"),
        ("p2", 2, 1, "new", "buy_in_below_minimum"),
        ("p2", 2, 10**9, "new", "buy_in_above_maximum"),
        ("p2", 2, 10_000, "new", None),
    ]:
        table._sittings = int(used[1:]) - 1 if sitting == used else 99
        assert table.take(seat, amount, player) == reason
    assert table.take(None, 10_000, "p3") == "table_full"


@portugal("8")
@pytest.mark.parametrize(("amount", "reason"), [(9999, "buy_in_below_minimum"), (10_001, "buy_in_above_maximum")])
def test_a_fixed_buy_in_is_met_exactly(amount: int, reason: str) -> None:
    table = TableUnderTest()
    assert table.take(1, amount) == reason
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#8"
    assert table.take(1, 10_000) is None


@portugal("8", "9")
def test_a_seat_kept_until_the_funds_are_reserved() -> None:
    table = TableUnderTest()
    assert table.take(3, 10_000) is None
    (reserved,) = table.of(SeatReserved)
    assert (reserved.seat, reserved.amount, reserved.until) == (3, 10_000, table.now + 30_000)
    assert table.take(5, 10_000, "p3") == "already_seated"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#9"
    assert table.take(3, 10_000, "p9") == "seat_taken"
    assert table.confirm(3) is None
    (seated,) = table.of(PlayerSeated)
    assert (seated.reservation, seated.stack, seated.commission) == (reserved.reservation, 10_000, 0)
    assert table.confirm(3) == "no_such_reservation"


@portugal("8")
def test_no_seat_is_kept_when_the_wallet_refuses() -> None:
    table = TableUnderTest()
    table.take(3, 10_000)
    assert table.release(table.sitting) is None
    (released,) = table.of(SeatReleased)
    assert released.reason == "reserve_refused"
    assert not table.state.reserved
    assert table.confirm(3) == "no_such_reservation"


def test_a_reservation_lapses() -> None:
    table = TableUnderTest()
    table.take(3, 10_000)
    assert table.due == table.now + 30_001
    assert table.later(30_000).last == []
    assert [event.reason for event in table.later(1).of(SeatReleased)] == ["lapsed"]


def test_no_seat_named_is_the_first_free_one() -> None:
    table = TableUnderTest().seat(1, 3)
    assert table.take(None, 10_000, "p9") is None
    assert table.of(SeatReserved)[0].seat == 2


@portugal("9")
def test_only_players_take_seats() -> None:
    table = TableUnderTest()
    table.take(1, 10_000)
    from libs.contracts.table_commands import ConfirmSeat

    wrong = ConfirmSeat(reservation=table.sitting)
    assert table.send(Principal("player", "p1"), wrong) == "not_allowed"


@portugal("10", "11.a/2")
def test_who_returns_soon_brings_what_was_taken_away(case: Case) -> None:
    left, back = case.moment("left"), case.moment("back")
    assert back - left < case.int("window") * 60_000 == TableUnderTest().state.rules.timing.reentry_ms
    bounds = {"buy_in_min": case["less"], "buy_in_max": case["stack"], "top_up_to": case["stack"]}
    table = TableUnderTest(**bounds).seat(1, amount=case["stack"])
    table.now = left
    assert table.leave(1) is None
    table.now = back
    assert table.take(1, case["less"]) == "reentry_below_stack"
    assert table.refused is not None
    assert table.refused.rule == "pt-811-2015#11.a"
    assert table.take(1, case["stack"]) is None
    assert table.release(table.sitting) is None
    table.now = left + case.int("window") * 60_000
    assert table.take(1, case["less"]) == "reentry_below_stack", "the last millisecond of the window is in it"
    table.now += 1
    assert table.take(1, case["less"]) is None


@portugal("10")
def test_even_above_the_normal_maximum_and_free_after_the_window() -> None:
    table = TableUnderTest().with_stacks(s1=10_000, s2=10_000)
    table.deal(button=1).plays("1 raise 300", "2 fold")
    assert table.stacks[1] == 10_100
    table.leave(1)
    assert table.take(1, 10_000) == "reentry_below_stack"
    assert table.take(1, 10_101) == "buy_in_above_maximum"
    assert table.take(1, 10_100) is None
    table.release(table.sitting)
    table.now += 60 * 60_000 + 1
    assert table.take(1, 10_100) == "buy_in_above_maximum"
    assert table.take(1, 10_000) is None


def test_the_seat_of_a_leaver_is_free_when_the_hand_is_over() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    assert table.turn == 1
    table.leave(1)
    assert table.take(1, 10_000, "p9") == "seat_taken"
    table.plays("2 fold")
    assert table.take(1, 10_000, "p9") is None
