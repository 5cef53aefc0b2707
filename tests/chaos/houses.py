"""Which house is built next: faults that may share one, those first of which most rounds are missing."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from tests.chaos.drills import DRILLS
from tests.chaos.faults import FAULTS, groups
from tests.chaos.results import Book, Gone

TURNS = 13
"""Rounds of one fault in one house, at most: 25 are two houses."""
LARGEST = 110
"""Rounds in one house, at most: what a house that has to be given up costs."""
TRIES = 3
"""Houses that a fault may spoil before it is left alone."""


class Houses:
    """What is still missing, what is being done, and what comes next. `minutes`: none is begun after so long."""

    def __init__(self, names: Sequence[str], rounds: int, book: Book, minutes: float | None = None) -> None:
        self.rounds = rounds
        self._book = book
        self._stop = None if minutes is None else time.monotonic() + 60 * minutes
        chosen = [FAULTS[name] for name in names if name in FAULTS]
        self._groups = [[each.name for each in together] for together in groups(chosen)]
        self._groups += [[name] for name in names if name in DRILLS]
        self._under_way: Counter[str] = Counter()
        self._spoiled: Counter[str] = Counter()

    def late(self) -> bool:
        """No further round is to begin."""
        return self._stop is not None and time.monotonic() > self._stop

    def missing(self, name: str) -> int:
        return max(0, self.rounds - self._book.through()[name])

    def next(self, nodes: int) -> dict[str, int] | None:
        """Rounds by fault of the next house on a stack of so many brokers; None when there is nothing to do there."""
        if self.late():
            return None
        best: dict[str, int] = {}
        for group in self._groups:
            if nodes_of(group[0]) == nodes:
                wanted = self._wanted(group)
                if max(wanted.values(), default=0) > max(best.values(), default=0):
                    best = wanted
        if not best:
            return None
        most = max(best.values())
        at_once = max(1, min(TURNS, LARGEST // len(best)))
        turns = math.ceil(most / math.ceil(most / at_once))  # the last house is not for one round
        house = {name: min(turns, rounds) for name, rounds in best.items()}
        self._under_way.update(house)
        return house

    def back(self, house: Mapping[str, int], gone: Gone) -> None:
        """A house was left. What was found is laid to the fault in whose round it was, or else to all of them."""
        self._under_way.subtract(house)
        if gone.problems:
            self._spoiled.update([gone.met_in] if gone.met_in is not None and gone.met_in in house else list(house))

    def _wanted(self, group: Sequence[str]) -> dict[str, int]:
        """Rounds that nobody is at; a fault that has spoiled a house is fired alone from then on."""
        open_ = {name: self.missing(name) - self._under_way[name] for name in group if self._spoiled[name] < TRIES}
        open_ = {name: rounds for name, rounds in open_.items() if rounds > 0}
        sound = {name: rounds for name, rounds in open_.items() if not self._spoiled[name]}
        return sound or dict(list(open_.items())[:1])


def nodes_of(name: str) -> int:
    return FAULTS[name].nodes if name in FAULTS else DRILLS[name].nodes
