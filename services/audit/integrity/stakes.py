"""Chips that change hands, by currency and stake: what goes at one hides nothing of another (pt-811-2015 11.e)."""

from collections.abc import Iterable
from itertools import combinations, groupby

Stake = tuple[str, int]
"""Currency and big blind."""
Row = tuple[Stake, ...]
BIG_BLIND = 1_000
"""Big blinds are counted in thousandths."""


def in_big_blinds(amount: int, big_blind: int) -> int:
    """Thousandths, towards zero. Without a big blind each minor unit counts as one: that hides nothing, either."""
    part = abs(amount) * BIG_BLIND // (big_blind or 1)
    return part if amount >= 0 else -part


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
