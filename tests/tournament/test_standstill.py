"""The house stands still, or commands lapse: the clock is made good, tables are asked again (pt-810-2015 FP-15)."""

from itertools import pairwise
from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts.messages import Principal
from libs.contracts.poker_events import HandVoided
from libs.contracts.table_commands import WakeTable
from libs.contracts.tournament_tables import table_name
from libs.contracts.tournaments_commands import WakeTournament
from libs.contracts.tournaments_events import NoticeGiven
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.reminding import REMIND_MS, TELL_AT, moved_at
from tests.testkit.cases import Case
from tests.tournament.course import MINUTE, START, TIMER, done
from tests.tournament.directed import Directed
from tests.tournament.hall import Hall
from tests.tournament.test_whole_tournaments import assert_sound


def in_hands() -> Hall:
    """Somebody's turn is awaited at each of two tables."""
    hall = Hall(12, seed=3, seats=6)
    while not hall.tables or not all(table.hand and table.hand.turn for table in hall.tables.values()):
        assert hall.step()
    return hall


@pytest.mark.rule("pt-810-2015", "FP-15/3")
@pytest.mark.parametrize("tournament_too", [True, False])
def test_a_hand_goes_on_and_the_level_clock_stood_still(case: Case, tournament_too: bool) -> None:
    """Also where the tables alone stood still."""
    hall, failed = in_hands(), case["after"] * 1_000
    turns = {name: table.hand.turn for name, table in hall.tables.items()}
    ends, silent = next_wake(hall.state), moved_at(hall.state)
    assert ends is not None
    assert silent is not None
    asked = min(turn.until for turn in turns.values()) - 15_000
    hall.now += failed
    for name in hall.tables:
        assert hall._table(name, Principal("timer", "table"), WakeTable(due=hall.now, outage=True)) is None
    if tournament_too:
        done(hall.course.ask(TIMER, WakeTournament(due=hall.now, outage=True), hall.now))
    hall._pass_on()
    made_good = hall.of(play.ClockMadeGood)
    good = made_good[0]
    assert good.since == (silent if tournament_too else turns[next(iter(turns))].until - 15_000)
    stood = sum(event.ms for event in made_good)
    assert failed <= stood <= hall.now - min(asked, silent), "once, whoever tells of it"
    for name, table in hall.tables.items():
        assert table.hand is not None
        assert table.hand.turn is not None
        assert table.hand.turn.seat == turns[name].seat
        assert table.hand.turn.until == hall.now + 15_000, "with a new time to decide"
    done(hall.course.wake(ends))
    assert hall.play.level == 1, "it would have ended by the old clock"
    done(hall.course.wake(ends + stood))
    assert hall.play.level == 2
    hall.now = hall.course.now
    hall.run()
    assert not [fact for facts in hall.facts.values() for fact in facts if isinstance(fact, HandVoided)]
    assert_sound(hall, 12)


def test_a_clock_that_stands_anyway_is_not_made_good() -> None:
    tournament = Directed(9, breaks=[{"after_level": 1, "lasts_ms": 5 * MINUTE}])
    course = tournament.course
    course.wake(START + 2 * MINUTE)
    assert tournament.play.on_break
    assert moved_at(course.state) is None
    over = START + 7 * MINUTE
    done(course.ask(TIMER, WakeTournament(due=over, outage=True), over + 90_000))
    [good] = tournament.of(play.ClockMadeGood)
    assert (good.since, good.ms) == (over, 90_000), "only what was late of the break's end"


def test_who_was_to_move_off_a_table_that_has_closed_sits_down_at_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(15, seed=2, seats=5)
    delivered, lost = hall._deliver, []

    def deliver(message: Any) -> None:
        """Of a table that is broken the end arrives, and no order to move before it."""
        broken = {table_name("t-1", event.table) for event in hall.of(play.TableBroken)}
        if message.type == "MoveEntrant" and message.stream in broken:
            lost.append(message)
        else:
            delivered(message)

    monkeypatch.setattr(hall, "_deliver", deliver)
    hall.run()
    assert lost
    assert not hall.of(play.OrdersRepeated), "nobody waits for a reminder"
    assert_sound(hall, 15)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_command_lapses_the_tables_are_asked_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = Hall(15, seed=seed, seats=5)
    delivered, lost = hall._deliver, []

    def deliver(message: Any) -> None:
        """For a quarter of a minute of each two nothing reaches any table."""
        if message.stream != "t-1" and (hall.now + seed * 17_000) % 130_000 < 15_000:
            lost.append(message.type)
        else:
            delivered(message)

    monkeypatch.setattr(hall, "_deliver", deliver)
    for _ in range(8_000):
        if not hall.step():
            break
        hall.check()
    assert hall.state.phase == "completed", (hall.play, lost)
    assert lost
    repeated = hall.of(play.OrdersRepeated)
    assert repeated
    for table in {event.table for event in repeated}:
        at = [event.at for event in repeated if event.table == table]
        assert all(later - earlier >= REMIND_MS for earlier, later in pairwise(at))
    [completed] = hall.of(play.TournamentCompleted)
    assert sum(result.prize for result in completed.results) == 15 * 2_000
    assert sum(hall.play.stacks.values()) == 15 * 10_000


def test_staff_are_told_of_a_table_that_does_not_do_what_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is that keeps its orders from it; once, until a hand begins there."""
    hall = Hall(10, seats=5, levels=[{"small_blind": 50, "big_blind": 100, "lasts_ms": 60 * MINUTE}])
    delivered = hall._deliver
    monkeypatch.setattr(hall, "_deliver", lambda message: message.stream == "t-1.t1" or delivered(message))
    until = START + 5 * REMIND_MS
    while hall.now < until and hall.step():
        pass
    repeated = [event for event in hall.of(play.OrdersRepeated) if event.table == 1]
    told = hall.of(NoticeGiven)
    assert len(repeated) >= TELL_AT + 1
    assert [event.by for event in told] == ["house"]
    assert told[0].text.startswith("Table 1 has not done what it was asked for 4 minutes")
    assert told[0].at == repeated[TELL_AT - 1].at
    assert hall.play.reminded[1] >= TELL_AT
    monkeypatch.setattr(hall, "_deliver", delivered)
    while not any(fact.table == 1 for fact in hall.of(play.HandDealt)):
        assert hall.step()
    assert 1 not in hall.play.reminded
