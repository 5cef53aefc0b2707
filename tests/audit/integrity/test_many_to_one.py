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
    assert case.evidence == {
        "to": "bob", "big_blinds": net // 100, "stakes": [("EUR", 100)], "net": {"EUR": net},
        "strangers": accounts, "lost_to_it": accounts,
    }  # fmt: skip
    if len(hands) == accounts:
        assert chip_flow(hands, NOW) == []


@pytest.mark.parametrize(
    "beside",
    [
        [lost(100, "mule-1", 15_000, big_blind=10_000)],
        [lost(100, "zoe", -300_000, currency="MOP")],
        [lost(n, "zoe", -1_000, big_blind=2) for n in range(100, 140)],
        [lost(n, "zoe", (-1) ** n * 9_000_000, big_blind=100_000) for n in range(100, 140)],
    ],
    ids=["a folded blind at a high table", "another currency", "a cheap table", "a high one"],
)
def test_no_other_table_hides_it(beside: list[PlayedHand]) -> None:
    (case,) = chips_to_one([*stacks(40), *beside], NOW, WINDOW_MS)
    assert (case.players, case.evidence["lost_to_it"]) == (("bob",), 40)
    assert {number for _, number in case.hands} >= set(range(40))


def test_chips_that_are_worth_little_do_not_stand_before_others() -> None:
    """At the cheap table bob lost to zoe what keeps all together from being a case."""
    cheap = [lost(n, f"mule-{n}", 200, big_blind=2) for n in range(100, 140)]
    back = [lost(n, "zoe", -2_000, big_blind=20) for n in range(200, 290)]
    (case,) = chips_to_one([*stacks(40), *back, *cheap], NOW, WINDOW_MS)
    told = [case.evidence, *case.evidence["also"]]
    assert [each["net"]["EUR"] for each in told] == [400_000, 8_000]


def test_a_few_stacks_at_each_of_several_stakes_are_counted_together() -> None:
    hands = [lost(n, f"mule-{n}", 100 * blind, big_blind=blind) for n, blind in enumerate((100, 200, 500) * 12)]
    (case,) = chips_to_one(hands, NOW, WINDOW_MS)
    assert (case.evidence["big_blinds"], len(case.hands)) == (3_600, 36)


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
