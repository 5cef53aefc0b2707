"""Decisions too even for a person (pt-811-2015 11.f), of which a day's are told in a few, whatever came before."""

from collections.abc import Iterable

import msgspec

RUN = 200
SPREAD_MS = 100
"""Longest less shortest of the run: a person who hurries always the same does not hurry this evenly."""
SHORTEST_MS = 300
"""Below it everybody is even: buttons pressed before the turn came."""

Decided = tuple[int, int]
"""Number of the hand, and milliseconds that the decision took."""


class Even(msgspec.Struct, array_like=True):
    """A player's decisions in the order of the hands. Of a person three or four of them are held."""

    count: int = 0
    head: list[Decided] = []
    """The first ones, as many as are even, `RUN` at the most."""
    tail: list[Decided] = []
    """The last ones, likewise."""
    run: list[Decided] = []
    """The first `RUN` in a row that are even; empty: there are none."""

    def add(self, number: int, took: int) -> None:
        if len(self.head) == self.count < RUN and is_even([*self.head, (number, took)]):
            self.head.append((number, took))
        self.count += 1
        push(self.tail, (number, took))
        if not self.run and len(self.tail) == RUN:
            self.run = list(self.tail)

    @property
    def whole(self) -> bool:
        """All of them are even, and `head` is all."""
        return len(self.head) == self.count


def is_even(decided: Iterable[Decided]) -> bool:
    times = [took for _, took in decided]
    return min(times) >= SHORTEST_MS and max(times) - min(times) <= SPREAD_MS


def push(tail: list[Decided], one: Decided) -> None:
    """Keeps the last ones that are even, with `one`; `RUN` at the most."""
    if len(tail) == RUN:
        del tail[0]
    tail.append(one)
    while tail and not is_even(tail):
        del tail[0]


def first_run(days: Iterable[tuple[str, Even]]) -> list[tuple[str, int, int]]:
    """Table, number and milliseconds of the first `RUN` in a row that are even, over days at tables in order; empty:
    there are none."""
    tail: list[tuple[str, int, int]] = []
    for table, even in days:
        for number, took in even.head:
            tail.append((table, number, took))
            while not is_even([(at, ms) for _, at, ms in tail]):
                del tail[0]
            if len(tail) == RUN:
                return tail
        if even.run:
            return [(table, *each) for each in even.run]
        if not even.whole:
            tail = [(table, *each) for each in even.tail]
    return []
