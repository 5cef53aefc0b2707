"""Clocks, failures and lost connections (pt-803-2015-no-draw 21, 31 to 36)."""

import pytest

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import (
    HandsAwaited,
    HandSurrendered,
    HandsWarned,
    RoundDealt,
    RoundSettled,
    RoundVoided,
)
from libs.contracts.table_commands import ReportConnection
from services.table.domain.table.waking import moved_at
from tests.table.no_draw.play import ACE_KING, BANK, REGULATION, START, NoDraw

HANDS = {1: "8c 8d Kh 5h 2s", 3: "9c 9d Kc 6h 3s", 4: "Tc Td Qc 4h 4s"}
DEALT = 30_000
"""The cards are delivered at 10:00:30.000."""


def dealt(*seats: int, mode: str = "multi", **antes: int) -> NoDraw:
    table = NoDraw(mode=mode).seat(*seats)
    table.at(DEALT - 20_000 if mode == "multi" else DEALT)
    amounts = {seat: antes.get(f"s{seat}", 100) for seat in seats}
    return table.dealt(amounts, {seat: HANDS[seat] for seat in seats}, ACE_KING)


def report(table: NoDraw, seat: int, connected: bool) -> None:
    who = Principal("policy", "gateway")
    assert table.send(who, ReportConnection(player=f"p{seat}", connected=connected)) is None


@pytest.mark.rule(REGULATION, "21")
def test_a_decision_in_time_counts_and_time_first_warns() -> None:
    table = dealt(1, mode="single")
    assert table.round.until == START + 50_000
    table.at(49_999)
    assert table.decides(1, "continue") is None
    late = dealt(1, mode="single").at(50_000).wake()
    assert late.names == ["HandsWarned"]
    assert late.round.undecided


@pytest.mark.rule(REGULATION, "21")
def test_no_seat_waits_for_another() -> None:
    table = dealt(1, 3)
    awaited = table.of(HandsAwaited)[0]
    assert ([choice.seat for choice in awaited.choices], awaited.until) == ([1, 3], START + 50_000)
    assert table.at(35_000).decides(3, "continue") is None
    assert table.round.until == START + 50_000
    assert [stakes.seat for stakes in table.round.undecided] == [1]


@pytest.mark.rule(REGULATION, "31")
def test_a_warning_gives_extra_time() -> None:
    table = dealt(1, 3).at(50_000).wake()
    warned = table.of(HandsWarned)[0]
    assert (warned.seats, warned.until) == ([1, 3], START + 60_000)
    assert table.due == START + 60_000
    assert table.at(59_999).decides(1, "continue") is None


@pytest.mark.rule(REGULATION, "31")
def test_a_decision_before_the_timer_is_after_the_warning_all_the_same() -> None:
    table = dealt(1, mode="single").at(50_004)
    assert table.decides(1, "continue") is None
    assert table.names[:2] == ["HandsWarned", "SecondBetPlaced"]


@pytest.mark.rule(REGULATION, "32")
def test_who_lets_the_extra_time_pass_has_folded() -> None:
    table = dealt(1, 3, s1=800)
    table.plays("3 continue")
    table.at(50_000).wake()
    assert table.of(HandsWarned)[0].seats == [1]
    table.at(60_000)
    assert table.decides(1, "continue") == "too_late"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#32"
    table.wake()
    folded = table.of(HandSurrendered)[0]
    assert (folded.seat, folded.cause, folded.actor) == (1, "timeout", "house")
    assert table.nets[1] == -800
    assert table.decides(1, "continue", round=1) == "wrong_round"


@pytest.mark.rule(REGULATION, "33")
def test_a_round_that_cannot_be_finished_is_void_for_every_seat() -> None:
    table = dealt(1, 3, 4, s1=100, s3=1000, s4=500).plays("1 fold", "3 continue")
    assert table.stacks == {1: 9_900, 3: 7_000, 4: 9_500}
    assert table.void() is None
    voided = table.of(RoundVoided)[0]
    assert {refund.seat: refund.amount for refund in voided.refunds} == {1: 100, 3: 3000, 4: 500}
    assert (voided.cause, voided.by) == ("deck lost", "staff-1")
    assert table.stacks == {1: 10_000, 3: 10_000, 4: 10_000}
    assert table.state.bank == BANK
    assert table.of(RoundSettled, everything=True) == []
    assert table.void() == "no_round"


