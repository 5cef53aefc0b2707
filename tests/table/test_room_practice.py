"""What rooms do in ways of their own, as values of the common rulebooks: blinds, posts, raises, all-in protection."""

import pytest

from libs.contracts.poker_events import BlindPosted, HandEnded, HandStarted, PlayerChecked, PlayerFolded, PotAwarded
from libs.contracts.poker_events import UncalledBetReturned as Returned
from tests.table.play import HOLDEM, TableUnderTest, stacked

WIDE = {"buy_in_min": 1, "buy_in_max": 100_000, "burn_before_board": False}
AWAY = {"entering": "missed_blinds", "buy_in_min": 1_000, "buy_in_max": 1_000}


def posts(table: TableUnderTest) -> list[tuple[str, int, int, int]]:
    """Kind, seat, amount, round total of each post of the hand."""
    hand = table.state.hands
    return [(e.blind, e.seat, e.amount, e.to) for e in table.of(BlindPosted, everything=True) if e.hand == hand]


def missed(table: TableUnderTest) -> list[tuple[int, str]]:
    return [(each.seat, each.blind) for each in table.of(HandStarted, everything=True)[-1].missed]


def test_nobody_posts_a_small_blind_of_nothing() -> None:
    table = TableUnderTest(HOLDEM, small_blind=0).seat(1, 2, 3).deal(button=1)
    assert posts(table) == [("big", 3, 100, 100)]
    assert (table.turn, table.legal[1]) == (1, 100)
    table.plays("1 call", "2 call", "3 check")
    assert table.turn == 2


def test_a_single_blind_is_posted_left_of_the_button() -> None:
    table = TableUnderTest(HOLDEM, small_blind=0, single_blind=True).seat(1, 2, 3).deal(button=1)
    assert posts(table) == [("big", 2, 100, 100)]
    table.plays("3 call", "1 call", "2 check")
    assert table.turn == 2
    heads_up = TableUnderTest(HOLDEM, small_blind=0, single_blind=True).seat(1, 2).deal(button=1)
    assert posts(heads_up) == [("big", 2, 100, 100)]
    assert heads_up.turn == 1


def test_who_was_away_pays_the_big_blind_live_and_the_small_one_dead() -> None:
    table = TableUnderTest(HOLDEM, **AWAY).seat(1, 2, 3, 4)
    assert table.sit_out(4) is None
    table.deal(button=2).folds_round()  # small 3, big 1: the big blind passes 4
    assert missed(table) == [(4, "big")]
    table.deal().folds_round()  # button 3, small 1, big 2: so does the small one
    assert missed(table) == [(4, "small")]
    assert table.sit_in(4) is None
    table.deal()  # button 1, not back to 4, where it has been; small 2, big 3
    assert posts(table) == [("small", 2, 50, 50), ("big", 3, 100, 100), ("entry", 4, 100, 100), ("missed", 4, 50, 0)]
    table.plays("4 check", "1 fold", "2 fold", "3 check")
    assert table.hand.pot == 300
    table.checks_down().deal()
    assert [seat for kind, seat, *_ in posts(table) if kind in ("entry", "missed")] == []


def test_a_newcomer_is_dealt_in_at_once_for_a_big_blind() -> None:
    table = TableUnderTest(HOLDEM, **AWAY).seat(2, 3, 4).deal(button=4).folds_round()
    table.seat(1).deal()  # button 2: the blinds have just gone past seat 1
    assert posts(table)[-1] == ("entry", 1, 100, 100)


def test_who_comes_back_with_the_big_blind_owes_nothing_more() -> None:
    table = TableUnderTest(HOLDEM, **AWAY).seat(1, 2, 3)
    assert table.sit_out(3) is None
    table.deal(button=2).folds_round()
    assert missed(table) == [(3, "big")]
    assert table.sit_in(3) is None
    table.deal()
    assert posts(table)[1:] == [("big", table.hand.big_blind, 100, 100), *posts(table)[2:]]
    assert ("entry", table.hand.big_blind) not in [(kind, seat) for kind, seat, *_ in posts(table)]


def all_in_of(seat: int, **changes: object) -> TableUnderTest:
    table = TableUnderTest(HOLDEM, **WIDE, **changes).seat(s1=5_000, s2=300)
    table.deal(button=1, fresh=stacked("2c Ah 2d As Kd Qd 9h 8h 7s"))
    return table.plays("1 call", "2 raise 300") if seat == 1 else table


