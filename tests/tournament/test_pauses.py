"""Who gains by a pause: nobody's clock runs while a table waits, nobody's window is lost, and nobody is surprised."""

from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.decider import Rejected
from libs.views.tournament import Playing, TournamentView, fold_tournament
from services.tournament.domain.directing import NOTICE_MS
from services.tournament.domain.evolve import evolve
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.play.memory import clock_of
from services.tournament.journal_format import decode_state, encode_state
from tests.tournament.course import FLOOR, START, SUPERVISOR, done, player, why
from tests.tournament.directed import Directed
from tests.tournament.test_directing import ANOTHER, CLOSED, LEVELS, PAUSE, REGULATION, RESUME, WRONG, asks, position

TWO_TABLES: dict[str, Any] = {"seats": 3, "levels": [LEVELS[-1]]}
REBUY = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"ms": 60_000}, "time_ms": 30_000}
NO_MORE = ("window_closed", "pt-810-2015#23")
THINKS_MS, HAND_MS = 240_000, 15_000


def shown(tournament: Directed) -> Playing:
    """To everybody."""
    view = TournamentView("t-1")
    for version, event in enumerate(tournament.course.events, start=1):
        view = fold_tournament(view, event, version)
    return view.play


def hands_of_others(*, paused: bool) -> int:
    """In ten minutes, at table 2, whose hands last 15 s; at table 1 two hands last four minutes each."""
    tournament = Directed(6, **TWO_TABLES, lasts_ms=600_000)
    slow, began, hands = 2, dict[int, int](), 0
    for now in range(START + 1_000, START + 3_600_000, 1_000):
        tournament.now = max(now, tournament.now)
        tournament.course.wake(tournament.now)
        if tournament.of(play.TimeUp):
            return hands
        for number, table in tournament.play.tables.items():
            lasts = THINKS_MS if number == 1 and slow else HAND_MS
            if number in began and now >= began[number] + lasts:
                del began[number]
                tournament.finish(number)
                hands += number == 2
                slow -= number == 1 and slow > 0
                if number == 1 and tournament.play.is_paused:
                    done(asks(tournament, SUPERVISOR, RESUME))
            elif number not in began and table.allowed > table.begun and not tournament.play.is_paused:
                tournament.deal(number)
                began[number] = now
                if number == 1 and slow and paused:
                    done(asks(tournament, FLOOR, PAUSE))
    raise AssertionError("its time is never up")


@pytest.mark.rule(REGULATION, "FP-14")
def test_a_friend_who_thinks_in_a_pause_takes_no_time_from_other_tables() -> None:
    """Found by an attacker: they waited while the time of a timed tournament ran, and played 9 hands of 41."""
    without, paused = hands_of_others(paused=False), hands_of_others(paused=True)
    assert without in range(30, 42)
    assert abs(paused - without) <= 2


def test_the_clock_stands_from_when_the_first_table_waits() -> None:
    tournament = Directed(6, **TWO_TABLES)
    for number in (1, 2):
        tournament.deal(number, START + 1_000)
    tournament.now = START + 10_000
    done(asks(tournament, FLOOR, PAUSE))
    tournament.finish(2, now=START + 20_000)
    tournament.finish(1, now=START + 50_000)
    assert position(tournament) == 20_000
    done(asks(tournament, FLOOR, RESUME, 10_000))
    assert tournament.of(told.TournamentResumed)[0].stood_ms == 40_000
    assert position(tournament) == 20_000


def test_a_hand_that_had_begun_before_its_table_heard_of_it_has_time_where_no_table_waits() -> None:
    for running in (True, False):
        tournament = Directed(6, **TWO_TABLES)
        if running:
            tournament.deal(1, START + 1_000)
        tournament.now = START + 10_000
        done(asks(tournament, FLOOR, PAUSE))
        tournament.deal(2, START + 11_000, began=START + 10_500)
        assert position(tournament) == (10_500 if running else 10_000)


def test_in_pauses_of_before_the_clock_stands_from_when_no_hand_is_played() -> None:
    tournament = Directed(6, **TWO_TABLES)
    tournament.deal(1, START + 1_000)
    head: dict[str, Any] = {"tournament": "t-1", "reason": "dark", "by": "floor-1"}
    paused = told.TournamentPaused(at=START + 10_000, **head, tables=[1, 2], hands_first=True)
    state = evolve(tournament.course.state, paused)
    assert clock_of(state.play).stopped is None
    over = play.HandFinished(at=START + 50_000, tournament="t-1", table=1, hand=1, stacks=[])
    assert clock_of(evolve(state, over).play).stopped == START + 50_000


@pytest.mark.rule(REGULATION, "23")
def test_while_the_clock_runs_in_a_pause_one_enters_and_while_it_stands_the_window_waits() -> None:
    """Found by an attacker: four times refused while a hand was played, and the window was over at the end of it."""
    tournament = Directed(3, levels=[LEVELS[-1]], late_entry={"ms": 60_000})
    tournament.deal(1)
    done(asks(tournament, FLOOR, PAUSE, 200))
    done(tournament.course.register("late", START + 59_999))
    assert why(tournament.course.register("later", START + 60_000)) == CLOSED
    tournament = Directed(6, **TWO_TABLES, late_entry={"ms": 60_000})
    tournament.deal(1)
    tournament.now = START + 30_000
    done(asks(tournament, FLOOR, PAUSE))
    assert why(tournament.course.register("late", START + 40_000)) == CLOSED
    tournament.finish(1, now=START + 90_000)
    done(asks(tournament, FLOOR, RESUME, 10_000))
    assert tournament.now == START + 100_000
    done(tournament.course.register("late", START + 129_999))
    assert why(tournament.course.register("later", START + 130_000)) == CLOSED


