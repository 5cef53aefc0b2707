"""Levels, a break, a pause, windows; and the extra hands of a timed tournament."""

import re
from typing import TYPE_CHECKING

from services.cli.replaying.play import Outcome
from services.cli.replaying.record import Claims
from services.tournament.domain.play.clock import Clock, Schedule, Window
from services.tournament.domain.play.prizes import by_percentages, prizes_of
from services.tournament.domain.play.ranking import Bust, final_places, still_to_deal

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase

_MINUTE = 60_000
_TIME = re.compile(r"\d\d:\d\d:\d\d(?:\.\d{3})?")


def moment(text: str) -> int:
    """Milliseconds since midnight."""
    hours, minutes, seconds = text.split(":")
    return (int(hours) * 60 + int(minutes)) * _MINUTE + round(float(seconds) * 1000)


def level_clock(case: "WorkedCase", outcome: Outcome) -> None:
    """T-11."""
    setup, expected = case.setup, case.expected
    blinds = [tuple(map(int, each.split("/"))) for each in setup["levels"].values()]
    outcome.compare("blinds rise", sorted(blinds), blinds)
    minutes, after = (int(number) for number in re.findall(r"\d+", setup["break"]))
    schedule = Schedule([setup["level_minutes"] * _MINUTE] * len(setup["levels"]), {after: minutes * _MINUTE})
    paused, resumed = (moment(time) for time in _TIME.findall(setup["pause"]))
    before = Clock(moment(setup["start"]))
    later = before.pause(paused).resume(resumed)

    def clock_at(now: int) -> Clock:
        return before if now < paused else before.pause(paused) if now < resumed else later

    starts = {}
    for level in setup["levels"]:
        early = before.moment(schedule.starts(level))
        starts[level] = early if early is not None and early <= paused else later.moment(schedule.starts(level))
    outcome.compare("level_starts", {n: moment(time) for n, time in expected["level_starts"].items()}, starts)
    breaks = [before.moment(schedule.ends(after)), before.moment(schedule.starts(after + 1))]
    outcome.compare("break", [moment(time) for time in _TIME.findall(expected["break"] + " ")], breaks)
    closes = schedule.ends(int(setup["entries_until"].split()[-1]))
    outcome.compare("entries_closed_at", moment(expected["entries_closed_at"]), later.moment(closes))
    for step in case.steps:
        asked = [moment(time) for time in _TIME.findall(step["event"])]
        what, told = f"step {step['step']}", step["expected"]
        if "registration" in step["event"]:
            window = Window(0, closes)
            holds = window.holds(clock_at(asked[0]).position(asked[0]))
            outcome.compare(what, told.startswith("accepted"), holds)
            stack = re.findall(r"[\d ]+(?= chips)", told)
            outcome.compare(
                f"{what} stack", [setup["starting_stack"]] * len(stack), [int(s.replace(" ", "")) for s in stack]
            )
            outcome.refusals += not holds
        elif asked:  # a hand keeps the blinds with which it was dealt
            levels = [setup["levels"][schedule.level_at(clock_at(now).position(now))] for now in asked]
            outcome.compare(what, re.findall(r"\d+/\d+", told), levels)
        else:
            earliest = moment(_TIME.findall(told)[0])
            ended = moment(_TIME.findall(case.steps[case.steps.index(step) - 1]["expected"])[0])
            outcome.compare(what, earliest, _next_deal(schedule, clock_at, ended, paused, resumed))
            level = schedule.level_at(clock_at(earliest).position(earliest))
            outcome.compare(f"{what} blinds", re.findall(r"\d+/\d+", told), [setup["levels"][level]])
        outcome.events += 1


def _next_deal(schedule: Schedule, clock_at, ended: int, paused: int, resumed: int) -> int | None:  # type: ignore[no-untyped-def]
    """The first moment after a hand at which the next one may begin."""
    if paused <= ended < resumed:
        return resumed
    clock = clock_at(ended)
    position = clock.position(ended)
    found: int | None = clock.moment(schedule.next_change(position)) if schedule.in_break(position) else ended
    return found


def extra_hands(case: "WorkedCase", outcome: Outcome) -> None:
    """T-09. Who goes out in which extra hand stands in the words of a step."""
    setup, expected = case.setup, case.expected
    busts = []
    for table in setup["tables"]:
        players, button = table["players_in_seat_order"], table["button_of_hand_in_progress"]
        out = {
            int(hand): player
            for number, hand, player in re.findall(
                r"table (\d+) extra hand (\d+) .*: (\w+) is eliminated", "\n".join(step["event"] for step in case.steps)
            )
            if int(number) == table["table"]
        }
        buttons = _orbit(players, button, out)
        outcome.compare(
            f"extra hands at table {table['table']}", expected["extra_hand_buttons"][str(table["table"])], buttons
        )
        busts += [Bust(player, f"{table['table']}/{hand}", 0) for hand, player in sorted(out.items())]
        outcome.events += len(buttons)
    outcome.compare("the time is over", True, case.steps[0]["event"].startswith(setup["time_over_at"]))
    pool = setup["entries"] * setup["buy_in"]["prize"]
    ladder = by_percentages(pool, setup["percentages"])
    places = final_places(busts, case.final_stacks, len(case.final_stacks) + len(busts))
    won = prizes_of(places, ladder, sorted(places))
    got: Claims = {
        "prize_pool": pool,
        "prizes_by_place": {place: prize.money for place, prize in enumerate(ladder, 1)},
        "places": {player: str(place) for player, place in places.items()},
        "prizes": {player: prize.money for player, prize in won.items()},
    }
    outcome.compare("", {name: expected[name] for name in got}, got)
    outcome.compare("chips", setup["entries"] * setup["starting_stack"], sum(case.final_stacks.values()))


def _orbit(players: list[str], running: str, out: dict[int, str]) -> list[str]:
    owed = here = set(range(len(players)))
    button = players.index(running)
    dealt: list[int] = []
    while still_to_deal(owed, here, dealt):
        button = min(here, key=lambda seat: (seat - button - 1) % len(players))
        dealt.append(button)
        if len(dealt) in out:
            here = here - {players.index(out[len(dealt)])}
    return [players[seat] for seat in dealt]
