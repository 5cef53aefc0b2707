"""The same chips for everybody: a composition adds up, and a stack is shown in it."""

from libs.contracts.tournaments import Denomination
from libs.views.shown_chips import shown
from services.tournament.domain.play.chips import adds_up, in_play

_CHIPS = {25: 8, 100: 8, 500: 4, 1_000: 7}


def test_a_composition_adds_up_to_the_stack() -> None:
    assert adds_up(10_000, _CHIPS)
    assert not adds_up(10_025, _CHIPS)
    assert not adds_up(10_000, {**_CHIPS, 5: 0})
    assert not adds_up(0, {-25: 4, 25: 4})


def test_a_stack_is_shown_in_its_chips() -> None:
    composition = [Denomination(value=value, count=count) for value, count in _CHIPS.items()]
    assert shown(10_000, composition, 10_000) == composition[::-1]
    later = shown(12_653, composition, 10_000)
    assert [(each.value, each.count) for each in later] == [(1_000, 12), (500, 1), (100, 1), (25, 2), (1, 3)]
    assert sum(each.value * each.count for each in later) == 12_653
    assert shown(12_653, [], 10_000) == []


def test_all_chips_of_a_tournament() -> None:
    assert in_play(10_000, 36, 14 * 10_000 + 18 * 15_000) == 770_000
    assert in_play(10_000, 9, taken=14_000) == 76_000
