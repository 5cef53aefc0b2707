"""Sums of days at tables say what the hands say, wherever a day ends."""

from collections import Counter, deque
from contextlib import closing
from random import Random

import pytest
from msgspec.structs import replace

from services.audit.integrity.acts import Acted, PlayedHand
from services.audit.integrity.evenness import RUN, SHORTEST_MS, SPREAD_MS, Even, first_run
from services.audit.integrity.folds import LargePots, cheap_folds
from services.audit.integrity.sums import numbers_of
from tests.audit.integrity.folded import chip_flow, chips_to_one, month_of, soft_play
from tests.audit.integrity.test_checks import DAY, NOW, fought, hand, passed, quiet


def even_by_hand(times: list[int]) -> list[int]:
    """The first `RUN` in a row that are even, one after the other."""
    last: deque[int] = deque(maxlen=RUN)
    for took in times:
        last.append(took)
        if len(last) == RUN and min(last) >= SHORTEST_MS and max(last) - min(last) <= SPREAD_MS:
            return list(last)
    return []


@pytest.mark.parametrize("seed", range(40))
def test_a_run_is_found_wherever_days_end(seed: int) -> None:
    dice = Random(seed)
    times = [dice.choice((1_000, 1_050, 1_100)) for _ in range(dice.randrange(150, 700))]
    for _ in range(dice.randrange(4)):
        times[dice.randrange(len(times))] = dice.choice((100, 2_000, 1_000))
    days: list[tuple[str, Even]] = [("t", Even())]
    for number, took in enumerate(times):
        if dice.random() < dice.choice((0.0, 0.01, 0.5)):
            days.append(("t", Even()))
        days[-1][1].add(number, took)
    assert [took for *_, took in first_run(days)] == even_by_hand(times)


def test_of_a_persons_decisions_hardly_any_are_held() -> None:
    dice, even = Random(1), Even()
    for number in range(5_000):
        even.add(number, dice.randrange(500, 9_000))
    assert (even.count, even.run) == (5_000, [])
    assert len(even.head) + len(even.tail) < 10


def test_pots_without_a_bet_are_in_a_row_over_days_and_tables() -> None:
    days = [[quiet(n, at=NOW - (3 - day) * DAY) for n in range(day * 100, day * 100 + 100)] for day in range(2)]
    (case,) = soft_play([*days[0], *days[1]], NOW)
    assert case.evidence == {"pots": 200, "bets": 0, "in_a_row_without": 200}
    bet = [fought(n) for n in range(200, 206)]  # a day before NOW: later
    (case,) = soft_play([*days[0], *days[1], *bet, quiet(206)], NOW)
    assert case.evidence == {"pots": 207, "bets": 6, "in_a_row_without": 200}
    assert soft_play([*days[0][1:], *days[1], *bet, quiet(206)], NOW) == []


def random_hands(dice: Random, count: int) -> list[PlayedHand]:
    """At three tables, over 29 days; six players, three in a hand."""
    hands = []
    for number in range(count):
        players = dict(enumerate(dice.sample(["ann", "bob", "cem", "dan", "eve", "fay"], 3), 1))
        lost, shared = dice.randrange(1, 20_000), dice.randrange(10_000)
        nets = {1: -lost, 2: lost * shared // 10_000, 3: lost - lost * shared // 10_000}
        acts = (Acted(3, "fold", 1), Acted(1, dice.choice(("bet", "check")), 2, lost), Acted(2, "call", 3, lost))
        at = NOW - 29 * DAY + number * (28 * DAY // count)
        fields = {"players": players, "nets": nets, "big_blind": dice.choice((100, 200))}
        one = hand(number, *acts, at=at, stacks=dict.fromkeys(players, dice.choice((1_000, 30_000))), **fields)
        hands.append(replace(one, id=(f"t{number % 3}", number)))
    return hands


@pytest.mark.parametrize("seed", range(5))
def test_what_days_say_is_what_the_hands_say(seed: int) -> None:
    hands = random_hands(Random(seed), 400)
    lost, numbers = Counter[tuple[str, str, int]](), Counter[tuple[str, str]]()
    squares, pots, folds = Counter[tuple[str, ...]](), LargePots(), 0
    for each in hands:
        pots.note(each)
        folds += len(list(cheap_folds(each)))
        for (loser, winner), amount in each.flows().items():
            lost[loser, winner, each.big_blind] += amount
            numbers[loser, winner] += 1
            squares[tuple(sorted((loser, winner)))] += amount**2
    with closing(month_of(hands, NOW, files=3)) as month:
        kept, ids = Counter[tuple[str, str, int]](), Counter[tuple[str, str]]()
        kept_squares = Counter[tuple[str, ...]]()
        for (first, second), went in month.went:
            for there in went:
                for loser, winner, way in ((first, second, True), (second, first, False)):
                    kept[loser, winner, there.big_blind] += there.went.lost[way]
                    ids[loser, winner] += len(list(there.hands(way)))
                kept_squares[first, second] += there.went.squares
        assert (+kept, +ids, +kept_squares) == (+lost, +numbers, +squares)
        assert {pair: sum(large) for pair, large in month.pots} == dict(pots.pairs)
        assert month.pots_of == pots.players
        assert len(month.folds) == folds
        together = {n for who in month.together["hands"] for raw in who.hands.values() for n in numbers_of(raw)}
        assert together == set(range(400))


def test_a_sum_of_squares_is_no_less_where_a_database_has_no_room_for_it() -> None:
    hands = [passed(number, 5 * 10**9, big_blind=10**7) for number in range(12)]
    (case,) = chip_flow(hands, NOW)
    assert case.evidence["net"] == {"EUR": 60 * 10**9}
    assert chips_to_one(hands, NOW) == []
