"""Levels, breaks, pauses, windows: what the clock shows, to the millisecond."""

from hypothesis import given
from hypothesis import strategies as st

from services.tournament.domain.play.clock import (
    Clock,
    Schedule,
    Window,
    during_break,
    rebuy_deadline,
)

MINUTE = 60_000
_TEN = 10 * MINUTE


def test_levels_of_different_length_and_a_break_between() -> None:
    schedule = Schedule([_TEN, _TEN, 15 * MINUTE, _TEN], {2: 5 * MINUTE})
    assert [schedule.starts(level) for level in (1, 2, 3, 4)] == [0, _TEN, 25 * MINUTE, 40 * MINUTE]
    assert schedule.level_at(2 * _TEN - 1) == 2
    assert not schedule.in_break(2 * _TEN - 1)
    assert (schedule.level_at(2 * _TEN), schedule.in_break(2 * _TEN)) == (2, True)
    assert (schedule.level_at(25 * MINUTE), schedule.in_break(25 * MINUTE)) == (3, False)
    assert schedule.level_at(10**12) == 4, "the last level goes on without end"
    assert not schedule.in_break(10**12)
    assert [schedule.next_change(at) for at in (0, 2 * _TEN - 1, 2 * _TEN, 40 * MINUTE)] == [
        _TEN, 2 * _TEN, 25 * MINUTE, None,
    ]  # fmt: skip


def test_a_pause_moves_everything_that_follows() -> None:
    clock = Clock(1_000)
    stopped = clock.pause(5_000)
    assert (stopped.position(5_000), stopped.position(9_999)) == (4_000, 4_000)
    assert stopped.moment(7_000) is None
    again = stopped.resume(8_000)
    assert (again.position(8_000), again.position(11_000)) == (4_000, 7_000)
    assert again.moment(7_000) == 11_000


def test_the_director_sets_the_clock() -> None:
    clock = Clock(1_000).adjust(500)
    assert clock.position(2_000) == 1_500
    assert clock.adjust(-700).position(2_000) == 800


def test_a_window_holds_its_first_instant_and_not_its_last() -> None:
    assert [Window(10, 20).holds(at) for at in (9, 10, 19, 20)] == [False, True, True, False]
    schedule = Schedule([_TEN] * 3, {2: 5 * MINUTE})
    assert during_break(schedule, 2) == Window(2 * _TEN, 25 * MINUTE)


def test_the_time_to_rebuy_ends_with_the_window() -> None:
    windows = [Window(0, 60_000)]
    clock = Clock(0)
    assert rebuy_deadline(clock, 10_000, 10_000, 30_000, windows) == 40_000
    assert rebuy_deadline(clock, 50_000, 50_000, 30_000, windows) == 60_000
    assert rebuy_deadline(clock, 60_000, 60_000, 30_000, windows) is None, "out at once"
    both = [Window(60_000, 90_000), *windows]
    assert rebuy_deadline(clock, 50_000, 50_000, 30_000, both) == 80_000, "the add-on's window follows"
    assert rebuy_deadline(clock, 61_000, 61_000, 30_000, both) == 90_000
    paused = clock.pause(55_000).resume(75_000)
    assert rebuy_deadline(paused, 50_000, 50_000, 30_000, windows) == 80_000, "the window closes 20 s later"


def test_breaks_do_not_count_in_a_fixed_duration() -> None:
    schedule = Schedule([_TEN] * 6, {3: 5 * MINUTE, 6: 5 * MINUTE})
    assert schedule.after_playing(20 * MINUTE) == 20 * MINUTE
    assert schedule.after_playing(30 * MINUTE) == 30 * MINUTE, "the break comes after the end"
    assert schedule.after_playing(40 * MINUTE) == 45 * MINUTE


@given(
    st.lists(st.integers(1, 10**7), min_size=1, max_size=12),
    st.dictionaries(st.integers(1, 11), st.integers(1, 10**6), max_size=4), st.integers(0, 2 * 10**8),
)  # fmt: skip
def test_every_instant_is_in_one_level_or_its_break(levels: list[int], breaks: dict[int, int], at: int) -> None:
    schedule = Schedule(levels, {after: ms for after, ms in breaks.items() if after < len(levels)})
    level = schedule.level_at(at)
    assert schedule.starts(level) <= at
    assert level == len(levels) or at < schedule.starts(level + 1)
    assert schedule.in_break(at) == (level < len(levels) and at >= schedule.ends(level))
    following = schedule.next_change(at)
    if following is not None:
        before, after = following - 1, following
        assert (schedule.level_at(before), schedule.in_break(before)) == (level, schedule.in_break(at))
        assert (schedule.level_at(after), schedule.in_break(after)) != (level, schedule.in_break(at))
