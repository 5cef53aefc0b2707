"""The chips that a tournament stack is shown in (pt-810-2015 41)."""

from collections.abc import Sequence

from libs.contracts.tournaments import Denomination


def shown(amount: int, composition: Sequence[Denomination], stack: int) -> list[Denomination]:
    """Highest first: at the start exactly the composition, later as few as make it (reading of 41); none where the
    rules lay down no composition.

    What is below the smallest denomination is shown as chips of one.
    """
    chips = {each.value: each.count for each in composition}
    if composition and amount != stack:
        values, chips = sorted({1, *chips}, reverse=True), {}
        for value in values:
            chips[value], amount = divmod(amount, value)
    return [Denomination(value=value, count=count) for value, count in sorted(chips.items(), reverse=True) if count]
