"""At a tournament's table: who is away, whose time is over, first buttons, a hand that is void (pt-810-2015)."""

from typing import Any

import pytest

from libs.contracts.poker_events import (
    BlindPosted,
    CardsShown,
    HandStarted,
    HandVoided,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
)
from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_events import PlayerSatIn, PlayerSatOut
from libs.contracts.tournament_commands import SeatEntrant
from services.tournament.policies.tables import TO_TABLES
from tests.table.play import HOLDEM, stacked
from tests.table.tournament.play import TournamentTable
from tests.table.under_test import policy
from tests.testkit.cases import Case
from tests.tournament.cashier import public


def holdem(**changes: Any) -> TournamentTable:
    """Deadlines are strict: what comes at the last instant comes too late."""
    usual = {"big_blind": 100, "decision_ms": 15_000, "time_bank_ms": 0, "deadline_counts": False}
    return TournamentTable(HOLDEM, seats=9, **{**usual, **changes})


def connected(table: TournamentTable, now: bool) -> str | None:
    return table.send(policy(), ReportConnection(player="p3", connected=now))


@pytest.mark.rule("pt-810-2015", "26/1")
def test_blinds_are_taken_and_the_house_folds_at_once(case: Case) -> None:
    small, big = case["levels"]
    table = holdem(small_blind=small, big_blind=big).enter(1, 2).enter(3, chips=case["stack"]).after_button(3)
    table.sit_out(3)
    assert table.state.seats[3].away, "shown to everybody"
    posts = []
    for raiser, folds in ((1, 2), (2, 1)):
        before = table.now
        table.deal()
        posts += [event.amount for event in table.of(BlindPosted) if event.seat == 3]
        assert 3 in table.hand.order, "he is dealt cards"
        assert table.act(raiser, "raise", 400) is None
        if table.turn == 3:
            assert table.due is not None
            assert table.due <= before, "without a wait"
            table.wake()
        assert (table.now, table.turn) == (before, folds)
        [folded] = [event for event in table.of(PlayerFolded, True)[-1:] if event.seat == 3] or [None]
        assert table.act(folds, "fold") is None
        if table.state.hand is not None:
            table.wake()
        assert folded is None or folded.actor == "house"
    assert posts == case["posts"]
    assert [event.actor for event in table.of(PlayerFolded, True) if event.seat == 3] == ["house"] * 2
    assert table.stacks[3] == case["after"]


@pytest.mark.rule("pt-810-2015", "26/2")
def test_who_is_away_wins_what_everybody_folds_to_him(case: Case) -> None:
    small = case["small"]
    table = holdem(small_blind=small, big_blind=2 * small).enter(1, 2).enter(3, chips=case["stack"]).after_button(3)
    table.sit_out(3)
    table.deal().folds_round()
    [won] = table.of(PotAwarded)
    assert (won.amount, won.winners) == (case["pot"] - small, [3]), "what nobody matched of the big blind came back"
    assert table.stacks[3] == case["after"]


@pytest.mark.rule("pt-810-2015", "26/3")
def test_who_is_all_in_with_the_blind_is_not_folded(case: Case) -> None:
    table = holdem(big_blind=case["big"]).enter(1, 2).enter(3, chips=case["stack"]).after_button(3)
    table.sit_out(3)
    table.deal()
    [posted] = [event for event in table.of(BlindPosted) if event.seat == 3]
    assert (posted.amount, posted.all_in) == (case["stack"], True)
    table.calls_down()
    assert not [event for event in table.of(PlayerFolded, True) if event.seat == 3]
    assert [event for event in table.of(PotAwarded, True) if 3 in event.eligible], "he has his part in the showdown"
    assert table.of(CardsShown, True)


@pytest.mark.rule("pt-810-2015", "26/4")
def test_who_connects_decides_from_the_next_hand() -> None:
    table = holdem().enter(1, 2)
    assert table.asks(SeatEntrant, reservation="late", player="p3", seat=3, chips=5_000, away="unseen") is None
    table.after_button(3).deal().plays("1 raise 300", "2 fold")
    assert table.turn == 3
    table.time_out()
    [out] = table.of(PlayerSatOut)
    assert (out.seat, out.reason, table.state.seats[3].away) == (3, "not_connected", True)
    table.deal()
    while table.turn != 3 and not table.of(PlayerFolded):
        assert (
            table.act(table.turn or 0, "raise" if table.turn == 1 else "call", 400 if table.turn == 1 else None) is None
        )
    while [event.seat for event in table.of(PlayerFolded)] != [3]:
        table.wake()
    assert table.state.hand is not None, "the hand in which he was folded runs"
    assert connected(table, True) is None
    [back] = table.of(PlayerSatIn)
    assert (back.seat, table.state.seats[3].away) == (3, False)
    while table.state.hand is not None:
        assert table.turn is not None
        assert table.act(table.turn, "fold") is None
    table.deal()
    while table.turn != 3:
        assert table.act(table.turn or 0, "check" if table.legal[0] else "call") is None
    table.wake()
    assert table.turn == 3, "nobody decides for him any more"
    assert table.act(3, "check" if table.legal[0] else "call") is None


