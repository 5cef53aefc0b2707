"""What directors do while a tournament runs: pauses, the clock, notices; each on record, and only where it fits."""

from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.poker_events import HandEnded, HandStarted
from libs.decider import Rejected
from services.tournament.domain.directing import NOTICE_MS
from services.tournament.domain.evolve import evolve
from tests.tournament.course import FLOOR, START, SUPERVISOR, Course, done, player, why
from tests.tournament.directed import Directed
from tests.tournament.hall import Hall
from tests.tournament.test_whole_tournaments import assert_sound

PAUSE, RESUME = asked.PauseTournament(reason="the lights went out"), asked.ResumeTournament(reason="they are back")
REGULATION = "pt-810-2015"
WRONG = ("wrong_moment", "pt-810-2015#FP-14")
ANOTHER = ("same_person", "pt-810-2015#FP-14")
CLOSED = ("registration_closed", "pt-810-2015#23")
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
    paused_at, hands = hall.now, [table.hand for table in hall.tables.values()]
    done(hall.course.ask(FLOOR, PAUSE, hall.now))
    assert why(hall.course.ask(FLOOR, PAUSE, hall.now)) == WRONG
    while hall.step():
        assert hall.now < paused_at + 600_000, "running hands are finished"
    assert all(table.hand is None for table in hall.tables.values())
    assert [at for at in deals(hall) if at > paused_at] == []
    hall.now = max(hall.now, paused_at + 900_000)
    done(hall.course.ask(SUPERVISOR, RESUME, hall.now))
    hall.now += NOTICE_MS
    done(hall.course.wake(hall.now))
    assert why(hall.course.ask(SUPERVISOR, RESUME, hall.now)) == WRONG
    length, [stood] = hall.now - paused_at, [resumed.stood_ms for resumed in hall.of(told.TournamentResumed)]
    assert stood is not None
    ends = [e.at for facts in hall.facts.values() for e in facts if isinstance(e, HandEnded) and e.at >= paused_at]
    assert stood == hall.now - (min(ends) if hands and all(hands) else paused_at), "not while all tables play"
    if not last_level:
        hall.run()
        began = {level.level: level.began for level in hall.of(play.LevelBegan)}
        later = [level for level, at in began.items() if at > paused_at + length - stood]
        for level in later[:1]:
            assert began[level] - began[1] == (level - 1) * 60_000 + stood
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


def asks(tournament: Directed, by: Any, command: Any, after: int = 0) -> Any:
    tournament.now += after
    return tournament.course.ask(by, command, tournament.now)


def position(tournament: Directed) -> int:
    return tournament.play.clock.position(tournament.now)


@pytest.mark.rule(REGULATION, "FP-14")
def test_no_hand_of_a_timed_tournament_is_played_while_its_clock_stands() -> None:
    """Found by an attacker: the floor paused around every hand, and a friend who was ahead played on for ever."""
    tournament = Directed(3, levels=[LEVELS[-1]], lasts_ms=600_000)
    for number in (1, 2):
        tournament.deal(1)
        done(asks(tournament, FLOOR, PAUSE, 200))
        tournament.finish(1, now=tournament.now + 60_000)
        assert position(tournament) - number * 60_000 in range(1_000), "the hand has had its time"
        tournament.now += 30_000
        assert position(tournament) - number * 60_000 in range(1_000), "and stands behind it"
        done(asks(tournament, FLOOR, RESUME))
    done(asks(tournament, FLOOR, PAUSE, 200))
    assert why(asks(tournament, FLOOR, RESUME, 1_000)) == ANOTHER
    done(asks(tournament, SUPERVISOR, RESUME, 1_000_000))
    assert tournament.play.alone == 2, "what another person ended counts for nobody"
    assert position(tournament) < 125_000


@pytest.mark.parametrize("other", [{}, {"lasts_ms": 600_000}, {"late_entry": {"ms": 600_000}}])
def test_one_person_has_the_clock_stand_for_two_minutes_in_two_pauses(other: dict[str, Any]) -> None:
    tournament = Directed(3, levels=[LEVELS[-1]], **other)
    for ms in (60_000, 60_000):
        done(asks(tournament, FLOOR, PAUSE))
        done(asks(tournament, FLOOR, RESUME, ms))
    done(asks(tournament, FLOOR, PAUSE))
    assert why(asks(tournament, FLOOR, RESUME)) == ANOTHER
    done(asks(tournament, SUPERVISOR, RESUME))
    assert not tournament.play.is_paused, "a short one ends at once"
    tournament = Directed(3, levels=[LEVELS[-1]], **other)
    done(asks(tournament, FLOOR, PAUSE))
    assert why(asks(tournament, FLOOR, RESUME, 120_001)) == ANOTHER
    done(asks(tournament, SUPERVISOR, RESUME))


