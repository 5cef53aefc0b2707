"""Tables, seats and antes (pt-803-2015-no-draw 2.a, 4 to 6, 14 to 18, FP-3)."""

import pytest

from libs.contracts.bank_events import BankAlarmRaised
from libs.contracts.no_draw_poker_events import (
    AntePlaced,
    AntesClosed,
    AntesLapsed,
    AntesOpened,
    AnteWithdrawn,
    RoundDealt,
)
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import TableOpened
from tests.table.no_draw.play import ACE_KING, REGULATION, START, NoDraw

HAND = "8c 8d Kh 5h 2s"
OTHER = "9c 9d Kc 6h 3s"


@pytest.mark.rule(REGULATION, "4")
def test_a_single_table_has_room_for_one() -> None:
    single = NoDraw(mode="single").seat(1)
    assert single.take(None, player="p2") == Reason.TABLE_FULL
    assert single.refused is not None
    assert single.refused.rule == f"{REGULATION}#4"
    assert NoDraw().seat(1).take(None, player="p2") is None
    assert NoDraw(mode="single", seats=2).refused_opening == Reason.OUTSIDE_RULEBOOK


@pytest.mark.rule(REGULATION, "6.a")
@pytest.mark.parametrize(("seats", "opens"), [(0, False), (1, True), (7, True), (8, False)])
def test_one_to_seven_seats(seats: int, opens: bool) -> None:
    table = NoDraw(seats=seats)
    assert table.refused_opening == (None if opens else Reason.OUTSIDE_RULEBOOK)
    if not opens:
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#6.a"


@pytest.mark.rule(REGULATION, "6.a")
def test_each_seat_has_two_areas_and_a_player_one_seat() -> None:
    table = NoDraw().seat(2)
    assert table.take(5, player="p2") == Reason.ALREADY_SEATED
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#6.a"
    table.dealt({2: 100}, {2: HAND}, ACE_KING).plays("2 continue")
    assert [area.area for area in table.settled.results[0].bets] == ["ante", "bet"]


@pytest.mark.rule(REGULATION, "FP-3")
def test_there_is_no_third_stake() -> None:
    table = NoDraw(jackpot=100)
    assert table.refused_opening == Reason.OUTSIDE_RULEBOOK
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#FP-3"


@pytest.mark.rule(REGULATION, "2.a", "20.b")
def test_without_an_ante_no_cards() -> None:
    table = NoDraw().seat(2, 4).dealt({2: 500}, {2: HAND}, ACE_KING)
    assert [deal.seat for deal in table.of(RoundDealt)[0].deals] == [2]
    assert table.stacks == {2: 9_500, 4: 10_000}
    assert table.decides(4, "continue") == "no_stake"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#2.a"
    table.plays("2 continue")
    assert [result.seat for result in table.settled.results] == [2]
    assert table.stacks[4] == 10_000


@pytest.mark.rule(REGULATION, "14")
def test_the_betting_closes_for_all_at_one_instant() -> None:
    table = NoDraw().seat(1, 2).wake()
    opened = table.of(AntesOpened)[0]
    assert (opened.at, opened.until) == (START, START + 20_000)
    assert [seat.seat for seat in opened.seats] == [1, 2]
    assert table.at(19_999).ante(1, 300) is None
    assert table.at(20_000).ante(2, 300) == "betting_is_closed"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#14"
    assert table.due == START + 20_000
    table.wake()
    closed = table.of(AntesClosed)[0]
    assert (closed.at, closed.round, closed.seats) == (START + 20_000, opened.round, [1])


@pytest.mark.rule(REGULATION, "14")
def test_an_ante_may_be_changed_or_taken_back_until_then() -> None:
    table = NoDraw().seat(2, 3).wake()
    assert table.at(5_000).ante(2, 300) is None
    assert table.at(12_000).ante(2, 500) is None
    assert (table.of(AntePlaced)[0].amount, table.of(AntePlaced)[0].total) == (200, 500)
    assert table.ante(2, 400) is None
    assert (table.of(AnteWithdrawn)[0].amount, table.of(AnteWithdrawn)[0].total) == (100, 400)
    assert table.ante(2, 500) is None
    assert table.ante(3, 200) is None
    assert table.withdraw(3) is None
    assert table.stacks == {2: 9_500, 3: 10_000}
    assert table.ante(3, 100) is None
    assert table.at(20_000).withdraw(3) == "betting_is_closed"
    table.wake()
    assert table.withdraw(2) == "betting_is_closed"
    assert table.of(RoundDealt, everything=True)
    assert table.round.stakes[2].ante == 500


