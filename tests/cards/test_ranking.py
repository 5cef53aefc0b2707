"""Every ranking case of both Omaha matrices, read from the regulations, and a cross-check on random deals."""

import random
import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from phevaluator import evaluate_cards

from libs.cards.card import DECK, name_of, names_of, parse, parse_all
from libs.cards.ranking import category_of, omaha_best_five, omaha_strength

_CARDS = r"(?:[2-9TJQKA][cdhs] ?)+"
_GIVEN = re.compile(rf"Board ({_CARDS})\s*; A holds ({_CARDS})\s*; B holds ({_CARDS})")
_SAYS = re.compile(rf"([AB]) has ([a-z ]+) \(({_CARDS}) with ({_CARDS})\)")
_MATRICES = {"pt-811-2015": "pt-811-2015-omaha-online.yaml", "mo-97-2010": "mo-97-2010-omaha.yaml"}


def _cases(shared: Path) -> list[tuple[str, str, dict[str, str]]]:
    found = []
    for regulation, file in _MATRICES.items():
        matrix = yaml.safe_load((shared / "regulations" / file).read_text(encoding="utf-8"))
        for rule in matrix["rules"]:
            found += [
                (regulation, rule["ref"], case)
                for case in rule.get("accept", [])
                if _GIVEN.search(" ".join(str(case["given"]).split()))
            ]
    return found


def test_every_ranking_case_of_the_matrices(shared: Path) -> None:
    """All at once, so it shows none of them: each is shown at a table (test_best_hands.py, test_macau_hands.py)."""
    cases = _cases(shared)
    assert len(cases) > 50
    for regulation, ref, case in cases:
        _check(f"{regulation} {ref}", case)


def _check(where: str, case: dict[str, Any]) -> None:
    given, then = (" ".join(str(case[part]).split()) for part in ("given", "then"))
    match = _GIVEN.search(given)
    assert match is not None
    board, *holes = (parse_all(cards) for cards in match.groups())
    hands = dict(zip("AB", holes, strict=True))
    said = {who: (category, two, three) for who, category, two, three in _SAYS.findall(then)}
    assert set(said) == {"A", "B"}, where
    for who, (category, two, three) in said.items():
        best = omaha_best_five(hands[who], board)
        assert best.category == category.replace(" ", "_"), (where, who)
        assert best.strength == evaluate_cards(*parse_all(two), *parse_all(three)), (where, who)
        assert set(best.hole_used) <= set(hands[who])
        assert set(best.board_used) <= set(board)
    a, b = (omaha_strength(hands[who], board) for who in "AB")
    outcome = "tie" if a == b else "A wins" if a < b else "B wins"
    assert outcome in then, (where, outcome)


@pytest.mark.rule("pt-811-2015", "29")
def test_strengths_fall_into_ten_groups_in_order() -> None:
    order = [category_of(strength) for strength in range(1, 7463)]
    assert list(dict.fromkeys(order)) == [
        "royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush",
        "straight", "three_of_a_kind", "two_pair", "pair", "high_card",
    ]  # fmt: skip
    counts = [order.count(category) for category in dict.fromkeys(order)]
    assert counts == [1, 9, 156, 156, 1277, 10, 858, 858, 2860, 1277]


@pytest.mark.parametrize("strength", [0, -1, 7463])
def test_a_number_that_is_no_strength_is_named(strength: int) -> None:
    with pytest.raises(ValueError, match=f"no such strength: {strength}$"):
        category_of(strength)


@pytest.mark.rule("pt-811-2015", "29")
@pytest.mark.parametrize("deals", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_deals_agree_with_an_evaluator_of_our_own(deals: int) -> None:
    """All sixty ways of two and three, compared by an evaluator that shares no code with the library."""
    rng = random.Random(811)
    for _ in range(deals):
        cards = rng.sample(DECK, 13)
        board, holes = cards[:5], (cards[5:9], cards[9:13])
        threes = [_half(three) for three in combinations(board, 3)]
        ours = [_best_of(hole, threes) for hole in holes]
        theirs = [omaha_strength(hole, board) for hole in holes]
        assert (ours[0] > ours[1]) == (theirs[0] < theirs[1])
        assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])


def _best_of(hole: list[int], threes: list[tuple[tuple[int, ...], int]]) -> int:
    best = 0
    for two in combinations(hole, 2):
        ranks, suit = _half(two)
        for three, its in threes:
            strength = _plain_rank(ranks + three, suit == its != _MIXED)
            best = max(best, strength)
    return best


_MIXED = 4


def _half(cards: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Ranks, and the suit when it is one."""
    suits = {card % 4 for card in cards}
    return tuple(card // 4 for card in cards), suits.pop() if len(suits) == 1 else _MIXED


@cache
def _plain_rank(five: tuple[int, ...], flush: bool) -> int:
    """Higher is better."""
    ranks = sorted(five, reverse=True)
    if ranks == [12, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    shape = [count for count, _ in groups]
    straight = len(groups) == 5 and ranks[0] - ranks[4] == 4
    kind = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(tuple(shape), 0)
    if flush or straight:
        kind = 8 if flush and straight else 5 if flush else 4
    value = kind
    for place in range(5):
        value = value * 16 + (groups[place][1] + 1 if place < len(groups) else 0)
    return value


@pytest.mark.rule("pt-811-2015", "4.b")
def test_a_deck_is_thirteen_ranks_in_four_suits() -> None:
    assert len(DECK) == len({name_of(card) for card in DECK}) == 52
    assert parse("Th") == 34
    assert [parse(name) for name in names_of(DECK)] == list(DECK)


@pytest.mark.parametrize("wrong", ["", "T", "1h", "Tx", "th", "10h", "Joker"])
def test_what_is_no_card_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="not a card"):
        parse(wrong)


def test_no_card_below_zero() -> None:
    with pytest.raises(IndexError):
        name_of(-1)
