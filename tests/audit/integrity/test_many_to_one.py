"""Chips of many accounts that end up with one player."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from services.audit.integrity.acts import PlayedHand
from tests.audit.integrity.folded import chip_flow, chips_to_one
from tests.audit.integrity.test_checks import DAY, NOW, hand, of_professionals


def lost(number: int, stranger: str, net: int = 10_000, to: str = "bob", **fields: Any) -> PlayedHand:
    """At a big blind of 100; everybody sits down with 100 big blinds."""
    fields.setdefault("stacks", dict.fromkeys((1, 2, 3), 100 * fields.get("big_blind", 100)))
    return hand(number, players={1: stranger, 2: to, 3: "cem"}, nets={1: -net, 2: net, 3: 0}, **fields)


def stacks(accounts: int, hands: int = 1, net: int = 10_000, **fields: Any) -> list[PlayedHand]:
    """From each account so many hands of `net`."""
    return [lost(n, f"mule-{n % accounts}", net, **fields) for n in range(accounts * hands)]


@pytest.mark.parametrize("hands", [stacks(21), stacks(7, 4, 2_500), stacks(25, at=NOW - 20 * DAY)])
def test_a_stack_from_each_of_many_is_a_case_that_no_pair_makes(hands: list[PlayedHand]) -> None:
    (case,) = chips_to_one(hands, NOW)
    assert (case.kind, case.players, len(case.hands)) == ("chips_to_one", ("bob",), len(hands))
    accounts = len({each.players[1] for each in hands})
    net = sum(each.nets[2] for each in hands)
    assert case.evidence == {
        "to": "bob", "big_blinds": net // 100, "stakes": [("EUR", 100)], "net": {"EUR": net},
        "who": "strangers", "players": accounts, "lost_to_it": accounts,
    }  # fmt: skip
    if len(hands) == accounts:
        assert chip_flow(hands, NOW) == []


@pytest.mark.parametrize("accounts", [2, 4])
def test_few_who_play_with_hardly_anybody_else_are_looked_at_together(accounts: int) -> None:
    """Found by an attacker: three stacks given and one back a day, by each of four; no pair of them is beyond luck."""
    hands = [
        lost(n, f"mule-{n % accounts}", -8_900 if n // accounts % 4 == 1 else 8_900, at=NOW - DAY - n * DAY // 16)
        for n in range(88 * accounts)
    ]
    within = [played for played in hands if played.at >= NOW - 23 * DAY][: 88 * accounts]
    assert chip_flow(within, NOW) == []
    (case,) = chips_to_one(within, NOW)
    assert (case.players, case.evidence["who"]) == (("bob",), "mostly_with_it")


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
    (case,) = chips_to_one([*stacks(40), *beside], NOW)
    assert (case.players, case.evidence["lost_to_it"]) == (("bob",), 40)
    assert {number for _, number in case.hands} >= set(range(40))


def test_chips_that_are_worth_little_do_not_stand_before_others() -> None:
    """At another table bob lost what keeps all together from being a case."""
    cheap = [lost(n, f"mule-{n}", 200, big_blind=2) for n in range(100, 140)]
    back = [lost(n, f"zoe-{n}", -2_000, big_blind=20) for n in range(200, 290)]
    (case,) = chips_to_one([*stacks(40), *back, *cheap], NOW)
    told = [case.evidence, *case.evidence["also"]]
    assert [each["net"]["EUR"] for each in told] == [400_000, 8_000]


def test_a_few_stacks_at_each_of_several_stakes_are_counted_together() -> None:
    hands = [lost(n, f"mule-{n}", 100 * blind, big_blind=blind) for n, blind in enumerate((100, 200, 500) * 12)]
    (case,) = chips_to_one(hands, NOW)
    assert (case.evidence["big_blinds"], len(case.hands)) == (3_600, 36)


@pytest.mark.parametrize(
    "hands",
    [
        stacks(20),
        [*stacks(4, 25, 5_000), *(lost(n, f"mule-{n % 4}", 25_000, to="zoe") for n in range(200, 220))],
        stacks(1, 100, 5_000),
        stacks(25, net=1_900),
        stacks(25, at=NOW - 31 * DAY),
        [*stacks(30), *stacks(10, net=-10_000)],
        [*stacks(80), *(lost(n, f"visitor-{n}", -10_000) for n in range(41))],
    ],
    ids=[
        "luck",
        "four accounts who play with others",
        "one account",
        "less than 500 big blinds",
        "too long ago",
        "some win it back",
        "half as many win",
    ],
)
def test_what_is_less_is_just_poker(hands: list[PlayedHand]) -> None:
    assert chips_to_one(hands, NOW) == []


def test_who_is_better_than_the_strangers_is_no_case_in_a_month() -> None:
    """Twenty big blinds in a hundred hands, over 200 visitors of sixty hands each."""
    dice = Random(3)
    nets = [dice.choice((-1, 1)) * dice.choice((100, 300, 1_000, 3_000, 10_000)) + 20 for _ in range(12_000)]
    hands = [lost(n, f"visitor-{n // 60}", net) for n, net in enumerate(nets)]
    assert sum(nets) > 0
    assert chips_to_one(hands, NOW) == []


def between(first: str, second: str, *nets: int, numbers: Iterator[int]) -> list[PlayedHand]:
    """What the first lost to the second, hand by hand."""
    return [hand(next(numbers), players={1: first, 2: second}, nets={1: -net, 2: net}) for net in nets]


MULES = [f"mule-{n}" for n in range(36)]


def given(numbers: Iterator[int]) -> list[PlayedHand]:
    """85 big blinds from each to bob, in a hand."""
    return [each for mule in MULES for each in between(mule, "bob", 8_500, numbers=numbers)]


def disguised(how: str) -> list[PlayedHand]:
    numbers, ring = count(), list(zip(MULES, [*MULES[1:], MULES[0]], strict=True))
    there_and_back = [nets for _ in range(5) for nets in (8_500, -8_500)]
    beside = {
        "alone": [],
        "folds among themselves": [between(*pair, *[50, -50] * 51, numbers=numbers) for pair in ring],
        "folds with bob": [between(mule, "bob", *[50, -50] * 51, numbers=numbers) for mule in MULES],
        "small pots with bob": [between(mule, "bob", *[250, -250] * 150, numbers=numbers) for mule in MULES],
        "stacks there and back": [between(mule, "bob", *there_and_back, numbers=numbers) for mule in MULES],
        "stacks round and round": [between(*pair, *[8_500] * 3, numbers=numbers) for pair in ring],
        "both": [
            *(between(mule, "bob", *there_and_back, numbers=numbers) for mule in MULES),
            *(between(*pair, *[8_500] * 3, numbers=numbers) for pair in ring),
            *([between("bob", f"other-{n}", *[3_000, -3_000] * 30, numbers=numbers) for n in range(40)]),
        ],
        "bob's regulars": [
            between(f"regular-{n}", "bob", *[3_000, -3_100] * 100, numbers=numbers) for n in range(100)
        ],
    }[how]  # fmt: skip
    return [*(each for hands in beside for each in hands), *given(numbers)]


@pytest.mark.parametrize(
    ("how", "who"),
    [
        ("alone", "strangers"),
        ("folds among themselves", "strangers"),
        ("folds with bob", "strangers"),
        ("small pots with bob", "strangers"),
        ("stacks there and back", "own_month"),
        ("stacks round and round", "strangers"),
        ("both", "own_month"),
        ("bob's regulars", "strangers"),
    ],
)
def test_nothing_that_costs_little_hides_who_gave_a_stack(how: str, who: str) -> None:
    """Found by an attacker: 36 accounts folded 101 hands among themselves, and 3,090 big blinds went unseen."""
    (case,) = [case for case in chips_to_one(disguised(how), NOW) if case.players == ("bob",)]
    assert (case.evidence["who"], case.evidence["lost_to_it"]) == (who, 36)
    assert case.evidence["net"] == {"EUR": 306_000}


def test_where_everybody_sits_down_with_ten_big_blinds_fifteen_such_stacks_are_much() -> None:
    short = [lost(n, f"mule-{n}", 900, stacks={1: 1_000, 2: 1_000, 3: 1_000}) for n in range(30)]
    (case,) = chips_to_one(short, NOW)
    assert case.evidence["big_blinds"] == 270
    assert chips_to_one(stacks(30, net=900), NOW) == []


@pytest.mark.parametrize(("visitors", "each"), [(600, 60), (200, 200)])
def test_who_is_better_than_visitors_by_twenty_big_blinds_in_a_hundred_hands_is_no_case(
    visitors: int, each: int
) -> None:
    """Heads-up, 36,000 and 40,000 hands in a month, 16 big blinds from the mean of one hand."""
    dice, pots, often = Random(4), (50, 100, 300, 1_000, 3_000, 10_000), (30, 30, 20, 12, 6, 2)
    mean = sum(pot * part for pot, part in zip(pots, often, strict=True)) / 100
    hands = []
    for number in range(visitors * each):
        (pot,) = dice.choices(pots, often)
        net = pot if dice.random() < 0.5 + 20 / 2 / mean else -pot
        hands.append(hand(number, players={1: f"visitor-{number // each}", 2: "bob"}, nets={1: -net, 2: net}))
    assert sum(each.nets[2] for each in hands) > 0
    assert [case for case in chips_to_one(hands, NOW) if case.players == ("bob",)] == []


def test_professionals_and_their_visitors_are_no_case(shared: Path) -> None:
    """10,000 real hands; and, for each of the professionals, those with everybody else gone after forty hands."""
    hands = of_professionals(shared)
    assert chips_to_one(hands, NOW) == []
    for player in sorted({player for each in hands for player in each.players.values()}):
        apart = [
            replace(
                each,
                players={s: p if p == player else f"{p}.{each.at}.{each.id[1] // 40}" for s, p in each.players.items()},
            )
            for each in hands
            if player in each.players.values()
        ]
        assert [case.players for case in chips_to_one(apart, NOW) if case.players == (player,)] == []
