"""In which order the tests run: with `-n` the longest files first, so that no worker ends long after the others."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def longest_first(files: Sequence[tuple[float, Sequence[T]]], workers: int) -> list[T]:
    """Items of (weight, items of one file), as xdist's `worksteal` is to be given them.

    It cuts the list into one piece of the same length for each worker, and who is done takes from the end of another's
    piece: so each piece begins with its share of the long files, the longest of them first, and the short ones follow.
    The items of a file stay together: they share fixtures.
    """
    rest = sorted(files, key=lambda file: -file[0])
    size = sum(len(items) for _, items in files) / workers
    pieces: list[list[T]] = [[] for _ in range(workers)]
    loads = [0.0] * workers
    while rest and rest[0][0]:
        weight, items = rest.pop(0)
        least = loads.index(min(loads))
        loads[least] += weight
        pieces[least] += items
    for _, items in rest:
        piece = next((each for each in pieces if len(each) < size), pieces[-1])
        piece += items
    return [item for piece in pieces for item in piece]
