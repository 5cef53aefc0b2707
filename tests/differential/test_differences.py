"""One scripted hand for each deliberate difference, and the list in the docs."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from libs.cards.card import DECK, parse_all
from tests.differential.differences import RULES
from tests.differential.ours import Ours
from tests.differential.play import SideBySide
from tests.differential.setting import Setting
from tests.differential.theirs import Theirs
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL

DOCS = Path(__file__).parents[2] / "docs" / "differences-from-pokerkit.md"
SIX = {1: 9000, 2: 9000, 3: 9000, 4: 9000, 5: 9000, 6: 9000}
FIXED = {"structure": "limit_raise_count", "raise_cap": 3}
CAPPED = {"rulebook": MACAU, "structure": "pot_limit_with_raise_cap", "raise_cap": 1}


def setting(stacks: dict[int, int], button: int, **changes: Any) -> Setting:
    usual = {"rulebook": PORTUGAL, "structure": "no_limit", "small": 50, "big": 100, "cards": DECK}
    return Setting(**{**usual, "stacks": stacks, "button": button, **changes})


def royal_board() -> tuple[int, ...]:
    """Hold'em for four with burns: the board alone is a royal flush, so that all tie."""
    board = parse_all("Ts Js Qs Ks As")
    rest = iter([card for card in DECK if card not in board])
    places = dict(zip((9, 10, 11, 13, 15), board, strict=True))
    return tuple(places[place] if place in places else next(rest) for place in range(52))


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PokerKit warns of folds where checking is free
        yield


HANDS: dict[str, tuple[Setting, tuple[str, ...]]] = {
    "half_pot_limit": (setting(SIX, 6, structure="limit_half_pot"), ("3 raise 225",)),
    "heads_up_size_unlimited": (setting({1: 9000, 2: 9000}, 1, **CAPPED, size_unlimited=True), ("1 raise 5000",)),
    "raise_cap_lifted_heads_up": (
        setting({1: 9000, 2: 9000}, 1, **FIXED, lifted_heads_up=True),
        ("1 raise 200", "2 raise 300", "1 raise 400", "2 raise 500"),
    ),
    "short_all_in_before_a_full_bet": (
        setting({1: 9000, 2: 9000, 3: 160}, 1),
        ("1 call", "2 call", "3 check", "2 check", "3 raise 60", "1 call", "2 call"),
    ),
    "short_all_ins_counted_together": (
        setting({**SIX, 4: 800, 5: 1100, 6: 1200}, 6),
        ("3 raise 600", "4 raise 800", "5 raise 1100", "6 raise 1200", "1 fold", "2 call", "3 call"),
    ),
    "short_all_in_is_no_raise": (setting({**SIX, 3: 150}, 6, **CAPPED), ("3 raise 150", "4 call")),
    "fixed_limit_half_bet": (setting({**SIX, 3: 130}, 6, **FIXED), ("3 raise 130", "4 call")),
    "equal_blinds_heads_up": (setting({1: 9000, 2: 9000}, 1, small=100), ("1 check",)),
    "no_choice_no_decision": (setting({1: 9000, 2: 9000, 3: 100}, 3), ("3 call", "1 call", "2 check", "1 fold")),
    "last_bet_stays_in_part": (
        setting(SIX, 6),
        ("3 raise 300", "4 fold", "5 fold", "6 fold", "1 fold", "2 fold"),
    ),
    "unmatched_ante_stays": (setting({5: 1781, 9: 36}, 9, rulebook=COMMON_OMAHA, structure="pot_limit", ante=44), ()),
    "odd_units": (
        setting({1: 9000, 2: 9000, 3: 9000, 4: 9000}, 4, rulebook=HOLDEM, cards=royal_board()),
        ("3 call", "4 call", "1 fold", "2 check"),
    ),
}


@pytest.mark.parametrize("name", HANDS)
def test_each_difference_shows_in_its_hand_and_in_nothing_else(name: str) -> None:
    drawn, acts = HANDS[name]
    outcome = SideBySide(drawn).script(*acts).play(_passive)
    assert set(outcome.differences) == {name}


def _passive(low: int, high: int) -> int:
    """Neither raise nor fold."""
    return 40


def test_the_whole_blind_is_owed_where_its_poster_is_short() -> None:
    drawn = setting({1: 9000, 2: 9000, 3: 60}, 1, rulebook=COMMON_OMAHA, structure="pot_limit")
    ours = Ours(drawn)
    theirs = Theirs(drawn, ours)
    assert ours.offer is not None
    assert theirs.offer is not None
    assert (ours.offer.seat, ours.offer.call) == (1, 100)
    assert (theirs.offer.seat, theirs.offer.call) == (1, 60)


def test_every_difference_is_explained_and_shown() -> None:
    explained = re.findall(r"^### (\w+)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(RULES)
    assert {*HANDS, "whole_blind_owed"} == set(RULES)
