"""The same stack for everybody, in the same chips (pt-810-2015 41)."""

from collections.abc import Mapping


def adds_up(stack: int, composition: Mapping[int, int]) -> bool:
    """`composition`: how many of each denomination everybody starts with."""
    return all(value > 0 and count > 0 for value, count in composition.items()) and stack == sum(
        value * count for value, count in composition.items()
    )


def in_play(stack: int, entries: int, bought: int = 0, taken: int = 0) -> int:
    """All chips of the tournament: stacks, rebuys and add-ons, less what was taken out of play (FP-16)."""
    return stack * entries + bought - taken
