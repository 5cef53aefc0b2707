"""Decision time, time bank, time-outs, outages of the house."""

from typing import Any

import pytest

from libs.contracts.poker_events import DecisionAwaited, PlayerChecked, PlayerFolded
from tests.table.play import TableUnderTest


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def three(**changes: Any) -> TableUnderTest:
    return TableUnderTest(**changes).seat(1, 2, 3).deal(button=1)


@portugal("43")
@pytest.mark.parametrize(("after", "reason"), [(19_999, None), (20_000, None), (20_001, "too_late")])
def test_a_decision_counts_up_to_the_deadline(after: int, reason: str | None) -> None:
    table = three()
    table.now += after
    assert table.act(1, "call") == reason
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


@portugal("44")
def test_without_a_bank_the_house_acts_at_once() -> None:
    table = three()
    (awaited,) = [event for event in table.told if isinstance(event, DecisionAwaited)]
    assert awaited.until == awaited.bank_until


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


@portugal("43")
def test_back_before_the_deadline_leaves_it_where_it_is() -> None:
    table = three()
    table.now += 8_000
    table.wake(outage=True)
    assert table.last == []


@portugal("73")
def test_a_lost_connection_of_the_player_is_no_outage() -> None:
    table = three().plays("1 raise 350", "2 call", "3 call", "2 bet 500")
    table.time_out()
    assert table.of(PlayerFolded)[0].seat == 3
    assert table.hand.players[3].committed == 350
