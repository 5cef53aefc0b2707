"""Entries after the start: inside their window, with a full stack and a drawn seat; and again, for who is out."""

from random import Random
from typing import Any

import pytest

from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.decider import Rejected
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.state import Entry
from tests.tournament.course import FLOOR, START, SUPERVISOR, Course, done, player, why
from tests.tournament.hall import Hall

LEVELS = [{"small_blind": n, "big_blind": 2 * n, "lasts_ms": 60_000} for n in (10, 20, 40, 80, 200, 500, 2_000)]
UNTIL: dict[str, Any] = {"levels": LEVELS, "late_entry": {"level": 2}, "re_entry": {"level": 6}}
CLOSED = ("registration_closed", "pt-810-2015#23")


def late(hall: Hall, name: str, now: int) -> list[Any]:
    """Asked and paid at once."""
    hall.now = max(hall.now, now)
    done(hall.course.register(name, now))
    return done(hall.course.paid(f"entry-{name}", now))


def test_a_late_entry_gets_a_full_stack_and_a_drawn_seat_at_a_smallest_table() -> None:
    hall = Hall(23, seats=9, **UNTIL)
    hall.step()
    events = late(hall, "late", START + 119_999)
    [registered] = [event for event in events if isinstance(event, told.PlayerRegistered)]
    [seated] = [event for event in events if isinstance(event, play.EntrySeated)]
    assert (registered.number, seated.chips) == (24, 10_000)
    assert [len(table.entries) for table in hall.play.tables.values()] == [8, 8, 8]
    assert why(hall.course.register("later", START + 120_000)) == CLOSED
    assert why(hall.course.ask(player("late"), asked.UnregisterPlayer())) == ("unregistering_closed", "pt-810-2015#24")
    _sound(hall.run(), 24)


def test_where_all_seats_are_taken_another_table_opens_and_is_filled() -> None:
    hall = Hall(27, seats=9, **UNTIL)
    hall.step()
    late(hall, "late", START + 1_000)
    assert [len(table.entries) for table in hall.play.tables.values()][-1] == 1
    while max(sizes := [len(at.entries) for at in hall.play.tables.values()]) - min(sizes) > 1:
        assert hall.step()
    assert hall.of(play.TableSetUp)[-1].table == 4
    _sound(hall.run(), 28)


def test_a_pause_moves_the_close() -> None:
    hall = Hall(10, seats=9, **UNTIL)
    hall.step()
    done(hall.course.ask(FLOOR, asked.PauseTournament(reason="the lights went out"), START + 30_000))
    done(hall.course.ask(FLOOR, asked.ResumeTournament(reason="they are back"), START + 90_000))
    hall.now = START + 90_000
    late(hall, "late", START + 179_999)
    assert why(hall.course.register("later", START + 180_000)) == CLOSED


def test_who_is_out_enters_again_and_each_entry_has_its_place() -> None:
    hall = Hall(20, seats=7, seed=3, **UNTIL)
    out: list[Entry] = []
    while not out:
        assert hall.step()
        out = [entry for entry in hall.state.entries.values() if entry.status == "out"]
    again = out[0].player
    done(hall.course.register(again, hall.now, entry="second"))
    done(hall.course.paid("second", hall.now))
    assert why(hall.course.register(again, hall.now, entry="third")) == ("already_registered", "pt-810-2015#FP-13")
    hall.run()
    [completed] = hall.of(play.TournamentCompleted)
    assert sorted(each.entry for each in completed.results if each.player == again) == sorted([out[0].entry, "second"])
    _sound(hall, 21)


def test_prizes_wait_for_who_asked_in_time_and_not_for_ever() -> None:
    hall = Hall(20, seats=7, seed=3, levels=LEVELS, late_entry={"level": 1})
    hall.step()
    done(hall.course.register("slow", START + 59_999))
    hall.course.wake(START + 60_001)
    assert not hall.of(play.PrizesFixed)
    done(hall.course.paid("entry-slow", START + 60_500))
    [fixed] = hall.of(play.PrizesFixed)
    assert fixed.entries == 21


@pytest.mark.parametrize("seed", range(12))
def test_whoever_comes_late_or_again_every_place_and_cent_is_accounted_for(seed: int) -> None:
    luck = Random(seed)
    hall = Hall(
        luck.choice([2, 5, 9, 18]), seed=seed, **{**UNTIL, "late_entry": {"level": 6}, "seats": luck.randint(2, 9)}
    )
    newcomers, number = [f"late{n}" for n in range(10)], 0
    while hall.step():
        if luck.random() > 0.02 or hall.state.phase != "running":
            continue
        out = [entry.player for entry in hall.state.entries.values() if entry.status == "out"]
        name, number = luck.choice([*newcomers, *out]), number + 1
        asked_for = hall.course.register(name, hall.now, entry=f"more-{number}")
        if not isinstance(asked_for, Rejected) and luck.random() < 0.9:
            done(hall.course.paid(f"more-{number}", hall.now))
    assert hall.state.phase == "completed"
    taken = [entry for entry in hall.state.entries.values() if entry.status != "gone"]
    _sound(hall, len(taken))