@pytest.mark.rule(REGULATION, "14")
def test_a_period_without_a_bet_is_no_round_and_the_table_waits() -> None:
    table = NoDraw().seat(1).wake()
    table.wait(20_000)
    assert [type(event) for event in table.last] == [AntesLapsed]
    assert table.due is None
    table.wait(3_600_000)
    assert table.last == []
    assert table.ante(1, 100) is None  # opens the next period for everybody, with its full time
    assert table.round.until == table.now + 20_000
    assert table.round.number == 2
    table.wait(20_000)
    assert table.names[0] == "AntesClosed"


def test_a_newcomer_starts_a_waiting_table() -> None:
    table = NoDraw().seat(1).wake()
    table.wait(20_000)
    table.now += 1_000
    table.seat(2)
    assert table.due is not None
    assert table.due <= table.now
    assert table.wake().names == ["AntesOpened"]


@pytest.mark.rule(REGULATION, "15")
def test_a_single_player_starts_the_deal() -> None:
    table = NoDraw(mode="single").seat(1).wake()
    assert table.of(AntesOpened)[0].until is None
    assert table.start_deal(1) == "no_stake"
    assert table.ante(1, 100) is None
    assert table.due == START + 180_001  # only the clock of rule 41 runs
    assert table.start_deal(1) is None
    assert table.names == ["AntesClosed"]
    assert table.due == table.now
    assert table.withdraw(1) == "betting_is_closed"
    assert table.wake().names[:2] == ["RoundDealt", "HandsAwaited"]


def test_at_a_table_for_many_the_clock_deals() -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, 100) is None
    assert table.start_deal(1) == "dealt_by_the_clock"


@pytest.mark.rule(REGULATION, "16")
@pytest.mark.parametrize(
    ("amount", "reason"),
    [(99, "ante_below_minimum"), (100, None), (2500, None), (2501, "ante_above_maximum")],
)
def test_the_bounds_of_the_ante(amount: int, reason: str | None) -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, amount) == reason
    assert table.stacks == {1: 10_000 - (0 if reason else amount)}
    if reason:
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#16"


@pytest.mark.rule(REGULATION, "17")
@pytest.mark.parametrize("minimum", [0, -100, ...])
def test_a_table_has_a_minimum_in_euros(minimum: object) -> None:
    table = NoDraw(min_ante=minimum, max_ante=100)
    assert table.refused_opening == Reason.OUTSIDE_RULEBOOK
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#17"
    assert NoDraw(currency="USD").refused_opening == Reason.OUTSIDE_RULEBOOK
    opened = NoDraw(min_ante=100).of(TableOpened, everything=True)[0].configuration
    assert (opened.betting.min_ante, opened.currency) == (100, "EUR")


@pytest.mark.rule(REGULATION, "18")
def test_the_maximum_is_at_most_25_times_the_minimum() -> None:
    above = NoDraw(min_ante=100, max_ante=2501)
    assert above.refused_opening == Reason.OUTSIDE_RULEBOOK
    assert above.refused is not None
    assert above.refused.rule == f"{REGULATION}#18"
    assert NoDraw(min_ante=100, max_ante=99).refused_opening == Reason.OUTSIDE_RULEBOOK
    table = NoDraw(min_ante=100, max_ante=2500).seat(1).dealt({1: 2500}, {1: HAND}, ACE_KING)
    assert table.decides(1, "continue", bet=5000) is None


def test_a_bank_that_cannot_pay_every_seat_at_its_worst_takes_no_bet() -> None:
    worst = 7 * 2500 * 201
    assert NoDraw(bank=worst - 1).refused_opening == "bank_too_small"
    table = NoDraw(bank=worst).seat(1).dealt({1: 100}, {1: HAND}, ACE_KING).plays("1 continue")
    assert table.nets == {1: 300}
    assert [(alarm.bank, alarm.exposure) for alarm in table.of(BankAlarmRaised)] == [(worst - 300, worst)]
    assert table.due is None
    assert table.ante(1, 100) == "bank_too_small"


def test_only_the_running_round_is_bet_on() -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, 100, round=2) == "wrong_round"
    assert table.ante(2, 100) == Reason.NOT_SEATED
    assert table.ante(1, 100, round=1) is None
    assert table.ante(1, 10_001) == "ante_above_maximum"
    poor = NoDraw(buy_in=200).seat(1, stack=200).wake()
    assert poor.ante(1, 201) == "above_stack"
    assert poor.ante(1, 150) is None
    assert poor.ante(1, 200) is None  # what lies there counts
    poor.wait(20_000)
    assert poor.decides(1, "fold") is None
