"""Clocks, failures and lost connections (pt-803-2015-no-draw 21, 31 to 36)."""

from typing import Any

import pytest

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import (
    HandsAwaited,
    HandSurrendered,
    HandsWarned,
    RoundHandShown,
    RoundSettled,
    RoundVoided,
    SecondBetPlaced,
)
from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_events import CARDS_LOST
from libs.contracts.wallet_commands import account_id
from libs.decider import Standstill
from services.table.domain.table.waking import moved_at
from tests.banked.sittings import Sittings
from tests.table.no_draw.play import ACE_KING, BANK, REGULATION, START, NoDraw
from tests.table.test_cards_lost import lose_cards
from tests.testkit.cases import Case

rule = pytest.mark.rule

HANDS = {1: "8c 8d Kh 5h 2s", 3: "9c 9d Kc 6h 3s", 4: "Tc Td Qc 4h 4s"}
DEALT = 30_000
"""The cards are delivered at 10:00:30.000."""


def dealt(*seats: int, mode: str = "multi", decision_ms: int = 20_000, extra_ms: int = 10_000, **antes: Any) -> NoDraw:
    table = NoDraw(mode=mode, decision_ms=decision_ms, extra_ms=extra_ms).seat(*seats)
    table.at(DEALT - 20_000 if mode == "multi" else DEALT)
    amounts = {seat: antes.get(f"s{seat}", 100) for seat in seats}
    return table.dealt(amounts, {seat: HANDS[seat] for seat in seats}, ACE_KING)


def report(table: NoDraw, seat: int, connected: bool) -> None:
    who = Principal("policy", "gateway")
    assert table.send(who, ReportConnection(player=f"p{seat}", connected=connected)) is None


def after_ten(case: Case, name: str) -> int:
    """Milliseconds after 10:00:00.000."""
    return case.moment(name) - 36_000_000


@rule(REGULATION, "21/1")
@pytest.mark.parametrize("mode", ["single", "multi"])
def test_a_decision_in_time_counts_and_time_first_warns(case: Case, mode: str) -> None:
    def cards_out() -> NoDraw:
        table = dealt(1, mode=mode)
        assert table.of(HandsAwaited)[0].at == START + after_ten(case, "delivered")
        assert table.round.until == table.now + case.int("time") == START + after_ten(case, "warned")
        return table

    in_time = cards_out().at(after_ten(case, "in_time"))
    assert in_time.decides(1, "continue") is None
    assert in_time.of(HandsWarned, everything=True) == []
    late = cards_out().at(after_ten(case, "warned")).wake()
    assert late.names == ["HandsWarned"]
    assert late.round.undecided


@rule(REGULATION, "21/2")
def test_no_seat_waits_for_another(case: Case) -> None:
    seats, first = case.ints("seats"), case.int("decides")
    table = dealt(*seats)
    awaited = table.of(HandsAwaited)[0]
    deadline = START + after_ten(case, "deadline")
    assert ([choice.seat for choice in awaited.choices], awaited.until) == (seats, deadline)
    assert table.at(after_ten(case, "at")).decides(first, "continue") is None
    assert table.round.until == deadline
    assert [stakes.seat for stakes in table.round.undecided] == [seat for seat in seats if seat != first]


@rule(REGULATION, "31/1")
def test_a_warning_gives_extra_time(case: Case) -> None:
    """It is sent as public events are: tests/gateway/banked/test_no_draw_table.py."""
    table = dealt(1, 3, decision_ms=case["time"], extra_ms=case["extra"])
    assert table.now == START + after_ten(case, "delivered")
    assert table.at(after_ten(case, "warned")).wake().names == ["HandsWarned"]
    (warned,) = table.of(HandsWarned)
    deadline = START + after_ten(case, "deadline")
    assert (warned.seats, warned.until, table.due) == ([1, 3], deadline, deadline)
    assert table.at(after_ten(case, "in_time")).decides(1, "continue") is None