def _two_alone() -> Hall:
    """One of two has all chips after a few hands, long before the others may no longer enter."""
    levels = [{"small_blind": 5_000, "big_blind": 10_000, "lasts_ms": 600_000} for _ in range(3)]
    hall = Hall(2, seats=9, levels=levels, late_entry={"level": 2}, re_entry={"level": 1}, guarantee=1_000_000)
    while hall.state.phase == "registering" or hall.play.left > 1:
        assert hall.step()
    assert hall.of(play.HandFinished)[-1].at < START + 600_000
    return hall


def test_two_who_play_alone_do_not_share_out_what_is_guaranteed_to_a_field() -> None:
    hall = _two_alone()
    assert not hall.of(play.PrizesFixed), "others may still come"
    [one] = hall.state.alive
    late(hall, "late", START + 1_199_999)
    hall.run()
    [completed] = hall.of(play.TournamentCompleted)
    assert len(completed.results) == 3
    assert {each.player for each in completed.results[:2]} == {one.player, "late"}
    assert hall.of(play.PrizesFixed)[0].pool == 1_000_000


def test_whoever_is_the_only_one_left_has_won_when_nobody_may_enter_any_more() -> None:
    hall = _two_alone()
    assert next_wake(hall.state) == START + 1_200_000
    while hall.state.phase == "running":
        assert hall.step()
    assert hall.now == START + 1_200_000
    assert sum(each.prize for each in hall.of(play.TournamentCompleted)[0].results) == 1_000_000


def test_whoever_is_the_only_one_left_waits_for_who_asked_in_time() -> None:
    hall = _two_alone()
    hall.now = START + 1_199_999
    done(hall.course.register("slow", hall.now))
    hall.course.wake(START + 1_200_000)
    assert hall.state.phase == "running"
    done(hall.course.paid("entry-slow", START + 1_201_000))
    hall.now = START + 1_201_000
    hall.run()
    assert len(hall.of(play.TournamentCompleted)[0].results) == 3


def test_until_when_the_only_one_left_waits_is_nobodys_to_choose() -> None:
    """Found by an attacker: with the clock set back again and again a friend came in, and was second at once."""
    hall = _two_alone()
    hall.now = START + 1_000_000
    back = asked.AdjustClock(ms=-1_000, reason="a second was lost")
    assert why(hall.course.ask(SUPERVISOR, back, hall.now))[0] == "wrong_moment"
    done(hall.course.ask(FLOOR, asked.PauseTournament(reason="the lights went out"), hall.now))
    assert why(hall.course.register("late", hall.now + 60_000)) == CLOSED
    done(hall.course.ask(FLOOR, asked.ResumeTournament(reason="they are back"), hall.now + 60_000))
    done(hall.course.register("late", hall.now + 60_000))


def test_what_cannot_be_run_yet_is_not_announced() -> None:
    course = Course(sit_out_action="fold")
    refused = course.ask(SUPERVISOR, asked.ApproveTournament())
    assert isinstance(refused, Rejected)
    assert (refused.reason, refused.detail) == ("not_offered", "sit_out_action")
    assert course.state.phase == "proposed"
    late = course.ask(SUPERVISOR, asked.ApproveTournament(), START)
    assert why(late)[0] == "not_offered", "said first: whether the rules are sound costs the most to find out"


def _sound(hall: Hall, entries: int) -> None:
    """Every entry has a place of its own or a tie, and every cent that came for prizes went out."""
    [completed] = hall.of(play.TournamentCompleted)
    assert len({each.entry for each in completed.results}) == len(completed.results) == entries
    tied = {(each.first, each.last) for each in completed.results}
    assert sorted(place for one, last in tied for place in range(one, last + 1)) == list(range(1, entries + 1))
    assert sum(each.prize for each in completed.results) == hall.of(play.PrizesFixed)[0].pool == entries * 2_000
    assert sum(hall.course.credited().values()) == entries * 2_000
    assert hall.state.held.total == 0
    assert hall.refusals == []


@pytest.mark.parametrize("wanted", ["entry", "rebuy"])
def test_nobody_enters_or_buys_once_the_prizes_are_fixed_though_the_clock_goes_back(wanted: str) -> None:
    # A window that ends within the level, so that the director can set the clock back to before its end.
    level = [{"small_blind": 10, "big_blind": 20, "lasts_ms": 600_000}]
    rebuy = {"price": {"amount": 2_000, "prize": 2_000}, "chips": 10_000, "until": {"ms": 60_000}}
    window = {"late_entry": {"ms": 60_000}} if wanted == "entry" else {"rebuy": rebuy}
    hall = Hall(10, seats=9, levels=level, **window)
    while not hall.of(play.PrizesFixed):
        assert hall.step()
    back = asked.AdjustClock(ms=-(hall.now - START), reason="the hall was dark")
    done(hall.course.ask(SUPERVISOR, back, hall.now))
    assert hall.play.clock.position(hall.now) == 0
    if wanted == "entry":
        assert why(hall.course.register("late", hall.now)) == CLOSED
    else:
        refused = hall.course.ask(player("p1"), asked.RequestRebuy(payment="more"), hall.now)
        assert why(refused)[0] == "window_closed"