def test_a_raise_that_nobody_can_answer_is_refused_or_comes_back() -> None:
    table = all_in_of(1)
    assert table.legal == (False, 200, None, None)
    assert table.act(1, "raise", 900) == "nobody_to_answer"
    table = all_in_of(1, unanswerable_raise=True)
    assert table.legal == (False, 200, 500, 5_000)
    table.plays("1 raise 900")
    assert [(event.seat, event.amount) for event in table.of(Returned, everything=True)] == [(1, 600)]
    assert table.stacks == {1: 5_300, 2: 0}


def protected() -> TableUnderTest:
    table = TableUnderTest(HOLDEM, **WIDE, timer_action="all_in").seat(s1=5_000, s2=5_000, s3=5_000)
    # Dealt to 2, 3, 1: seat 2 has aces, seat 3 kings, seat 1 nothing.
    table.deal(button=1, fresh=stacked("Ah Kh 2c Ad Kd 7d Qs Js 9h 4c 3s"))
    return table.plays("1 call", "2 call", "3 check", "2 check", "3 raise 400", "1 call")


def test_whose_clock_runs_out_stays_in_for_what_lies_in_the_pot() -> None:
    table = protected().time_out()
    assert [event.all_in for event in table.of(PlayerChecked)] == [True]
    assert table.turn == 3
    table.plays("3 raise 1000", "1 call", "3 check", "1 check")
    pots = {event.pot: (event.amount, event.eligible, event.winners) for event in table.of(PotAwarded, everything=True)}
    assert pots == {"main": (300, [1, 2, 3], [2]), "side_1": (2_800, [1, 3], [3])}
    assert table.stacks == {1: 3_500, 2: 5_200, 3: 6_300}


def test_nobody_raises_whom_the_clock_has_taken_out() -> None:
    table = protected().time_out().plays("3 check", "1 fold")
    (ended,) = table.of(HandEnded, everything=True)
    assert {result.seat: result.staked for result in ended.results} == {1: 500, 2: 100, 3: 500}
    assert table.state.hand is None


@pytest.mark.parametrize(("changes", "times"), [({}, 2), ({"protections": 0}, 0), ({"protections": 1}, 1)])
def test_a_sitting_is_protected_a_few_times_and_then_folded(changes: dict[str, int], times: int) -> None:
    """Who keeps quiet whenever he faces a bet can be bet off a hand all the same."""
    table = TableUnderTest(HOLDEM, timer_action="all_in", **changes).seat(s1=10_000, s2=10_000)
    table.deal(button=1)
    for number in range(times + 1):
        table.plays(*(["2 raise 300"] if number % 2 else ["1 call", "2 check", "2 bet 200"])).time_out()
        stood = [event.all_in for event in table.of(PlayerChecked)] == [True]
        assert stood == (number < times)
        assert [event.seat for event in table.of(PlayerFolded)] == ([] if stood else [1])


def test_who_leaves_and_comes_back_at_once_is_not_protected_anew() -> None:
    """Found by an attacker: protected in nine of nine hands, in five sittings."""
    table = TableUnderTest(HOLDEM, timer_action="all_in", protections=1).seat(2, amount=10_000)
    window = table.state.rules.timing.reentry_ms
    for away_ms, stands in ((0, True), (1_000, False), (window + 1, True)):
        table.later(away_ms)
        back = table.state.departed("p1", table.now)
        table.seat(1, amount=max(10_000, back.stack if back is not None else 0))
        table.deal(button=1).plays("1 call", "2 check", "2 bet 200").time_out()
        assert [event.all_in for event in table.of(PlayerChecked)] == ([True] if stands else [])
        assert table.leave(1) is None
        if 1 in table.state.seats:  # the next hand has begun meanwhile
            table.checks_down()
        assert 1 not in table.state.seats


def test_who_has_put_in_nothing_is_folded() -> None:
    table = TableUnderTest(HOLDEM, timer_action="all_in").seat(1, 2, 3).deal(button=1).time_out()
    assert [event.seat for event in table.of(PlayerFolded)] == [1]


def test_who_may_check_is_checked_and_asked_again() -> None:
    table = TableUnderTest(HOLDEM, timer_action="all_in").seat(1, 2, 3).deal(button=1).plays("1 call", "2 call")
    table.time_out()
    assert [event.all_in for event in table.of(PlayerChecked)] == [False]
    table.plays("2 check")
    assert table.turn == 3
