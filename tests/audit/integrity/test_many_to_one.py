"""Chips of many accounts that end up with one player."""

from random import Random
from typing import Any

import pytest

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.checks import WINDOW_MS, chip_flow
from services.audit.integrity.many_to_one import STRANGER_HANDS, chips_to_one
from tests.audit.integrity.test_checks import DAY, NOW, hand


def lost(number: int, stranger: str, net: int = 10_000, **fields: Any) -> PlayedHand:
    """To bob, at a big blind of 100."""
    return hand(number, players={1: stranger, 2: "bob", 3: "cem"}, nets={1: -net, 2: net, 3: 0}, **fields)


def stacks(accounts: int, hands: int = 1, net: int = 10_000, **fields: Any) -> list[PlayedHand]:
    """From each account so many hands of `net`."""
    return [lost(n, f"mule-{n % accounts}", net, **fields) for n in range(accounts * hands)]


@pytest.mark.parametrize("hands", [stacks(25), stacks(7, 4, 2_500), stacks(25, at=NOW - 20 * DAY)])
def test_a_stack_from_each_of_many_is_a_case_that_no_pair_makes(hands: list[PlayedHand]) -> None:
    (case,) = chips_to_one(hands, NOW, WINDOW_MS)
    assert (case.kind, case.players, len(case.hands)) == ("chips_to_one", ("bob",), len(hands))
    accounts = len({each.players[1] for each in hands})
    net = sum(each.nets[2] for each in hands)
    assert case.evidence == {"to": "bob", "net": net, "strangers": accounts, "lost_to_it": accounts}
    if len(hands) == accounts:
        assert chip_flow(hands, NOW) == []


@pytest.mark.parametrize(
    "hands",
    [
        stacks(24),
        stacks(4, 25, 5_000),
        stacks(25, net=1_900),
        stacks(25, at=NOW - 31 * DAY),
        [*stacks(30), *stacks(10, net=-10_000)],
        [*stacks(25), *(hand(n, players={1: f"mule-{n % 25}", 2: "dan", 3: "eva"}, nets={1: 1, 2: -1, 3: 0})
                        for n in range(25 * STRANGER_HANDS))],
    ],
    ids=["luck", "four accounts", "less than 500 big blinds", "too long ago", "some win it back", "no strangers"],
)  # fmt: skip
def test_what_is_less_is_just_poker(hands: list[PlayedHand]) -> None:
    assert chips_to_one(hands, NOW, WINDOW_MS) == []


def test_who_is_better_than_the_strangers_is_no_case_in_a_month() -> None:
    """Twenty big blinds in a hundred hands, over 200 visitors of sixty hands each."""
    dice = Random(3)
    nets = [dice.choice((-1, 1)) * dice.choice((100, 300, 1_000, 3_000, 10_000)) + 20 for _ in range(12_000)]
    hands = [lost(n, f"visitor-{n // 60}", net) for n, net in enumerate(nets)]
    assert sum(nets) > 0
    assert chips_to_one(hands, NOW, WINDOW_MS) == []
