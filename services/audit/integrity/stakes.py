"""Chips that change hands, by currency and stake: what goes at one hides nothing of another (pt-811-2015 11.e)."""

from array import array
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, groupby
from math import cosh, log
from statistics import median_low

Stake = tuple[str, int]
"""Currency and big blind."""
Row = tuple[Stake, ...]
BIG_BLIND = 1_000
"""Big blinds are counted in thousandths; stacks, and buy-ins of tournaments, too."""
FEW = 4
"""A stranger to somebody is of whom so many hands were half of all that went between the two (in squares) or more. So
nobody becomes a known opponent by hands that are folded, or by small pots; who played a thousand hands together is."""
STACKS = 3
"""As many whole stacks count as much as a hundred big blinds, where they are less: at a table where everybody sits down
with ten big blinds nobody loses a hundred soon."""


def in_big_blinds(amount: int, big_blind: int, stack: int = 0) -> int:
    """Thousandths, towards zero. Without a big blind each minor unit counts as one: that hides nothing, either.

    `stack`: what one sits down with where that is short, else 0: three of them are counted as a hundred big blinds.
    """
    part = abs(amount) * 100 * BIG_BLIND // (STACKS * stack) if stack else abs(amount) * BIG_BLIND // (big_blind or 1)
    return part if amount >= 0 else -part


def squared_in_big_blinds(squares: int, big_blind: int, stack: int = 0) -> int:
    """Of a sum of squares of amounts that of what they are in big blinds, as `in_big_blinds` counts them."""
    part, of = (100 * BIG_BLIND, STACKS * stack) if stack else (BIG_BLIND, big_blind or 1)
    return squares * part**2 // of**2


def squared_in_stacks(squares: int, stack: int) -> int:
    return squares * BIG_BLIND**2 // stack**2 if stack else 0


def in_stacks(amount: int, stack: int) -> int:
    """Thousandths; 0 where stacks are not short."""
    return amount * BIG_BLIND // stack if stack else 0


SLOPES = tuple(0.02 * 1.5**n for n in range(15))
"""From many small sums to a few that all went one way, each for the largest of them."""

Short = Mapping[tuple[str, Stake], int]
"""By table and stake what one sits down with, minor units: where three such are less than a hundred big blinds."""


class Stacks:
    """What one sits down with, by table and stake: the middle one of all stacks in a sitting's first hand there.

    No player chooses it: the table's rules bound a buy-in, and what was won is in later hands of the sitting.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Stake], tuple[set[int], array[int]]] = {}

    def note(self, table: str, stake: Stake, stacks: Iterable[tuple[str | bytes, int]]) -> None:
        """`stacks`: sitting, and what it had before the hand, minor units. Hands, or days, come in order."""
        known, first = self._seen.setdefault((table, stake), (set(), array("q")))
        for sitting, stack in stacks:
            # A number for each sitting: a month has as many as there are evenings.
            if (number := hash(sitting)) not in known and stack > 0:
                known.add(number)
                first.append(stack)

    def known(self) -> Collection[tuple[str, Stake]]:
        """Of which tables and stakes there is any."""
        return [where for where, (_, first) in self._seen.items() if first]

    def short(self) -> Short:
        middle = {where: median_low(first) for where, (_, first) in self._seen.items() if first}
        return {where: stack for where, stack in middle.items() if STACKS * stack < 100 * where[1][1]}


def judged_apart(stakes: Iterable[Stake]) -> list[Row]:
    """What is judged for itself, in big blinds: all together, and of each currency each stake and every row of
    neighbouring ones, the longest first, then the dearest.

    A stake alone, so that nothing at another hides it; all from one stake upwards, so that many big blinds played back
    at a cheap table hide nothing of the money that goes at dear ones: where none of these rows is n big blinds one way,
    all that went in the currency is worth less than n of the dearest big blinds (summation by parts).
    """
    ordered = sorted(set(stakes))
    rows = {tuple(ordered)}
    for _, of_one in groupby(ordered, key=lambda stake: stake[0]):
        same = tuple(of_one)
        rows |= {same[first:end] for first, end in combinations(range(len(same) + 1), 2)}
    return sorted(rows, key=lambda row: (-len(row), [(currency, -big_blind) for currency, big_blind in row]))


def luck_squared(luck: int, sums: int) -> int:
    """The square of the bound where so many sums are looked at: above it one of them comes by luck no more often than
    a single one comes above `luck`, since that falls with e to the minus half of the square."""
    return luck**2 + 2 * (sums - 1).bit_length()


def unlikely(parts: Collection[int]) -> float:
    """How unlikely it is that these come to as much or more, each of which might as well be below zero: as minus the
    logarithm of a bound of the chance (Chernoff's). Of a few equal ones that is far less than by the roots of squares.
    """
    largest = max(map(abs, parts), default=0) or 1
    net, shares = sum(parts) / largest, [part / largest for part in parts]
    return max(slope * net - sum(log(cosh(slope * share)) for share in shares) for slope in SLOPES)
