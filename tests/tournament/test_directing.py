"""What directors do while a tournament runs: pauses, the clock, notices; each on record, and only where it fits."""

from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.poker_events import HandStarted
from libs.decider import Rejected
from tests.tournament.course import FLOOR, START, SUPERVISOR, Course, done, why
from tests.tournament.hall import Hall
from tests.tournament.test_whole_tournaments import assert_sound

PAUSE, RESUME = asked.PauseTournament(reason="the lights went out"), asked.ResumeTournament(reason="they are back")
WRONG = ("wrong_moment", "pt-810-2015#FP-14")
LEVELS = [{"small_blind": n, "big_blind": 2 * n, "lasts_ms": 60_000} for n in (10, 20, 40, 80, 200, 500, 2_000)]


def until(hall: Hall, steps: int) -> Hall:
    for _ in range(steps):
        assert hall.step()
    return hall


def deals(hall: Hall) -> list[int]:
    return sorted(fact.at for facts in hall.facts.values() for fact in facts if isinstance(fact, HandStarted))


@pytest.mark.parametrize("steps", [1, 40, 100, 177])
@pytest.mark.parametrize("last_level", [False, True])
def test_in_a_pause_hands_end_and_none_begins_and_all_comes_later_by_it(steps: int, last_level: bool) -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=LEVELS[:1] if last_level else LEVELS), steps)
    paused_at = hall.now
    done(hall.course.ask(FLOOR, PAUSE, hall.now))
    assert why(hall.course.ask(FLOOR, PAUSE, hall.now)) == WRONG
    while hall.step():
        assert hall.now < paused_at + 600_000, "running hands are finished"
    assert all(table.hand is None for table in hall.tables.values())
    assert [at for at in deals(hall) if at > paused_at] == []
    hall.now = max(hall.now, paused_at + 900_000)
    done(hall.course.ask(FLOOR, RESUME, hall.now))
    assert why(hall.course.ask(FLOOR, RESUME, hall.now)) == WRONG
    length = hall.now - paused_at
    if not last_level:
        hall.run()
        began = {level.level: level.began for level in hall.of(play.LevelBegan)}
        [pause] = hall.of(told.TournamentPaused)
        later = [level for level, at in began.items() if at > pause.at]
        for level in later[:1]:
            assert began[level] - began[1] == (level - 1) * 60_000 + length
        assert_sound(hall, 20)
    else:
        until(hall, 50)
        assert [at for at in deals(hall) if at >= paused_at + length], "the tables go on"


def test_a_sheet_holds_while_the_tournament_is_paused() -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=LEVELS), 120)
    fault = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
    done(hall.course.ask(FLOOR, PAUSE, hall.now))
    while hall.step():
        pass
    [sheet] = done(hall.course.ask(FLOOR, fault, hall.now))
    assert isinstance(sheet, told.CancellationProposed)
    assert sheet.rule in ("36.b", "36.c")
    done(hall.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1), hall.now))
    assert sum(hall.course.credited().values()) + sheet.to_the_house == 20 * 2_200
    assert hall.state.held.total == 0


def test_the_clock_goes_forward_and_back_within_its_level() -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=LEVELS), 30)
    began, clock = hall.of(play.LevelBegan)[0].began, hall.play.clock
    back = asked.AdjustClock(ms=-(hall.now - began), reason="all over again")
    done(hall.course.ask(SUPERVISOR, back, hall.now))
    assert hall.play.clock.position(hall.now) == 0
    assert why(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=-1, reason="more"), hall.now)) == WRONG
    done(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=60_000, reason="a level too much"), hall.now))
    assert hall.play.level == 2
    assert hall.play.clock != clock
    assert_sound(hall.run(), 20)


def test_one_person_sets_the_clock_forward_by_two_minutes_in_all() -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=LEVELS), 30)
    played = hall.play.clock.position(hall.now)
    for ms, may in ((60_000 - played, True), (60_000, True), (played + 1, False), (played, True), (1, False)):
        answer = hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=ms, reason="it was late"), hall.now)
        assert isinstance(answer, Rejected) is not may, ms
    assert hall.play.forward_ms == 120_000
    assert_sound(hall.run(), 20)


@pytest.mark.parametrize("window", ["late_entry", "re_entry"])
def test_while_anybody_may_still_enter_the_clock_is_not_set_forward(window: str) -> None:
    """Found by an attacker: two friends alone at the start, the clock past everybody else's entry, and the guarantee is
    theirs on one person's word."""
    hall = until(Hall(20, seed=3, seats=7, levels=LEVELS, **{window: {"level": 2}}), 5)
    for ms in (1, 20_000):
        assert why(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=ms, reason="it was late"), hall.now)) == WRONG
    done(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=-1, reason="it was early"), hall.now))


def test_one_person_sets_the_clock_back_by_two_minutes_in_all() -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=[{**LEVELS[0], "lasts_ms": 600_000}, *LEVELS[1:]]), 30)
    hall.now = max(hall.now, START + 400_000)
    for ms, may in ((-60_000, True), (-60_001, False), (-60_000, True), (-1, False)):
        answer = hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=ms, reason="a minute was lost"), hall.now)
        assert isinstance(answer, Rejected) is not may, ms
    assert hall.play.back_ms == 120_000
    hall.run()


@pytest.mark.parametrize("window", ["late_entry", "re_entry", "rebuy"])
def test_the_clock_is_not_set_back_to_where_one_might_enter_or_buy_again(window: str) -> None:
    """Found by an attacker: a friend of the supervisor's enters after all others no longer could."""
    rebuy = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"ms": 20_000}}
    longer = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"ms": 100_000}}
    windows = {"rebuy": rebuy, "late_entry": {"ms": 100_000}} if window == "rebuy" else {"rebuy": longer}
    hall = until(Hall(20, seed=3, seats=7, levels=[LEVELS[-1]], **{window: {"ms": 20_000}, **windows}), 1)
    hall.now = max(hall.now, START + 30_000)
    assert not hall.play.fixed
    back = hall.play.clock.position(hall.now) - 20_000
    lost = "a minute was lost"
    assert why(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=-back - 1, reason=lost), hall.now)) == WRONG
    done(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=-back, reason=lost), hall.now))


def test_the_clock_of_a_timed_tournament_is_not_set() -> None:
    hall = until(Hall(20, seed=3, seats=7, levels=[LEVELS[-1]], lasts_ms=600_000), 30)
    for ms in (-1, 1):
        assert why(hall.course.ask(SUPERVISOR, asked.AdjustClock(ms=ms, reason="a minute"), hall.now)) == WRONG


def test_before_the_start_there_is_no_clock_and_a_notice_is_for_everybody() -> None:
    course = Course.registering().enter("ann")
    commands: list[Any] = [PAUSE, RESUME, asked.AdjustClock(ms=1, reason="early")]
    assert [why(course.ask(FLOOR, command)) for command in commands] == [WRONG] * 3
    [notice] = done(course.ask(FLOOR, asked.GiveNotice(text="Dinner is served.")))
    assert isinstance(notice, told.NoticeGiven)
    assert (notice.text, notice.by) == ("Dinner is served.", "floor-1")
    assert isinstance(course.ask(SUPERVISOR, PAUSE), Rejected)
