"""Worked cases of tournaments through the real rules. Each has a shape of its own, told by what stands in its setup."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from services.cli.replaying.play import Outcome
from services.cli.replaying.record import Claims, NotARecord, Part, parsed, play_each
from services.cli.replaying.tournament.absent import blinded_off
from services.cli.replaying.tournament.buying import more_chips
from services.cli.replaying.tournament.clocks import extra_hands, level_clock
from services.cli.replaying.tournament.money import (
    bounties,
    bubble,
    cancelled,
    cancelled_before,
    entries_and_places,
    one_hand,
)
from services.cli.replaying.tournament.reading import reading, unread
from services.cli.replaying.tournament.tables import floor_of_tables, moved_player
from services.cli.replaying.tournament.tickets import cancelled_and_converted, satellite_and_target

Play = Callable[["WorkedCase", Outcome], None]
"""Compares everything that the case claims."""


class WorkedCase(Part):
    """`rules` and `why` are for people."""

    id: str
    title: str
    rules: list[str]
    setup: Claims
    steps: list[Claims] = []
    variants: list[Claims] = []
    expected: Claims = {}
    totals: dict[str, int] = {}
    final_stacks: dict[str, int] = {}
    why: str = ""


class WorkedCases(Part):
    id: str
    title: str
    regulation: str
    conventions: dict[str, str]
    cases: list[WorkedCase]


_PLAYS: Mapping[str, Play] = {
    "initial_seating": floor_of_tables,
    "table_1": moved_player,
    "table_A": bubble,
    "minimum_players": cancelled_before,
    "paid_places": cancelled,
    "eliminated_in_the_money": cancelled,
    "add_on_break": more_chips,
    "prize_credit_mode": bounties,
    "duration_minutes": extra_hands,
    "level_minutes": level_clock,
    "entries_at_start": entries_and_places,
    "satellite": satellite_and_target,
    "cancellation_until": cancelled_and_converted,
    "absent": blinded_off,
    "prizes": one_hand,
}
"""By a field of the setup that no case before it in this list has."""


_READ = ("setup", "steps", "variants", "expected", "totals", "final_stacks")
"""All that a case claims."""


def replay_tournaments(document: Any) -> Iterator[Outcome]:
    """One outcome for each case. NotARecord when something in the document can't be played."""
    cases = parsed(WorkedCases, document).cases
    return play_each(((case.id, case) for case in cases), _replay)


def _replay(case: WorkedCase) -> Outcome:
    outcome = Outcome(case.id, case.title, "pt-810-2015")
    play = next((play for field, play in _PLAYS.items() if field in case.setup), None)
    if play is None:
        raise NotARecord("a case of no shape that the replay knows")
    case = case.model_copy(update={name: reading(getattr(case, name)) for name in _READ})
    try:
        play(case, outcome)
        steps = [step["step"] for step in case.steps if "step" in step]
        outcome.compare("steps are numbered", [*range(1, len(steps) + 1)], steps)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, AssertionError) as wrong:
        raise NotARecord(f"what it says does not go together: {type(wrong).__name__} {wrong}") from wrong
    left = [place for name in _READ for place in unread(getattr(case, name), name)]
    if left:
        raise NotARecord(f"what the replay does not read: {', '.join(left)}")
    return outcome
