"""Time in a running tournament: levels, breaks, what a timed one has left, and until when one may come in (pt-810-2015
40, 43, 52, FP-4, FP-14).
"""

from libs.contracts import tournament_play_events as told
from libs.contracts.tournaments import Bought, Definition, Until
from libs.contracts.tournaments_events import TournamentResumed
from services.tournament.domain.play import memory
from services.tournament.domain.play.clock import Clock, Schedule, Window, during_break
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story


def window_holds(story: Story, until: Until | None, *, won: bool = False) -> bool:
    """Strictly before its end by the tournament's clock (23): while that stands nobody asks for an entry, and what is
    left of the window is left afterwards. `won`: with a ticket, which comes when it comes.

    Once the prizes are fixed nobody enters any more, though the clock be set back or made good, nor when the time of a
    timed tournament is up: who plays no hand has no place by chips (52).
    """
    play = story.state.play
    if until is None or story.state.phase != "running" or play.fixed or play.time_up:
        return False
    if clock_of(story).stopped is not None and (play.left <= 1 or not won):
        return False  # or whoever pauses it chose until when somebody may come, and be second at least
    return clock_of(story).position(story.now) < _ends(story.state, until)


def window_of(state: Tournament, bought: Bought) -> Window | None:
    """Of rebuys or add-ons; None where the rules offer none, and once the prizes are fixed or the time is up."""
    rules = state.rules
    if state.play.fixed or state.play.time_up:
        return None
    if bought == "rebuy" and rules.rebuy is not None:
        return Window(0, _ends(state, rules.rebuy.until))
    if bought == "add_on" and rules.add_on is not None:
        return during_break(schedule_of(state), rules.add_on.after_level)
    return None


def _ends(state: Tournament, until: Until) -> int:
    schedule = schedule_of(state)
    return schedule.ends(until.level) if until.level else schedule.after_playing(until.ms)


def play_due(state: Tournament) -> int | None:
    """When the level or a break ends next, milliseconds since the epoch."""
    clock = state.play.clock
    if state.phase != "running" or clock is None:
        return None
    if clock.stopped is not None:
        return state.play.restart.goes_on_at if state.play.restart is not None else None
    due = [next_change(state)]
    if not state.play.fixed and not state.pending:  # an answer, or its time, goes before
        if state.play.left <= 1:
            due.append(entering_closes(state))
        elif not state.wishes:
            due.append(entries_close(state))
    positions = [position for position in due if position is not None]
    return clock.moment(min(positions)) if positions else None


def next_change(state: Tournament) -> int | None:
    """Position at which a level, a break or the time of a timed tournament ends next; of these three the first."""
    if state.play.time_up:
        return None
    change, over = schedule_of(state).next_change(_told_position(state)), _over_at(state)
    return min((position for position in (change, over) if position is not None), default=None)


def _over_at(state: Tournament) -> int | None:
    """Position at which a timed tournament's time is up; breaks do not count (52, reading of FP-14)."""
    return schedule_of(state).after_playing(state.rules.lasts_ms) if state.rules.timed else None


def entries_close(state: Tournament) -> int:
    """Position from which on there is no entry, rebuy or add-on any more; 0: there never is one after the start."""
    return max(closings(state), default=0)


def closings(state: Tournament) -> list[int]:
    """Positions at which a time ends in which one might enter or buy chips."""
    buying = (window_of(state, bought) for bought in ("rebuy", "add_on"))
    return [*_entering(state), *(window.closes for window in buying if window is not None)]


def entering_closes(state: Tournament) -> int:
    """Position from which on nobody comes in any more; 0: nobody did after the start."""
    return max(_entering(state), default=0)


def _entering(state: Tournament) -> list[int]:
    windows = (state.rules.late_entry, state.rules.re_entry)
    return [_ends(state, each) for each in windows if each is not None]


def schedule_of(state: Tournament) -> Schedule:
    rules = state.rules
    return Schedule([level.lasts_ms for level in rules.levels], {b.after_level: b.lasts_ms for b in rules.breaks})


def _told_position(state: Tournament) -> int:
    """Where the level or break that was told last begins: what comes next has not been told."""
    schedule, play = schedule_of(state), state.play
    return schedule.ends(play.level) if play.on_break else schedule.starts(play.level)


def keep_time(story: Story) -> None:
    restart = story.state.play.restart
    if restart is not None and story.is_due(restart.goes_on_at):
        stood = clock_of(story).stood(story.now)
        story.tell(TournamentResumed(reason=restart.reason, by=restart.by, stood_ms=stood))
    clock, schedule = clock_of(story), schedule_of(story.state)
    while (change := next_change(story.state)) is not None:
        play, due = story.state.play, clock.moment(change)
        if due is None or due > story.now:
            return
        position = clock.position(due)
        if change == _over_at(story.state):
            orbits = [told.Orbit(number, sorted(table.entries)) for number, table in sorted(play.tables.items())]
            story.tell(told.TimeUp(ended=due, orbits=orbits))
        elif schedule.in_break(position) and not play.on_break:
            until = clock.moment(schedule.starts(play.level + 1)) or due
            story.tell(told.BreakBegan(after_level=play.level, began=due, until=until))
        else:
            change_level(story, play.level + 1)


def change_level(story: Story, level: int) -> None:
    began = clock_of(story).moment(schedule_of(story.state).starts(level)) or story.now
    tables = sorted(story.state.play.tables)
    values = configuration_of(story.rules, level)
    story.tell(told.LevelBegan(level=level, began=began, configuration=values, tables=tables))


def configuration_of(rules: Definition, level: int) -> dict[str, int | str | bool | None]:
    """Of every table in this level; its version is the level."""
    blinds = rules.levels[level - 1]
    forced = {name: getattr(blinds, name) for name in ("small_blind", "big_blind", "ante", "big_blind_ante")}
    given = {name: value for name, value in forced.items() if value or name.endswith("blind")}
    return {**rules.table, "version": level, "seats": rules.seats, **given}


def clock_of(story: Story) -> Clock:
    return memory.clock_of(story.state.play)