def test_chips_are_bought_while_the_clock_runs_and_the_window_waits_while_it_stands() -> None:
    rebuy = asked.RequestRebuy(payment="more-1")
    tournament = Directed(3, levels=[LEVELS[-1]], rebuy=REBUY)
    tournament.deal(1)
    done(asks(tournament, FLOOR, PAUSE, 200))
    tournament.now = START + 59_999
    done(asks(tournament, player("p1"), rebuy))
    tournament = Directed(6, **TWO_TABLES, rebuy=REBUY)
    tournament.deal(1)
    tournament.now = START + 30_000
    done(asks(tournament, FLOOR, PAUSE))
    assert why(asks(tournament, player("p1"), rebuy, 1_000)) == NO_MORE
    tournament.finish(1, now=START + 90_000)
    done(asks(tournament, FLOOR, RESUME, 10_000))
    tournament.now = START + 129_999
    done(asks(tournament, player("p1"), rebuy))
    assert why(asks(tournament, player("p2"), asked.RequestRebuy(payment="more-2"), 1)) == NO_MORE


@pytest.mark.parametrize(("after", "may"), [(1_999, True), (2_000, False)])
def test_who_loses_the_last_chip_while_the_clock_stands_has_what_was_left_of_the_window(after: int, may: bool) -> None:
    tournament = Directed(6, **TWO_TABLES, rebuy=REBUY)
    tournament.deal(1)
    tournament.now = START + 58_000
    done(asks(tournament, FLOOR, PAUSE))
    lost = tournament.at(1)[0]
    tournament.finish(1, lost, now=START + 70_000)
    assert [offer.until for offer in tournament.of(play.RebuyOffered)] == [START + 72_000]
    tournament.now = START + 70_000 + after
    answer = asks(tournament, player(lost.removeprefix("entry-")), asked.RequestRebuy(payment="more-1"))
    assert isinstance(answer, Rejected) is not may


@pytest.mark.rule(REGULATION, "FP-14")
@pytest.mark.parametrize("other", [{}, {"lasts_ms": 600_000}, {"late_entry": {"ms": 600_000}}])
def test_a_long_pause_is_ended_by_another_person_with_a_minutes_notice(other: dict[str, Any]) -> None:
    """Found by an attacker: resumed after 133 s, when a friend's only rival was away, and folded out."""
    tournament = Directed(2, levels=[LEVELS[-1]], **other)
    tournament.now = START + 5_000
    done(asks(tournament, FLOOR, PAUSE))
    assert why(asks(tournament, FLOOR, RESUME, 133_000)) == ANOTHER
    [announced] = done(asks(tournament, SUPERVISOR, RESUME))
    assert isinstance(announced, told.RestartAnnounced)
    assert (announced.by, announced.goes_on_at) == ("supervisor-1", tournament.now + NOTICE_MS)
    assert [why(asks(tournament, SUPERVISOR, command)) for command in (PAUSE, RESUME)] == [WRONG] * 2, "it stands"
    assert shown(tournament).goes_on_at == next_wake(tournament.course.state) == announced.goes_on_at
    assert decode_state(encode_state(tournament.course.state)) == tournament.course.state
    early = done(tournament.course.wake(announced.goes_on_at - 1))
    assert not tournament.released(early)
    events = done(tournament.course.wake(announced.goes_on_at))
    assert tournament.released(events) == [1]
    [resumed] = tournament.of(told.TournamentResumed)
    assert (resumed.by, resumed.reason, resumed.alone) == ("supervisor-1", "they are back", False)
    assert resumed.stood_ms == 133_000 + NOTICE_MS
    assert tournament.play.clock.position(tournament.course.now) == 5_000
    assert tournament.play.restart is shown(tournament).goes_on_at is None


def test_a_house_that_stood_still_at_the_restart_takes_nobody_time() -> None:
    tournament = Directed(2, levels=[LEVELS[-1]])
    done(asks(tournament, FLOOR, PAUSE))
    done(asks(tournament, SUPERVISOR, RESUME, 133_000))
    done(tournament.course.wake(tournament.now + 600_000))
    assert tournament.of(told.TournamentResumed)
    assert tournament.play.clock.position(tournament.course.now) == 0


def test_a_restart_that_is_announced_ends_with_the_tournament() -> None:
    tournament = Directed(2, levels=[LEVELS[-1]])
    done(asks(tournament, FLOOR, PAUSE))
    done(asks(tournament, SUPERVISOR, RESUME, 133_000))
    done(asks(tournament, FLOOR, asked.ProposeCancellation(cause="technical", reason="dark")))
    done(asks(tournament, SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    assert next_wake(tournament.course.state) is None
