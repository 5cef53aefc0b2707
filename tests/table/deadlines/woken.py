"""The same command at the same time at two tables: one that no wake has reached yet, and one that was woken."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from libs.contracts.commands import OUTAGE_MS, TableCommand
from libs.contracts.poker_events import HandStarted
from libs.contracts.table_commands import WakeTable
from libs.decider import Given, Rejected, Standstill
from services.table.domain.games.registry import game_of
from services.table.domain.table.decide import decide
from services.table.domain.table.waking import moved_at, next_wake
from tests.table.luck import seeded_shuffler
from tests.table.under_test import TIMER
from tests.table.wishes import wishes

MOST_WAKES = 50
_SHUFFLER = seeded_shuffler()


@dataclass(frozen=True)
class Difference:
    """A verdict that depends on the wake; None: accepted."""

    command: str
    without: str | None
    woken: str | None
    told: tuple[str, ...]
    """What the wakes told, by name."""

    @property
    def late(self) -> bool:
        """Taken although it was too late."""
        return self.without is None


def woken(state: Any, now: int, stood: Standstill | None = None) -> tuple[Any, list[Any]]:
    """The table once nothing is due at `now`, or a second hand begins in the same moment; and what was told.

    A house that is back wakes it at once where a round waits for a clock.
    """
    told: list[Any] = []
    if stood is not None and moved_at(state) is not None:
        state = _wake(state, WakeTable(due=now, outage=True), now, stood, told)
    for _ in range(MOST_WAKES):
        due = next_wake(state)
        if due is None or due > now:
            return state, told
        before = len(told)
        state = _wake(state, WakeTable(due=due, outage=now - due > OUTAGE_MS), now, stood, told)  # as `Timers` send it
        assert len(told) > before, f"due at {due} and nothing happens: the timer would wake it for ever"
        if sum(isinstance(event, HandStarted) for event in told) > 1:
            return state, told
    raise AssertionError(f"due again and again: {Counter(type(event).__name__ for event in told)}")


def _wake(state: Any, wake: WakeTable, now: int, stood: Standstill | None, told: list[Any]) -> Any:
    decided = decide(state, wake, Given(now, game_of(state.rules).supply(state, _SHUFFLER), TIMER, stood))
    assert not isinstance(decided, Rejected)
    told += decided.events
    return decided.states[-1] if decided.states else state


def verdict(state: Any, command: TableCommand, given: Given) -> str | None:
    decided = decide(state, command, given)
    return decided.reason if isinstance(decided, Rejected) else None


def differences(
    state: Any, now: int, first: int = 0, step: int = 1, stood: Standstill | None = None
) -> Iterator[Difference]:
    """Of every wish at the table as it stands, or each so manyth, what the wake makes different: taken or not."""
    later, events = woken(state, now, stood)
    told = tuple(dict.fromkeys(type(event).__name__ for event in events))
    fresh = _SHUFFLER.shuffle()  # one for all: no verdict asks which cards would be dealt
    for by, command in islice(wishes(state), first, None, step):
        given = Given(now, fresh, by, stood)
        without, after = verdict(state, command, given), verdict(later, command, given)
        if (without is None) != (after is None):
            yield Difference(type(command).__name__, without, after, told)


def asked(state: Any, now: int, pick: int, stood: Standstill | None = None) -> Any:
    """The table after one of its wishes that is taken and does something, where there is one."""
    every, fresh = list(wishes(state)), _SHUFFLER.shuffle()
    for number in range(len(every)):
        by, command = every[(pick + number * 37) % len(every)]
        decided = decide(state, command, Given(now, fresh, by, stood))
        if not isinstance(decided, Rejected) and decided.events:
            return decided.states[-1]
    return state


def unexplained(found: Iterator[Difference], early: Mapping[str, Any], late: Mapping[str, Any]) -> list[Difference]:
    """Differences that no event which the wake told explains."""
    return [each for each in found if not set((late if each.late else early).get(each.command, ())) & set(each.told)]
