"""Decision time, time bank, time-outs, outages of the house."""

from typing import Any

import pytest

from libs.contracts.poker_events import DecisionAwaited, HandVoided, PlayerChecked, PlayerFolded
from libs.contracts.table_events import STANDSTILL
from libs.decider import Standstill
from tests.table.casino.play import CASINO_HOLDEM
from tests.table.play import MACAU, PORTUGAL, TableUnderTest
from tests.testkit.cases import Case


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def three(**changes: Any) -> TableUnderTest:
    return TableUnderTest(**changes).seat(1, 2, 3).deal(button=1)


@portugal("43/2")
def test_a_decision_counts_up_to_the_deadline(case: Case) -> None:
    for name, reason in (("before", None), ("at", None), ("late", "too_late")):
        table = TableUnderTest(decision_ms=case.int("seconds") * 1000).seat(1, 2, 3)
        table.now = case.moment("turn")
        table.deal(button=1)
        table.now = case.moment(name)
        assert table.act(1, "call") == reason, "whether or not a wake has come"
        assert table.refused is None or table.refused.rule == "pt-811-2015#43"


@portugal("43", "45")
def test_the_wake_comes_after_the_last_moment() -> None:
    table = three()
    assert table.due == table.now + 20_001
    assert table.later(20_000).last == []
    assert table.later(1).of(PlayerFolded)


@portugal("44")
def test_the_time_bank_pays_for_what_is_over() -> None:
    table = three(time_bank_ms=30_000)
    table.now += 32_000
    assert table.act(1, "call") is None
    assert table.state.seats[1].time_bank == 18_000
    table.plays("2 call", "3 check", "2 check", "3 check")
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, awaited.bank_until - awaited.until) == (1, 18_000)
    table.time_out()
    assert table.state.seats[1].time_bank == 0


@portugal("45")
def test_check_where_possible_and_fold_otherwise() -> None:
    table = three().plays("1 call", "2 call")
    table.time_out()
    assert [(e.seat, e.reason, e.actor) for e in table.of(PlayerChecked)] == [(3, "timeout", "house")]
    table.plays("2 bet 100")
    table.time_out()
    assert [(e.seat, e.reason, e.actor) for e in table.of(PlayerFolded)] == [(3, "timeout", "house")]
    assert not table.state.is_bound(table.state.seats[3])


@portugal("45")
def test_exactly_one_decision_is_booked() -> None:
    table = three()
    turn = table.hand.turn
    assert turn is not None
    table.time_out()
    assert table.act(1, "call", turn=turn.version) == "not_your_seat"
    table = three()
    table.now = table.deadline
    assert table.act(1, "call") is None
    assert table.wake() is None
    assert table.last == []


@portugal("45", "72")
def test_after_an_outage_of_the_house_there_is_a_new_deadline() -> None:
    table = three(time_bank_ms=5000)
    table.now += 60_000
    table.wake(outage=True)
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, awaited.until, awaited.bank_until) == (1, table.now + 20_000, table.now + 25_000)
    assert table.act(1, "call") is None


@pytest.mark.parametrize(
    "rulebook",
    [
        pytest.param(PORTUGAL, marks=portugal("72")),
        pytest.param(CASINO_HOLDEM, marks=pytest.mark.rule("pt-217-2007", "FP-4")),
        pytest.param(MACAU, marks=pytest.mark.rule("mo-97-2010", "9.2")),
    ],
)
def test_a_hand_that_waited_for_the_house_longer_than_the_resume_limit_is_void(rulebook: str) -> None:
    table = TableUnderTest(rulebook, between_hands_ms=1_000).seat(1, 2, 3, 4)
    before = table.stacks
    table.later(1_000)
    table.stood = Standstill(table.now, table.now + 120_000)
    table.later(120_000, outage=True)
    (voided,) = table.of(HandVoided)
    assert (voided.by, voided.cause) == ("house", STANDSTILL)
    assert (table.stacks, table.state.books.raked) == (before, 0), "blinds came back too"
    table.later(1_000)
    assert table.hand.number == voided.hand + 1, "and it is never resumed"


@portugal("72")
@pytest.mark.parametrize(("late", "void"), [(119_999, False), (120_000, True)])
def test_a_deadline_that_nobody_saw_to_for_as_long_proves_a_standstill_too(late: int, void: bool) -> None:
    """No sign of life tells of it: the house has lived, and its timers have not."""
    table = three()
    table.now = (table.due or 0) + late
    table.wake()
    assert ("HandVoided" in table.names) is void


@portugal("72")
def test_how_long_a_hand_waits_for_the_house_is_configured() -> None:
    table = three(resume_ms=30_000)
    table.now = (table.due or 0) + 30_000
    table.wake(outage=True)
    assert table.of(HandVoided)


@portugal("43")
def test_back_before_the_deadline_leaves_it_where_it_is() -> None:
    table = three()
    table.now += 8_000
    table.wake(outage=True)
    assert table.last == []
