"""Charged by the hour: who pays for which session, and when one ends (pt-217-2007 7.b, 74)."""

from decimal import Decimal
from typing import Any

from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import (
    SessionEnded,
    SessionFeeDue,
    SessionStarted,
)
from libs.contracts.table_events import (
    PlayerLeft,
    TableClosed,
)
from services.table.domain.games.poker.entering import stack_to_enter
from tests.table.casino.play import (
    CASINO_HOLDEM,
    casino,
    rule,
)
from tests.table.casino.test_casino_rulebooks import refusals
from tests.table.casino.test_game import MINUTE, one_hand
from tests.table.play import TableUnderTest
from tests.testkit.cases import Case


def charged(**changes: Any) -> TableUnderTest:
    chosen: dict[str, Any] = {"rake_mode": "session", "rake_bp": 1000, "between_hands_ms": 0, **changes}
    return casino(1, 2, 3, 4, 5, 6, **chosen)


@rule("7.b/1")
def test_at_the_start_of_a_session_everybody_seated_is_charged_once_and_no_stack_is(case: Case) -> None:
    table = charged(rake_bp=case["percent"] * 100, buy_in=case["buy_in"])
    table.now = case.moment("starts")
    table.wake()
    (started,) = table.of(SessionStarted)
    assert (started.number, started.until) == (1, case.moment("starts") + 60 * MINUTE)
    fees = table.of(SessionFeeDue)
    wanted = [(f"p{n}", case["fee"], 1) for n in range(1, case.int("players") + 1)]
    assert [(fee.player, fee.amount, fee.session) for fee in fees] == wanted
    assert sum(table.stacks.values()) + table.hand.pot == case["players"] * case["buy_in"]
    one_hand(table.folds_round())
    assert table.of(SessionFeeDue, True) == fees


@rule("7.b/2")
def test_who_sits_down_within_thirty_minutes_pays_too(case: Case) -> None:
    table = charged(rake_bp=1000, buy_in=20_000)
    table.now = case.moment("starts")
    table.wake()
    table.folds_round()
    paid = {}
    for seat, at in ((7, case.moment("first")), (8, case.moment("second"))):
        table.now = at
        assert table.take(seat, stack_to_enter(table.state)) is None
        assert table.confirm(seat) is None
        paid[seat] = [(fee.player, fee.amount) for fee in table.of(SessionFeeDue)]
    assert paid == {7: [("p7", case["fee"])], 8: []}
    table.now = case.moment("starts") + 60 * MINUTE
    while not table.of(SessionEnded, True):
        one_hand(table)
    again = [fee.player for fee in table.of(SessionFeeDue, True) if fee.session == 2]
    assert {"p7", "p8"} <= set(again)


@rule("7.b/3", "74")
def test_the_hour_over_the_round_of_the_marker_is_completed(case: Case) -> None:
    hour: dict[str, Any] = {"between_hands_ms": 0, "sessions": 2, "decision_ms": 120 * MINUTE, "kind": "demo"}
    table = casino(*case.ints("seats"), rake_mode="session", rake_bp=500, **hour)
    table.now = case.moment("hour") - 60 * MINUTE
    table.wake()
    assert table.hand.small_blind == case["first"]
    table.folds_round().wake()
    assert table.hand.small_blind == case["at"]
    table.now = case.moment("hour")
    assert not table.of(SessionEnded, True)
    table.folds_round()
    leads = []
    while not table.of(SessionEnded, True):
        table.wake()
        if not table.of(SessionEnded):
            leads.append(table.hand.small_blind)
            table.folds_round()
    assert leads == case["then"]
    assert table.hand.small_blind == case["first"], "to where the session's first hand had it"
    assert [event.number for event in table.of(SessionStarted, True)] == [1, 2]


@rule("7.b/4")
def test_bounds_of_the_charge(case: Case) -> None:
    for name, fits in (("below", False), ("least", True), ("most", True), ("above", False)):
        rate = int(Decimal(str(case[name])) * 100)
        found = refusals(CASINO_HOLDEM, rake_mode="session", rake_bp=rate)
        assert found == ([] if fits else [("rake_bp", "pt-217-2007#7.b")])


@rule("74/1")
def test_after_the_last_session_the_table_closes_and_none_can_be_added(case: Case) -> None:
    sessions = case.int("sessions")
    table = charged(sessions=sessions, session_tail="current_hand")
    for number in range(1, sessions + 1):
        table.wake()
        assert table.state.sessions.number == number
        table.folds_round()
        added = {"rake_mode": "session", "rake_bp": 1000, "between_hands_ms": 0, "sessions": sessions + 1}
        assert table.change(2, **added) == Reason.RATE_FIXED_FOR_GAME
        assert not table.of(TableClosed, True)
        table.now += 60 * MINUTE
    table.wake()
    assert [event.number for event in table.of(SessionEnded)] == [sessions]
    assert table.of(TableClosed)
    assert len(table.of(PlayerLeft)) == 6
    assert sum(event.stack for event in table.of(PlayerLeft)) == 6 * 20_000
