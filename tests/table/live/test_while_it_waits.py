"""While a supervisor is asked, or cards are dealt, nobody else is, and no clock decides (pt-217-2007 71, 91; 8.c)."""

from typing import Any

import pytest

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import BlindPosted, DecisionAwaited, PlayerFolded
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, LiveTable
from tests.table.under_test import refolded

LAPS = "2c 3c 9c 5c As 7c 2d 3d 4d 5d Ah 7d"
"""Seat 5 has two aces."""


def entered(**changes: Any) -> LiveTable:
    """Seat 1's blind is missing, and the dealer has entered a fold for seat 5, in a pot of 30,200."""
    table = LiveTable(1, 2, 3, 4, 5, 6, **changes).stack_pack(LAPS).begin(1, unposted=[1]).deal_holes()
    table.plays("3 raise 10000", "4 raise 20000")
    assert table.send(DEALER, Act(hand=table.state.hands, seat=5, act="fold")) is None
    assert (table.incident.code, table.turn, table.hand.pot) == ("ACT", 5, 30_200)
    return table


@rule("91", "8.c")
@pytest.mark.parametrize("timer", ["act", "none"])
def test_a_late_blind_waits_for_the_supervisor_and_starts_no_clock(timer: str) -> None:
    """Found by an attacker: the turn was asked anew, its player refused, and the clock folded two aces."""
    table = entered(timer_action=timer)
    post = c.RecordPost(hand=table.state.hands, seat=1)
    assert table.send(DEALER, post) == Reason.SUPERVISOR_DECISION
    assert table.hand.turn is not None
    assert table.hand.turn.stands
    table.later(3_600_000)
    assert not table.of(PlayerFolded, True)
    table.plays("5 call")
    assert table.live.pending is None
    assert table.send(DEALER, post) is None
    assert [event.seat for event in table.of(BlindPosted)] == [1]


@rule("91", "71.c", "71.d")
@pytest.mark.parametrize(("code", "placed"), [("PE-71d", 9_500), ("PE-71c", 100)])
def test_nothing_is_said_of_the_chips_of_who_has_not_posted(code: str, placed: int) -> None:
    """Who has not posted acts no more before the blind is there: an act held for that seat nobody could answer."""
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(LAPS).begin(1, unposted=[2]).deal_holes()
    table.plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold")
    assert table.report(code, seat=2, placed=placed) == Reason.BLIND_NOT_POSTED
    assert table.send(DEALER, c.RecordPost(hand=table.state.hands, seat=2)) is None
    assert table.turn == 2


@rule("91")
@pytest.mark.parametrize("fields", [{}, {"seat": 1}])
def test_a_missing_blind_is_no_case_for_a_supervisor_while_cards_are_dealt(fields: dict[str, int]) -> None:
    """Found by an attacker: the betting opened before the hole cards lay there, and the showdown failed for ever."""
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("").begin(1, unposted=[1]).deal_holes(until=3)
    assert table.report("PE-91", **fields) == Reason.NOT_AWAITED
    table.deal_holes()
    (asked,) = table.of(DecisionAwaited, True)
    assert asked.seat == 3
    assert table.report("PE-91") is None
    assert table.rule_on("reduced_pot") is None
    assert table.turn == 3


@rule("91", "69")
@pytest.mark.parametrize("decision", ["reduced_pot", "go_on"])
def test_what_was_asked_while_cards_were_dealt_lets_the_dealer_go_on(decision: str) -> None:
    """Until 2026-11-30 it was asked: such a hand is dealt to its end."""
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("").begin(1, unposted=[1]).deal_holes(until=3)
    asked = IncidentRecorded(
        table=table.state.table, at=table.now, hand=table.state.hands, incident=1, code="PE-91",
        state_before="DEALING", state_after="SUPERVISOR_DECISION", seats=[], currency="EUR", outcome="to_decide",
        choices=["reduced_pot", "go_on"], reported_by="dealer-1", recorded_by="dealer-1",
    )  # fmt: skip
    table.state = refolded(table.state, asked, None)
    assert table.rule_on(decision) is None
    assert (table.name, table.turn) == ("DEALING", None)
    table.deal_holes()
    assert table.turn == 3


@rule("71.a", "8.c")
@pytest.mark.parametrize("decides", ["supervisor", "player"])
def test_what_was_used_of_the_time_bank_before_the_clock_stood_is_used(decides: str) -> None:
    """Found by an attacker: with each act that was entered the whole of it came back."""
    table = LiveTable(1, 2, 3, 4, 5, 6, timer_action="act", time_bank_ms=10_000).stack_pack(LAPS)
    table.begin(1).deal_holes()
    table.plays("3 raise 10000", "4 raise 20000")
    assert table.hand.turn is not None
    bank, used = table.state.seats[5].time_bank, 3_000
    assert bank == 10_000
    table.now = table.hand.turn.until + used
    assert table.send(DEALER, Act(hand=table.state.hands, seat=5, act="fold")) is None
    table.later(3_600_000)
    assert (table.rule_on("stands") if decides == "supervisor" else table.act(5, "fold")) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.time_bank_left) == (5, bank - used)
