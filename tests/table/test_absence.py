"""Breaks, absence, too small a stack: invitation, warning, end."""

from typing import Any

import pytest

from libs.contracts.poker_events import HandStarted
from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerSatOut, PlayerWarned
from tests.table.play import TableUnderTest


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def play_hand(table: TableUnderTest, absent: int | None = None) -> TableUnderTest:
    """One hand: everybody folds by own decision, `absent` lets the clock run out."""
    if table.state.hand is None:
        table.later(table.state.rules.timing.between_hands_ms)
    while table.state.hand is not None:
        if table.turn == absent:
            table.time_out()
        else:
            table.plays(f"{table.turn} fold")
    return table


def three(**changes: int) -> TableUnderTest:
    options: dict[str, Any] = {"between_hands_ms": 1} | changes
    return TableUnderTest(**options).seat(1, 2, 3, 4)


def invited(table: TableUnderTest) -> list[tuple[int, str]]:
    return [(event.seat, event.reason) for event in table.of(PlayerInvitedToLeave)]


@portugal("70.b", "71", "70")
def test_six_absent_hands_invite_then_warn_then_end() -> None:
    table = three()
    table.sit_out(4)
    for _ in range(5):
        play_hand(table)
        assert invited(table) == []
    play_hand(table)
    assert invited(table) == [(4, "absent")]
    table.later(1)
    assert table.names[:2] == ["PlayerWarned", "HandStarted"]
    play_hand(table)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.reason, left.stack) == (4, "absent", 10_000)


@portugal("70.b")
def test_a_decision_restarts_the_count() -> None:
    table = three()
    for _ in range(4):
        play_hand(table, absent=1)
    absent = table.state.seats[1].absent
    assert absent >= 2  # a hand without a turn changes nothing
    play_hand(table)
    play_hand(table)
    assert table.state.seats[1].absent == 0


@portugal("70.b")
def test_an_automatic_blind_is_no_decision() -> None:
    table = TableUnderTest(between_hands_ms=1).seat(1, 2, 3)
    hands = 0
    while not table.of(PlayerInvitedToLeave, True) and hands < 20:
        before = table.state.seats[1].absent
        play_hand(table, absent=1)
        hands += 1
        assert table.state.seats[1].absent in (before, before + 1)
    assert table.state.seats[1].absent == 6


@portugal("71")
def test_a_decision_after_the_warning_clears_it() -> None:
    table = three(absent_hands=1)
    table.sit_out(4)
    play_hand(table)
    play_hand(table)
    table.sit_in(4)
    for _ in range(4):
        play_hand(table)
        if table.of(PlayerLeft, True):
            break
    assert table.of(PlayerWarned, True)
    assert table.of(PlayerLeft, True) == []
    assert table.state.seats[4].notice is None


@portugal("68")
def test_a_break_keeps_the_seat_and_then_warns_and_ends() -> None:
    table = three()
    table.wake()
    table.sit_out(4, on_break=True)
    (out,) = table.of(PlayerSatOut)
    assert (out.reason, out.until) == ("break", table.now + 600_000)
    play_hand(table)
    for _ in range(8):
        play_hand(table)
        assert 4 not in {s.seat for event in table.of(HandStarted, True)[1:] for s in event.seats}
    assert table.state.seats[4].absent == 0
    assert out.until is not None
    table.now = out.until
    table.wake()
    assert table.names[:2] == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert 4 in table.state.seats
    play_hand(table)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.reason) == (4, "break_over")


@portugal("68")
def test_coming_back_in_time() -> None:
    table = three()
    table.sit_out(4, on_break=True)
    play_hand(table)
    table.now += 360_000
    assert table.sit_in(4) is None
    for _ in range(4):
        play_hand(table)
    assert any(4 in {s.seat for s in event.seats} for event in table.of(HandStarted, True))
    table.now += 600_000
    table.wake()
    assert table.of(PlayerWarned, True) == []


def short_after_all_in() -> TableUnderTest:
    """Heads-up: one has lost everything."""
    table = TableUnderTest(structure="no_limit").seat(1, 2).deal(button=1)
    table.plays("1 raise 10000", "2 call")
    while all(table.stacks.values()):
        table.wake()
        table.plays(f"{table.turn} raise {table.legal[3]}")
        if table.state.hand is not None:
            table.plays(f"{table.turn} call")
    return table


@portugal("70.a", "71", "12")
def test_heads_up_the_loser_has_the_waiting_time_twice() -> None:
    table = short_after_all_in()
    loser = next(seat for seat, stack in table.stacks.items() if stack == 0)
    ended = table.now
    assert table.due == ended + 30_000
    assert table.later(29_999).last == []
    table.later(1)
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert table.due == ended + 60_000
    table.later(29_999)
    assert loser in table.state.seats
    table.later(1)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack, left.reason) == (loser, 0, "below_minimum")


@portugal("12", "15", "70.a")
def test_a_top_up_brings_the_loser_back() -> None:
    """Who has asked for one is not invited to leave while the wallet is asked."""
    table = short_after_all_in()
    loser = next(seat for seat, stack in table.stacks.items() if stack == 0)
    assert table.top_up(loser, 10_000) is None
    table.later(60_000)
    assert table.last == []
    assert table.confirm_top_up() is None
    assert table.stacks[loser] == 10_000
    table.wake()
    assert loser in {s.seat for s in table.of(HandStarted)[0].seats}