def test_who_has_been_there_needs_more_than_a_connection() -> None:
    """27: an act of his own, where he was away by his own doing."""
    table = holdem().enter(1, 2)
    assert table.asks(SeatEntrant, reservation="late", player="p3", seat=3, chips=5_000, away="unseen") is None
    table.after_button(3).deal().plays("1 call", "2 call", "3 check")
    assert not table.state.seats[3].unseen
    table.plays("2 check")
    table.time_out()
    assert connected(table, True) is None
    assert table.state.seats[3].away
    assert table.sit_in(3) is None


@pytest.mark.rule("pt-810-2015", "42/1")
def test_extra_time_is_used_by_who_needs_it(case: Case) -> None:
    table = holdem(decision_ms=case["decision"], time_bank_ms=case["bank"]).enter(1, 2, 3).deal()
    seat = table.turn
    assert seat is not None
    table.now += case["after"]
    assert table.act(seat, "call" if not table.legal[0] else "check") is None
    assert table.state.seats[seat].time_bank == case["left"]


@pytest.mark.rule("pt-810-2015", "42/1", "42/2")
def test_when_both_are_over_the_house_decides(case: Case) -> None:
    of = case.of("42/1")
    assert [of["after"], of["left"]] == [22_500, of["bank"] + of["decision"] - of["after"]]
    table = holdem(decision_ms=of["decision"], time_bank_ms=of["bank"]).enter(1, 2, 3).deal()
    seat, began = table.turn, table.now
    assert seat is not None
    table.now = began + case["over"] - 1
    table.wake()
    assert table.turn == seat, "a millisecond before he may still act"
    table.now = began + case["over"]
    assert table.act(seat, "call") is not None
    table.wake()
    assert [(event.seat, event.reason) for event in table.of(PlayerFolded, True)] == [(seat, "timeout")]


@pytest.mark.rule("pt-810-2015", "43/1")
def test_whose_time_is_over_is_folded_and_away_and_may_come_back() -> None:
    table = holdem().enter(1, 2, 3).after_button(3).deal()
    late = table.turn
    assert late == 1
    table.time_out()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (late, "house", "timeout")
    assert table.state.seats[late].away
    table.folds_round()
    for _ in range(2):
        table.deal().calls_down()
    posted = [event.amount for event in table.of(BlindPosted, True) if event.seat == late]
    assert sorted(posted) == [50, 100], "blinds are taken"
    assert table.sit_in(late) is None
    assert not table.state.seats[late].away


@pytest.mark.rule("pt-810-2015", "43/2")
def test_who_was_checked_by_the_house_is_folded_to_a_bet_at_once() -> None:
    table = holdem().enter(1, 2, 3).after_button(3).deal()
    table.plays("1 call", "2 call", "3 check", "2 check")
    assert table.turn == 3, "on the flop, with nothing due"
    table.time_out()
    [checked] = table.of(PlayerChecked)
    assert (checked.seat, checked.actor) == (3, "house")
    now = table.now
    table.plays("1 check", "2 bet 300")
    assert table.due is not None
    assert table.due <= now
    table.wake()
    assert (table.now, table.turn) == (now, 1)
    assert [(event.seat, event.actor) for event in table.of(PlayerFolded, True)] == [(3, "house")]


@pytest.mark.rule("pt-810-2015", "FP-9/1")
def test_a_missing_decision_is_a_check_or_a_fold() -> None:
    table = holdem().enter(1, 2, 3).after_button(3).deal().plays("1 call", "2 call")
    table.time_out()
    assert [event.seat for event in table.of(PlayerChecked)] == [3]
    raised = holdem().enter(1, 2, 3).after_button(3).deal().plays("1 raise 300", "2 fold")
    raised.time_out()
    assert [event.seat for event in raised.of(PlayerFolded)] == [3]


@pytest.mark.rule("pt-810-2015", "FP-9/2")
def test_the_house_acts_at_once_for_who_is_away() -> None:
    table = holdem().enter(1, 2, 3).after_button(3)
    table.sit_out(3)
    table.deal()
    now = table.now
    table.plays("1 call", "2 call")
    assert table.due is not None
    assert table.due <= now, "at once"
    table.wake()
    [checked] = table.of(PlayerChecked)
    assert (checked.seat, checked.actor, table.now) == (3, "house", now)
    table.plays("2 bet 300")
    assert table.due is not None
    assert table.due <= now, "at once"
    table.wake()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, table.now) == (3, "house", now)