def test_a_hand_that_ends_in_a_pause_after_the_close_keeps_nothing_open() -> None:
    """Found by an attacker: of three one was all in; paused then, and a friend who knew the result was third."""
    shares = [{"entries": 2, "shares": [5_000, 3_000, 2_000]}]
    tournament = Directed(3, levels=[LEVELS[-1]], late_entry={"ms": 15_000}, payouts=shares)
    tournament.deal(1, START + 1_000)
    done(asks(tournament, FLOOR, PAUSE, START + 13_000 - tournament.now))
    tournament.course.wake(START + 15_000)
    assert tournament.of(play.PrizesFixed)
    tournament.finish(1, "entry-p3", now=START + 20_000)
    assert why(tournament.course.register("friend", START + 27_000)) == CLOSED
    [out] = tournament.of(play.EntryEliminated)
    assert (out.entry, out.first) == ("entry-p3", 3)


@pytest.mark.rule(REGULATION, "23")
def test_nobody_enters_in_a_pause_but_who_asked_before_it_and_all_have_their_time_after_it() -> None:
    tournament = Directed(3, levels=[LEVELS[-1]], late_entry={"ms": 600_000})
    done(tournament.course.register("early", START + 1_000))
    tournament.now = START + 2_000
    done(asks(tournament, FLOOR, PAUSE))
    assert why(tournament.course.register("late", START + 3_000)) == CLOSED
    done(tournament.course.paid("entry-early", START + 4_000))
    assert "early" in {entry.player for entry in tournament.course.state.alive}
    tournament.now = START + 602_000
    done(asks(tournament, SUPERVISOR, RESUME))
    done(tournament.course.register("late", START + 1_199_999))


def test_while_the_clock_stands_who_has_no_chips_decides_as_without_it_and_nobody_else_buys_any() -> None:
    price = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"ms": 60_000}, "time_ms": 30_000}
    closed = ("window_closed", "pt-810-2015#23")
    for asked_at, may in ((59_999, True), (60_000, False)):
        tournament = Directed(4, levels=[LEVELS[-1]], rebuy=price)
        tournament.deal(1)
        done(asks(tournament, FLOOR, PAUSE, 200))
        rebuy = asked.RequestRebuy(payment="more-1")
        tournament.finish(1, "entry-p3", now=START + 40_000)
        assert [offer.until for offer in tournament.of(play.RebuyOffered)] == [START + 60_000]
        assert why(asks(tournament, player("p1"), rebuy)) == closed
        tournament.now = START + asked_at
        answer = asks(tournament, player("p3"), rebuy)
        assert isinstance(answer, Rejected) is not may
        tournament.course.wake(START + asked_at)
        assert bool(tournament.of(play.EntryEliminated)) is not may


def test_a_hand_that_had_begun_before_its_table_heard_of_the_pause_has_its_time() -> None:
    tournament = Directed(3, levels=[LEVELS[-1]])
    done(asks(tournament, FLOOR, PAUSE, 1_000 + START - tournament.now))
    assert tournament.play.clock.stopped == START + 1_000
    tournament.deal(1, START + 1_200, began=START + 1_100)
    assert position(tournament) == 1_100
    tournament.finish(1, now=START + 31_000)
    tournament.now += 10_000
    assert position(tournament) == 30_900, "it stood from the order until the hand began, and again behind it"
    done(asks(tournament, FLOOR, RESUME, 1_000))
    assert tournament.of(told.TournamentResumed)[0].stood_ms == 11_000


def test_in_pauses_of_before_the_clock_stands_at_once() -> None:
    tournament = Directed(3, levels=[LEVELS[-1]])
    tournament.deal(1)
    at = START + 10_000
    paused = told.TournamentPaused(at=at, tournament="t-1", reason="dark", by="floor-1", tables=[1])
    state = evolve(tournament.course.state, paused)
    assert state.play.is_paused
    assert state.play.clock is not None
    assert state.play.clock.stopped == at
    state = evolve(state, told.TournamentResumed(at=at + 30_000, tournament="t-1", reason="light", by="floor-1"))
    assert state.play.clock is not None
    assert state.play.clock.position(START + 40_000) == 10_000
    assert not state.play.is_paused


def test_the_staff_move_nobody_to_and_fro() -> None:
    """Found by an attacker: moved in a loop, a friend was dealt 4 hands of 20, and paid the fewer blinds."""
    tournament = Directed(5, seats=3, levels=LEVELS)
    assert tournament.sizes == [3, 2]
    friend = tournament.at(1)[0].removeprefix("entry-")

    def move(name: str, to: int) -> Any:
        return asks(tournament, FLOOR, asked.MovePlayer(player=name, table=to, reason="balance"))

    refused = ("no_such_move", "pt-810-2015#47")
    done(move(friend, 2))
    tournament.hand(1)
    assert tournament.play.places[f"entry-{friend}"].table == 2
    assert why(move(friend, 1)) == refused, "still on the way"
    tournament.arrive()
    assert why(move(friend, 1)) == refused, "has not been dealt in"
    tournament.round()
    tournament.round()
    assert why(move(friend, 1)) == refused, "once in a level"
    tournament.now = START + 60_000
    tournament.course.wake(tournament.now)
    assert tournament.play.level == 2
    done(move(friend, 1))
    tournament.round()
    assert tournament.play.places[f"entry-{friend}"].table == 1
