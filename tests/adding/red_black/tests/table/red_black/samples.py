"""One sample of every event of red or black: those of an evening."""

from libs.contracts import red_black_events
from libs.contracts.facts import GameEvent, TableEvent, told_in
from tests.table.red_black.play import an_evening


def samples() -> list[TableEvent]:
    told = an_evening().told
    return [next(event for event in told if type(event) is kind) for kind in told_in(red_black_events, GameEvent)]