@pytest.mark.rule("pt-810-2015", "FP-15/1")
def test_a_void_hand_puts_nobody_out(case: Case) -> None:
    first, second, third = case["stacks"]
    table = holdem().enter(1, chips=first).enter(2, chips=second).enter(3, chips=third).after_button(3).deal()
    raised, called, all_in = case["in_pot"]
    table.plays(f"1 raise {raised}", f"2 raise {called}")
    assert table.act(3, "call") is None
    assert {seat: player.committed for seat, player in table.hand.players.items()} == {1: raised, 2: called, 3: all_in}
    assert table.stacks[3] == 0
    button = table.hand.button
    assert table.void() is None
    assert list(table.stacks.values()) == case["stacks"]
    assert sum(table.stacks.values()) == table.chips == case["chips"]
    assert set(table.state.seats) == {1, 2, 3}, "nobody is eliminated by it"
    [void] = table.of(HandVoided)
    [heard] = TO_TABLES[HandVoided](public(void, 1), void)
    assert (heard.body["hand"], heard.body["stacks"], heard.body["void"]) == (void.hand, [], True)
    table.deal()
    assert table.hand.button == button


@pytest.mark.rule("pt-810-2015", "40/1")
def test_the_first_button_by_lot(case: Case) -> None:
    lowest, highest = case["seats"]
    seats = range(lowest, highest + 1)
    drawn = case["drawn"]
    table = holdem().enter(*seats)
    table.deal(fresh=stacked(seat_order=[drawn, *(seat for seat in range(1, 12) if seat != drawn)]))
    assert _places(table) == (case["next"], case["first"])


@pytest.mark.rule("pt-810-2015", "40/2")
def test_the_first_button_by_seat_number(case: Case) -> None:
    table = holdem(first_button="lowest_seat").enter(*case["seats"]).deal()
    assert _places(table) == (case["next"], case["first"])


def _places(table: TournamentTable) -> tuple[list[int], int | None]:
    [started] = table.of(HandStarted)
    return [started.button, started.small_blind, started.big_blind], table.turn


@pytest.mark.rule("pt-810-2015", "27/1")
def test_who_drops_facing_a_bet_is_folded_when_the_time_is_over(case: Case) -> None:
    table = holdem(time_bank_ms=10_000).enter(1, 2).enter(3, chips=case["stack"]).after_button(3).deal()
    table.plays(f"1 raise {case['bet']}", "2 fold")
    assert table.turn == 3
    began = table.now
    assert connected(table, False) is None
    table.wake()
    assert (table.turn, table.state.seats[3].away) == (3, False), "the time runs on, the extra time with it"
    table.now = began + 15_000 + 10_000
    table.wake()
    [folded] = [event for event in table.of(PlayerFolded, True) if event.seat == 3]
    assert (folded.actor, folded.at) == ("house", table.now)
    assert table.state.seats[3].away
    table.calls_down()
    posts = [event.amount for event in table.of(BlindPosted, True) if event.seat == 3]
    assert posts == [100, 50], "blinds are taken from then on"
    assert table.stacks[3] == case["stack"] - sum(posts), "no refund of them, no removal"


@pytest.mark.rule("pt-810-2015", "27/2")
def test_connected_again_and_back_he_decides_from_the_next_hand() -> None:
    table = holdem().enter(1, 2, 3).after_button(3)
    table.sit_out(3)
    assert connected(table, False) is None
    table.deal().plays("1 raise 300")
    if table.turn == 3:
        table.wake()
    before = table.stacks[3]
    assert connected(table, True) is None
    assert table.state.seats[3].away, "it takes an act of his own"
    assert table.sit_in(3) is None
    table.folds_round()
    assert table.stacks[3] == before, "blinds taken meanwhile are not given back"
    table.deal()
    while table.turn not in (3, None):
        assert table.act(table.turn, "check" if table.legal[0] else "call") is None
    now = table.now
    table.wake()
    assert (table.turn, table.now) == (3, now), "he is waited for"


@pytest.mark.rule("pt-810-2015", "27/3")
def test_nobody_leaves_with_the_chips(case: Case) -> None:
    table = holdem().enter(1, 2).enter(3, chips=case["stack"]).after_button(3)
    assert table.leave(3) is not None, "leaving the table is refused"
    assert table.sit_out(3) is None, "away is what he can be"
    assert table.state.seats[3].away
    assert table.stacks[3] == case["stack"]
    table.deal().calls_down()
    assert [event.seat for event in table.of(BlindPosted, True) if event.seat == 3], "blinds are taken"
    assert table.sit_in(3) is None, "he may come back at any time"