def failed() -> NoDraw:
    """The house fails at 10:00:35.000, right after seat 3 decided; the limit to resume is 120 s."""
    table = dealt(3, 4)
    table.at(35_000).plays("3 continue")
    return table


@pytest.mark.rule(REGULATION, "33")
def test_back_in_time_the_round_goes_on_with_its_cards_and_full_time() -> None:
    table = failed()
    deck = table.round.deck
    table.at(154_999).wake(outage=True)
    again = table.of(HandsAwaited)[0]
    assert ([choice.seat for choice in again.choices], again.again) == ([4], True)
    assert again.until == table.now + 20_000
    assert table.round.deck is deck
    assert len(table.of(RoundDealt, everything=True)) == 1
    assert table.of(RoundVoided, everything=True) == []
    table.plays("4 continue")
    assert set(table.nets) == {3, 4}


@pytest.mark.rule(REGULATION, "33")
def test_after_the_limit_the_round_is_void_for_good() -> None:
    table = failed().at(155_000).wake(outage=True)
    voided = table.of(RoundVoided)[0]
    assert (voided.by, {refund.seat: refund.amount for refund in voided.refunds}) == ("house", {3: 300, 4: 100})
    assert table.stacks == {3: 10_000, 4: 10_000}
    assert table.decides(4, "continue", round=1) == "wrong_round"
    assert table.void(1) in ("no_round", "wrong_round")


@pytest.mark.rule(REGULATION, "33")
def test_the_standstill_counts_from_where_it_is_known_to_have_begun() -> None:
    known = failed().at(160_000).wake(outage=True, down_since=START + 45_000)
    assert known.names == ["HandsAwaited"]
    assert failed().at(165_000).wake(outage=True, down_since=START + 45_000).of(RoundVoided)


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
    late.at(121_000).wake(outage=True)
    assert late.of(RoundVoided)[0].refunds[0].amount == 300


@pytest.mark.rule(REGULATION, "34")
def test_a_lost_connection_does_not_stop_the_round() -> None:
    table = dealt(1, 3)
    report(table, 1, connected=False)
    table.plays("3 continue")
    table.at(50_000).wake()
    table.at(60_000).wake()
    assert table.of(RoundVoided, everything=True) == []
    assert table.nets[1] == -100
    assert table.nets[3] != 0


@pytest.mark.rule(REGULATION, "35")
def test_who_is_away_before_the_second_bet_folds_at_the_end_of_the_time() -> None:
    table = dealt(1, s1=500).at(33_000)
    report(table, 1, connected=False)
    assert table.round.undecided
    table.at(50_000).wake()
    assert table.of(HandsWarned)[0].seats == [1]
    table.at(60_000).wake()
    assert table.of(HandSurrendered)[0].cause == "disconnected"
    assert table.nets == {1: -500}


@pytest.mark.rule(REGULATION, "35")
def test_who_is_back_in_time_decides() -> None:
    table = dealt(1, s1=500).at(33_000)
    report(table, 1, connected=False)
    table.at(50_000).wake()
    table.at(55_000)
    report(table, 1, connected=True)
    assert table.decides(1, "continue") is None
    assert table.nets == {1: 1500}
    back_and_slow = dealt(1, s1=500)
    report(back_and_slow, 1, connected=False)
    report(back_and_slow, 1, connected=True)
    back_and_slow.at(50_000).wake()
    back_and_slow.at(60_000).wake()
    assert back_and_slow.of(HandSurrendered)[0].cause == "timeout"


@pytest.mark.rule(REGULATION, "36")
def test_after_the_second_bet_the_round_is_settled_without_the_player() -> None:
    table = NoDraw().seat(5, 2).dealt({5: 300, 2: 100}, {5: "5s 5h 5d 5c 9h", 2: "Qh Jd 9s 6c 3h"}, "Kc Ks 8d 4s 2d")
    table.plays("5 continue")
    report(table, 5, connected=False)
    table.plays("2 fold")
    result = next(result for result in table.settled.results if result.seat == 5)
    assert (result.credited, result.net) == (13_200, 12_300)
    assert table.stacks[5] == 22_300