@portugal("70.a", "71")
def test_warned_during_a_hand_ends_when_the_next_is_to_start() -> None:
    table = TableUnderTest(buy_in_min=150, buy_in_max=10_000).with_stacks(s1=10_000, s2=10_000, s3=150)
    table.deal(button=2).plays("2 fold", "3 call", "1 raise 200", "3 fold")
    assert table.stacks[3] == 50
    table.wake()
    assert table.state.hand is not None
    table.now += 10_000
    seat = table.turn
    table.plays(f"{seat} call")
    table.now += 20_000
    table.wake()
    assert table.names[:2] == ["PlayerInvitedToLeave", "PlayerWarned"]
    table.folds_round()
    assert 3 in table.state.seats
    table.wake()
    assert table.names[0] == "PlayerLeft"
    assert table.of(PlayerLeft)[0].stack == 50
    assert table.of(HandStarted)


@portugal("71", "68")
@pytest.mark.parametrize("on_break", [False, True])
def test_a_seat_is_not_held_for_ever_where_no_hand_can_begin(on_break: bool) -> None:
    """Hands missed are not counted where none begins: the time of a break and the waiting time are."""
    table = TableUnderTest(seats=2).seat(1, 2)
    table.sit_out(2, on_break=on_break)
    assert table.later(599_999).last == []
    table.later(1)
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert table.due == table.now + 30_000
    assert table.later(29_999).last == []
    table.later(1)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack, left.reason) == (2, 10_000, "break_over" if on_break else "absent")


@portugal("71")
def test_who_comes_back_before_the_end_stays() -> None:
    table = TableUnderTest(seats=2).seat(1, 2)
    table.sit_out(2)
    table.later(600_000)
    assert table.names == ["PlayerInvitedToLeave", "PlayerWarned"]
    assert table.sit_in(2) is None
    table.later(60_000)
    assert table.of(HandStarted, True)
    assert table.of(PlayerLeft, True) == []


@portugal("71")
def test_the_time_counts_from_the_last_hand() -> None:
    table = TableUnderTest(seats=3, between_hands_ms=1).seat(1, 2, 3)
    table.sit_out(3)
    table.now += 590_000
    play_hand(table)
    table.sit_out(2)
    assert table.later(599_999).last == []
    table.later(1)
    assert [(event.seat, event.reason) for event in table.of(PlayerWarned)] == [(2, "absent"), (3, "absent")]


def test_hands_without_players_do_not_follow_one_another_without_a_pause() -> None:
    """Three who have gone made two hundred hands a second, with clocks of a millisecond, for ever."""
    table = TableUnderTest(rulebook="common-omaha", kind="demo", absent_hands=50, decision_ms=1, between_hands_ms=0)
    table.seat(1, 2, 3)
    began = table.now
    while (due := table.due) is not None and table.state.hands < 200:
        table.now = max(table.now, due)
        table.wake()
    assert 50 <= table.state.hands < 100  # who is not asked in a hand has missed none
    assert table.now - began >= 4_500 * table.state.hands


@portugal("68")
def test_there_is_one_break_until_there_are_cards_again() -> None:
    """By one after the other a seat was kept for 112 hands, and for ever."""
    table = three(absent_hands=2)
    table.wake()
    assert table.sit_out(4, on_break=True) is None
    for _ in range(3):
        play_hand(table)
    assert table.sit_in(4) is None
    assert table.sit_out(4, on_break=True) == "had_break"
    assert not table.state.seats[4].out
    while not any(4 in {s.seat for s in event.seats} for event in table.of(HandStarted)):
        play_hand(table).later(1)
    assert table.sit_out(4, on_break=True) is None
    play_hand(table)
    assert table.sit_in(4) is None
    assert table.sit_out(4) is None, "without a break"


@portugal("70.b", "71")
def test_who_sits_out_just_when_the_blind_comes_misses_hands_all_the_same() -> None:
    """In at the end of each hand, and so counted in none."""
    table = three(absent_hands=2)
    hands = 0
    while 4 in table.state.seats and hands < 30:
        assert table.sit_out(4) is None
        table.later(1)
        assert table.state.hand is not None
        assert table.sit_in(4) is None
        play_hand(table)
        hands += 1
    assert 6 < hands < 30
    assert [event.reason for event in table.of(PlayerLeft)] == ["absent"]
    assert len(table.of(PlayerWarned, True)) == 1


@portugal("21", "70.b")
def test_who_waits_for_the_blind_after_hands_missed_is_not_invited() -> None:
    table = three().seat(5, 6)
    table.sit_out(4)
    for _ in range(5):
        play_hand(table)
    assert table.sit_in(4) is None
    for _ in range(6):
        play_hand(table)
    assert (invited(table), table.of(PlayerInvitedToLeave, True), table.state.seats[4].absent) == ([], [], 0)


@portugal("71")
def test_two_who_sit_out_in_turn_hold_no_seats() -> None:
    """One request in nine minutes each held a table without a hand, for ever."""
    table = TableUnderTest(seats=2).seat(1, 2)
    began, away = table.now, 2
    table.sit_out(2)
    while len(table.state.seats) == 2 and table.now < began + 7_200_000:
        for _ in range(5):
            table.later(5_000)
        if len(table.state.seats) == 2:
            assert table.sit_out(3 - away) is None
            assert table.sit_in(away) is None
            away = 3 - away
    assert table.now - began < 2 * (600_000 + 30_000) + 60_000
    assert table.of(PlayerWarned, True), "nobody goes unwarned"
    assert not table.of(HandStarted, True)


@portugal("71")
def test_hands_begin_the_count_of_time_anew() -> None:
    table = TableUnderTest(seats=2, between_hands_ms=1).seat(1, 2)
    table.sit_out(2)
    table.later(599_000)
    assert table.sit_in(2) is None
    assert table.state.seats[2].sat_out_ms == 599_000
    play_hand(table)
    assert table.state.seats[2].sat_out_ms == 0
    assert table.sit_out(2) is None
    assert table.later(599_999).last == []
