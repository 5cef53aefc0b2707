"""Good records with one thing wrong: a field dropped, doubled, or replaced by what does not belong there."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

WRONG: tuple[Any, ...] = (
    None, "", "As", "2h 3h", True, -1, 0, 1, 7, 99, 10**12, 10**15, 3.5, [], {}, [None], [[1]], {"seat": 1}, {1: 1},
    ["Zz"], float("inf"), "x" * 300,
)  # fmt: skip


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything inside of it."""
    for key, value in _items(part):
        yield (*path, key)
        yield from places(value, (*path, key))


def corrupted(record: Any, dice: Random) -> tuple[Any, str]:
    """A copy with one thing wrong, and what was done."""
    whole = copy.deepcopy(record)
    path = dice.choice(list(places(whole)))
    *outer, last = path
    holder = whole
    for key in outer:
        holder = holder[key]
    deed = dice.choice(("drop", "replace", "other", "other", "neighbour", "double", "swap", "unknown"))
    if deed == "drop":
        del holder[last]
    elif deed == "double" and isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    elif deed == "swap" and isinstance(holder, list):
        there = dice.randrange(len(holder))
        holder[last], holder[there] = holder[there], holder[last]
    elif deed == "unknown" and isinstance(holder, dict):
        holder["what_is_this"] = 1
    elif deed == "neighbour":
        holder[last] = dice.choice([value for _, value in _items(holder)])
    elif deed == "other":
        holder[last] = copy.deepcopy(dice.choice(list(_called(whole, last))))
    else:
        holder[last] = _near(holder[last], dice)
    if dice.random() < 0.8:
        _renumber(whole)
    return whole, f"{deed} {path}"


def _called(part: Any, name: Any) -> Iterator[Any]:
    """What stands under that name, anywhere."""
    for key, value in _items(part):
        if key == name:
            yield value
        yield from _called(value, name)


def _renumber(part: Any) -> None:
    """Lines that lack one, have one twice or changed places are still numbered from 1."""
    for _, value in _items(part):
        _renumber(value)
    if isinstance(part, list) and all(isinstance(line, dict) and "seq" in line for line in part):
        for number, line in enumerate(part, 1):
            line["seq"] = number


def _near(value: Any, dice: Random) -> Any:
    if type(value) is int and dice.random() < 0.5:
        return value + dice.choice((-1, 1, 100, -value))
    if isinstance(value, str) and value and dice.random() < 0.5:
        return (
            value[: dice.randrange(len(value))] if dice.random() < 0.5 else value + dice.choice((" ", "\n", "x", " As"))
        )
    return copy.deepcopy(dice.choice(WRONG))


def _items(part: Any) -> list[tuple[Any, Any]]:
    if isinstance(part, dict):
        return list(part.items())
    return list(enumerate(part)) if isinstance(part, list) else []