@rule(REGULATION, "31")
def test_the_extra_time_begins_with_the_warning_however_late_that_is() -> None:
    table = dealt(1, mode="single").at(53_000).wake()
    assert [event.until for event in table.of(HandsWarned)] == [START + 63_000]
    assert table.at(62_999).decides(1, "continue") is None


@rule(REGULATION, "31")
def test_a_decision_before_the_timer_is_after_the_warning_all_the_same() -> None:
    table = dealt(1, mode="single").at(50_004)
    assert table.decides(1, "continue") is None
    assert table.names[:2] == ["HandsWarned", "SecondBetPlaced"]


@rule(REGULATION, "32/1")
def test_who_lets_the_extra_time_pass_has_folded(case: Case) -> None:
    table = dealt(1, 3, s1=case["ante"])
    table.plays("3 continue")
    assert table.round.until is not None
    table.now = table.round.until
    assert table.wake().of(HandsWarned)[0].seats == [1]
    assert table.round.until == START + after_ten(case, "ends")
    table.at(after_ten(case, "ends"))
    assert table.decides(1, "continue") == "too_late"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#32"
    table.wake()
    folded = table.of(HandSurrendered)[0]
    assert (folded.seat, folded.cause, folded.actor) == (1, "timeout", "house")
    assert table.nets[1] == case["net"]
    assert table.decides(1, "continue", round=1) == "wrong_round"


@rule(REGULATION, "33/1")
@pytest.mark.parametrize("by", ["staff-2", "house"])
def test_a_round_that_cannot_be_finished_is_void_for_every_seat(case: Case, by: str) -> None:
    """By staff, or by the house when no key opens the deck any more."""
    ((ante, bet),) = case.read("continued", dict[int, int]).items()
    antes = {1: case.int("folded"), 3: ante, 4: case.int("undecided")}
    table = dealt(1, 3, 4, s1=antes[1], s3=ante, s4=antes[4]).plays("1 fold", "3 continue")
    assert table.stacks == {1: 10_000 - antes[1], 3: 10_000 - ante - bet, 4: 10_000 - antes[4]}
    if by == "house":
        assert lose_cards(table) == [table.state.table]
        table.wake()
    else:
        assert table.void() is None
    (voided,) = table.of(RoundVoided)
    assert {refund.seat: refund.amount for refund in voided.refunds} == dict(zip(antes, case["credited"], strict=True))
    assert (voided.cause, voided.by) == (CARDS_LOST if by == "house" else "deck lost", by)
    assert {stack - 10_000 for stack in table.stacks.values()} == {case["net"]}
    assert table.state.bank == BANK
    assert table.of(RoundSettled, everything=True) == table.of(RoundHandShown, everything=True) == []
    assert table.void() == "no_round"


@rule(REGULATION, "33/1")
def test_a_void_round_comes_home_to_who_had_left(case: Case) -> None:
    """By the wallet's own policy: into the accounts, with nobody's seat to lay it on."""
    ((ante, _),) = case.read("continued", dict[int, int]).items()
    antes = {1: case.int("folded"), 3: ante, 4: case.int("undecided")}
    table = dealt(*antes, s1=antes[1], s3=ante, s4=antes[4]).plays("1 fold", "3 continue")
    assert table.leave(1) is None
    accounts = Sittings(*(f"p{seat}" for seat in antes), amount=10_000).follow(table)
    home = account_id("p1", "EUR")
    assert accounts.accounts[home].available == 10_000 - antes[1]
    assert table.void() is None
    (voided,) = table.of(RoundVoided)
    assert [refund.amount for refund in voided.refunds] == case["credited"]
    for seat in (3, 4):
        assert table.leave(seat) is None
    accounts.follow(table)
    at_home = [accounts.accounts[account_id(f"p{seat}", "EUR")].available for seat in antes]
    assert at_home == [10_000 + case.int("net")] * len(antes)


