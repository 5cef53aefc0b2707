"""A stack is shown in the chips of the rules."""

from libs.contracts.tournaments import Denomination
from libs.views.shown_chips import shown

_CHIPS = {25: 8, 100: 8, 500: 4, 1_000: 7}


def test_a_stack_is_shown_in_its_chips() -> None:
    composition = [Denomination(value=value, count=count) for value, count in _CHIPS.items()]
    assert shown(10_000, composition, 10_000) == composition[::-1]
    later = shown(12_653, composition, 10_000)
    assert [(each.value, each.count) for each in later] == [(1_000, 12), (500, 1), (100, 1), (25, 2), (1, 3)]
    assert sum(each.value * each.count for each in later) == 12_653
    assert shown(12_653, [], 10_000) == []
