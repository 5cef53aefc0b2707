"""Who does not decide stops no hand for ever where the clock does not act: a supervisor's word (pt-217-2007 71.a).

Found by an attacker: who would have had to fold said nothing, and all that anybody could do gave the bets back.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.conduct_events import ConductWarned
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import IncidentRecorded, SupervisorDecided
from libs.contracts.poker_commands import PokerReason
from libs.contracts.poker_events import BetPlaced, DecisionAwaited, PlayerChecked, PlayerFolded, PotAwarded
from tests.table.casino.play import casino, led, rule
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable
from tests.table.live.test_entered import enters, flop
from tests.table.play import TableUnderTest

LATE_MS = 20_000
each_place = pytest.mark.parametrize("remote", [False, True], ids=["at the table", "elsewhere"])


def stalls(bets: bool = True, remote: bool = False) -> LiveTable:
    """4 has 9,000 of 20,000 in, owes the rest or nothing, and has said nothing for three hours."""
    table = flop(bets=bets)
    if remote:
        assert table.state_presence(4, present=False) is None
    table.later(LATE_MS)
    assert [each.player for each in table.of(ConductWarned)] == ["p4"]
    for _ in range(3):
        table.later(3_600_000)
    assert (table.turn, len(table.of(ConductWarned, True))) == (4, 1)
    return table


@rule("71.a")
@each_place
def test_a_supervisor_folds_who_was_warned_and_does_not_decide(remote: bool) -> None:
    table = stalls(remote=remote)
    before = dict(table.stacks)
    assert table.report("PE-71a", seat=4) is None, table.refused
    assert (table.name, table.incident.seats) == ("SUPERVISOR_DECISION", [4])
    assert table.incident.choices == ["against", "go_on"]
    assert (table.stacks, table.turn) == (before, 4)
    assert table.rule_on("against", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("check") == Reason.NO_SUCH_DECISION
    assert table.rule_on("against") is None
    (decided,), (folded,) = table.of(SupervisorDecided), table.of(PlayerFolded)
    assert (decided.code, decided.by) == ("PE-71a", "floor-1")
    assert (folded.seat, folded.actor, folded.reason, folded.entered_by) == (4, "house", "timeout", "")
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]
    assert table.stacks[4] == 11_000


@rule("71.a")
@each_place
def test_where_nothing_is_owed_the_supervisor_checks(remote: bool) -> None:
    table = stalls(bets=False, remote=remote)
    assert table.report("PE-71a", seat=4) is None
    assert table.incident.choices == ["check", "go_on"]
    assert table.rule_on("against") == Reason.NO_SUCH_DECISION
    assert table.rule_on("check") is None
    (checked,) = table.of(PlayerChecked)
    assert (checked.seat, checked.actor, checked.reason) == (4, "house", "timeout")
    assert (table.live.stage, table.live.pending) == ("board", None)


@rule("71.a")
@each_place
def test_the_time_may_begin_anew(remote: bool) -> None:
    table = stalls(remote=remote)
    assert table.report("PE-71a", seat=4) is None
    assert table.rule_on("go_on") is None
    (awaited,) = table.of(DecisionAwaited)
    assert (awaited.seat, awaited.until - table.now, table.live.pending) == (4, LATE_MS, None)
    assert table.report("PE-71a", seat=4) == Reason.NOT_AWAITED, "not before the next warning"
    table.later(LATE_MS)
    assert [each.count for each in table.of(ConductWarned)] == [2]
    assert table.report("PE-71a", seat=4) is None
    assert table.rule_on("against") is None


@rule("71.a")
@each_place
@pytest.mark.parametrize(("act", "kind"), [("call", BetPlaced), ("fold", PlayerFolded)])
def test_until_a_supervisor_has_decided_the_player_may_in_person(remote: bool, act: str, kind: type) -> None:
    table = stalls(remote=remote)
    assert table.report("PE-71a", seat=4) is None
    table.later(3_600_000)
    assert not table.last, "the clock stands"
    assert enters(table, "fold") == (Reason.PLAYER_IS_REMOTE if remote else Reason.SUPERVISOR_DECISION)
    assert table.act(3, "fold") == Reason.SUPERVISOR_DECISION
    assert table.act(4, act) is None
    (told,) = table.of(kind)
    assert (told.seat, getattr(told, "actor", "player"), told.entered_by) == (4, "player", "")
    assert table.state.hand is None or table.live.pending is None


@rule("71.a")
def test_who_leaves_meanwhile_has_folded() -> None:
    table = stalls()
    assert table.report("PE-71a", seat=4) is None
    assert table.leave(4) is None
    assert [(each.seat, each.reason) for each in table.of(PlayerFolded)] == [(4, "left")]
    assert table.state.hand is None


@rule("71.a")
@each_place
def test_whose_time_has_not_run_out_is_not_reported(remote: bool) -> None:
    table = flop(bets=True)
    if remote:
        assert table.state_presence(4, present=False) is None
    table.now += LATE_MS - 1
    assert table.report("PE-71a", seat=4) == Reason.NOT_AWAITED
    assert table.report("PE-71a", seat=3) == Reason.NOT_AWAITED
    assert table.report("PE-71a") == Reason.INCOMPLETE_REPORT
    table.now += 1
    assert table.report("PE-71a", seat=4) is None, "the warning is due by the report's own time"
    assert [type(each) for each in table.last] == [ConductWarned, IncidentRecorded]


def test_where_the_clock_acts_there_is_nothing_to_report() -> None:
    table = flop(bets=True, timer_action="act")
    table.now += LATE_MS
    assert table.report("PE-71a", seat=4) == Reason.NOT_AWAITED


@rule("71.a")
def test_who_is_on_the_way_out_is_warned_and_reported_like_anybody() -> None:
    table = flop(bets=True)
    assert table.remove(4) is None
    table.later(LATE_MS)
    assert [(each.player, each.count) for each in table.of(ConductWarned)] == [("p4", 1)]
    table.later(3_600_000)
    assert not table.last
    assert table.report("PE-71a", seat=4) is None
    assert table.rule_on("against", by=SUPERVISOR) is None
    assert [award.winners for award in table.of(PotAwarded)] == [[3]]
    assert 4 not in table.state.seats, "and gone when the hand is over"


@rule("91", "71.a")
def test_whose_blind_is_missing_is_a_case_of_91() -> None:
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("").begin(1, unposted=[2]).deal_holes()
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 call")
    table.later(LATE_MS)
    assert table.turn == 2
    assert table.report("PE-71a", seat=2) == Reason.BLIND_NOT_POSTED


def without_a_clock(warned: bool) -> TableUnderTest:
    """A table as it could be opened before 2026-11-29: nobody deals, and the clock was not to act."""
    table = led(casino(1, 2, 3, 4, 5, 6), 1)
    rules = table.state.rules
    old: Any = replace(rules, timing=replace(rules.timing, timer_action="none"))
    turn = replace(table.hand.turn, warned=warned)  # type: ignore[type-var]  # somebody is asked
    table.state = replace(table.state, configuration=old, hand=replace(table.hand, turn=turn))
    return table


@rule("71.a")
def test_a_table_without_a_dealer_that_was_opened_so_has_its_clock_act() -> None:
    table = without_a_clock(warned=False)
    table.later(LATE_MS)
    assert [(each.seat, each.reason) for each in table.of(PlayerFolded)] == [(3, "timeout")]
    assert [each.player for each in table.of(ConductWarned)] == ["p3"]
    assert table.act(3, "call") == PokerReason.NOT_YOUR_SEAT


@rule("71.a")
def test_who_was_warned_there_before_is_asked_once_more() -> None:
    table = without_a_clock(warned=True)
    table.later(3_600_000)
    assert [type(each) for each in table.last] == [DecisionAwaited], "not void either"
    table.later(LATE_MS)
    assert [(each.seat, each.reason) for each in table.of(PlayerFolded)] == [(3, "timeout")]