def failed(at: int = 35_000, undecided: int = 4) -> NoDraw:
    """The house fails at 10:00:35.000, right after seat 3 decided; the limit to resume is 120 s."""
    table = dealt(3, undecided)
    table.at(at).plays("3 continue")
    return table


@pytest.mark.rule(REGULATION, "33")
def test_a_short_standstill_gives_the_full_time_again_too() -> None:
    table = failed().at(45_000).wake(outage=True)
    assert table.names == ["HandsAwaited"]
    assert table.round.until == START + 65_000
    table.at(65_000).wake()
    assert table.names == ["HandsWarned"]


def test_a_restart_matters_to_a_round_with_a_clock() -> None:
    table = NoDraw().seat(1).wake()
    assert moved_at(table.state) is None
    assert table.at(3_000).ante(1, 100) is None
    assert moved_at(table.state) == START + 3_000
    table.at(20_000).wake()
    assert moved_at(table.state) == START + 20_000
    table.plays("1 fold")
    assert moved_at(table.state) is None
    single = NoDraw(mode="single").seat(1).wake()
    assert single.ante(1, 100) is None
    assert moved_at(single.state) is None


def test_the_ante_of_a_single_player_waits_out_a_standstill() -> None:
    table = NoDraw(mode="single").seat(1).wake()
    assert table.ante(1, 300) is None
    assert table.at(150_000).wake(outage=True).last == []
    assert table.start_deal(1) is None


def test_bets_taken_before_a_standstill_may_be_changed_again_after_it() -> None:
    table = NoDraw().seat(1).wake()
    assert table.ante(1, 300) is None
    table.at(60_000).wake(outage=True)
    assert table.names == ["AntesExtended"]
    assert table.ante(1, 500) is None
    table.at(81_000).wake()
    assert "RoundDealt" in table.names
    late = NoDraw().seat(1).wake()
    assert late.ante(1, 300) is None
    late.at(121_000).stood = Standstill(START + 1_000, START + 121_000)
    late.wake(outage=True)
    assert late.of(RoundVoided)[0].refunds[0].amount == 300


@rule(REGULATION, "34/1")
def test_a_lost_connection_does_not_stop_the_round() -> None:
    table = dealt(1, 3, 4)
    report(table, 1, connected=False)
    table.plays("3 continue", "4 fold")
    table.at(50_000).wake()
    table.at(60_000).wake()
    assert table.of(RoundVoided, everything=True) == []
    assert [result.seat for result in table.settled.results] == [1, 3, 4]
    assert table.nets == {1: -100, 3: 300, 4: -100}


@rule(REGULATION, "35/1", "35/2")
def test_who_is_away_before_the_second_bet_folds_at_the_end_of_the_time_and_may_be_back_before(case: Case) -> None:
    def away() -> NoDraw:
        time, extra = case.int("time") * 1000, case.int("extra") * 1000
        table = dealt(1, decision_ms=time, extra_ms=extra, s1=case["ante"]).at(DEALT + case.int("lost") * 1000)
        report(table, 1, connected=False)
        assert table.round.undecided
        table.at(DEALT + time).wake()
        assert table.of(HandsWarned)[0].seats == [1]
        return table

    gone = away().at(DEALT + (case.int("time") + case.int("extra")) * 1000).wake()
    assert gone.of(HandSurrendered)[0].cause == "disconnected"
    assert gone.nets == {1: case["net"]}

    back = away().at(DEALT + case.int("back") * 1000)
    report(back, 1, connected=True)
    assert back.decides(1, "continue") is None
    (bet,) = back.of(SecondBetPlaced)
    assert bet.amount == case["bet"]
    assert back.settled.results[0].outcome == "win"


@rule(REGULATION, "35")
def test_who_is_back_and_slow_has_timed_out() -> None:
    table = dealt(1, s1=500)
    report(table, 1, connected=False)
    report(table, 1, connected=True)
    table.at(50_000).wake()
    table.at(60_000).wake()
    assert table.of(HandSurrendered)[0].cause == "timeout"
