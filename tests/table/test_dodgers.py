"""Not habits but everything: all states of a small table that some who come and go can bring about, and the best one.

Who stays pays on the average no more than of two, whatever the two others do; of two who stay neither pays for the
other by what costs nobody else anything; and nobody is the big blind twice running, but where a rule says so.
"""

import pytest

from tests.table.dodgers import Walk, key
from tests.table.dodging import MACAU, TABLES
from tests.table.play import COMMON_OMAHA, HOLDEM, PORTUGAL

LETTER = "left of the button"
BY_RULE = (PORTUGAL, LETTER, MACAU)
"""Where the button goes on to the next player, whoever came or went: of two the big blind may stay where it was, and
nothing is corrected (pt-811-2015 4.c, 64; mo-97-2010 1.2). Elsewhere the big blind is what goes on."""
MOST = {
    PORTUGAL: 0.13,
    LETTER: 0.13,
    MACAU: 0.13,
    HOLDEM: 0.13,
    COMMON_OMAHA: 0.13,
    "single": 0.17,
    "live": 0.13,
    "dead": 0.13,
}
"""Above equal shares, in big blinds a hand: one of the two is dealt in for the hands in which nothing is due there, so
that shares are smaller, and who stays pays what is paid of two."""
NOISE = 0.01
"""The best way ends where it likes, a blind before or after its round."""
SEATS = (1, 3, 5)
slow = pytest.mark.slow


@pytest.mark.rule("pt-811-2015", "21", "46", "64")
@pytest.mark.rule("mo-97-2010", "1.2")
@pytest.mark.parametrize(
    ("name", "victim", "moves"),
    [
        *[(PORTUGAL, 1, False), (MACAU, 5, False), (HOLDEM, 5, False), ("live", 3, False)],
        *[pytest.param(name, seat, True, marks=slow) for name in MOST for seat in SEATS],
    ],
)
def test_two_who_come_and_go_have_a_third_one_pay_no_more_than_of_two(name: str, victim: int, moves: bool) -> None:
    """Found by an attacker: in Macau 50 of 35, by leaving and sitting down again; big blinds twice running."""
    who, walk = f"p{victim}", Walk(name, SEATS, [seat for seat in SEATS if seat != victim], moves)
    assert walk.most(walk.above(who, of=2)) <= NOISE
    assert walk.most(walk.above(who)) <= MOST[name]
    if name in BY_RULE:
        assert walk.twice() <= {2}
        return
    assert walk.twice() == set()
    assert walk.most(lambda hand: hand.big == who) <= 0.5 + NOISE


@pytest.mark.rule("pt-811-2015", "21", "64")
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", MOST)
def test_one_who_comes_and_goes_for_nothing_has_neither_of_two_pay_for_the_other(name: str, seat: int) -> None:
    """Found by an attacker: by sitting out every second hand, one of them half as much again."""
    walk = Walk(name, SEATS, [seat], moves=True)
    first, second = (f"p{each}" for each in SEATS if each != seat)
    itself = walk.above(f"p{seat}")
    assert walk.most(lambda hand: -itself(hand)) <= NOISE
    assert walk.twice() <= ({2} if name in BY_RULE else set())
    if name == LETTER:
        return  # the one without the button has the small blind, so that the button goes with the big one
    one, other = walk.above(first), walk.above(second)
    assert walk.most(lambda hand: one(hand) - other(hand) - itself(hand)) <= 2 * NOISE
    assert walk.most(lambda hand: other(hand) - one(hand) - itself(hand)) <= 2 * NOISE


@pytest.mark.rule("pt-811-2015", "46", "64")
@pytest.mark.parametrize(
    ("name", "dodgers"),
    [
        *[(name, [seat]) for name in MOST for seat in SEATS],
        *[pytest.param(name, [1, 3], marks=slow) for name in MOST],
    ],
)
def test_who_pauses_the_table_brings_about_nothing_that_they_could_not_without(name: str, dodgers: list[int]) -> None:
    """Found by an attacker: one of the floor alone chose who pays the blinds. To a hand that is left out one comes in
    as to any other."""
    alone, helped = (Walk(name, SEATS, dodgers, pauses=pauses) for pauses in (False, True))
    assert {state: {*found} for state, found in helped.ways.items()} == {
        state: {*found} for state, found in alone.ways.items()
    }


@slow
@pytest.mark.parametrize("name", MOST)
@pytest.mark.parametrize("seat", [1, 3, 5, 7])
def test_of_four_one_who_comes_and_goes_pays_no_less(name: str, seat: int) -> None:
    walk = Walk(name, (1, 3, 5, 7), [seat], moves=True)
    itself = walk.above(f"p{seat}")
    assert walk.most(lambda hand: -itself(hand)) <= NOISE
    assert walk.twice() <= {2}


def test_every_table_with_a_button_is_walked() -> None:
    walked = {name: TABLES[name] for name in MOST}
    assert {rulebook for rulebook, _ in TABLES.values()} - {rulebook for rulebook, _ in walked.values()} == {
        "pt-217-2007-holdem",
        "pt-217-2007-omaha",
    }


def test_a_walk_finds_what_can_be_reached() -> None:
    walk = Walk(HOLDEM, SEATS, (5,))
    assert {*walk.ways} == {*walk.states}
    assert all(key(state) == each for each, state in walk.states.items())
    assert {len(each.paid) for found in walk.ways.values() for came in found.values() for each in came} == {2, 3}
