"""How strong cards in the open are, in the auditor's own words: names in, no rule of the table's own code.

Hold'em: the best five of seven. Omaha: two of the hand, three of the board (pt-811-2015 26). Sintético: both cards and
three of the board, a flush above a full house, the ace also below the eight (field practice).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from phevaluator import _pheval

from libs.cards.variants import Variant

Worth = tuple[int, list[int]]
"""Kind of hand, and its ranks in the order in which they are compared; the larger wins."""
Strength = tuple[int, ...]
"""The larger wins, equal ones tie; of one variant."""
RANKS = "23456789TJQKA"
ACE, KING = 12, 11
HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH, ROYAL = range(10)
_GROUPS = {(4, 1): FOUR, (3, 2): FULL, (3, 1, 1): THREE, (2, 2, 1): TWO_PAIRS, (2, 1, 1, 1): PAIR}

_NUMBERS: Mapping[str, int] = {
    rank + suit: 4 * high + low for high, rank in enumerate(RANKS) for low, suit in enumerate("cdhs")
}
"""As phevaluator counts cards."""
_of_seven: Callable[..., int] = _pheval.evaluate_7cards
_of_omaha: Callable[..., int] = _pheval.evaluate_omaha_cards
HOLE_CARDS: Mapping[Variant, int] = {"holdem": 2, "omaha": 4, "sintetico": 2}
_BOARD = 5
_LOWEST = [ACE, 9, 8, 7, 6]
"""Ace, jack, ten, nine, eight: the lowest straight of sintético, which elsewhere is none."""
_IN_SINTETICO = {HIGH_CARD: STRAIGHT, FLUSH: STRAIGHT_FLUSH}
_SWAPPED = {FLUSH: FULL, FULL: FLUSH}


def worth(cards: Sequence[str]) -> Worth:
    """Of five cards."""
    counted = Counter(RANKS.index(card[0]) for card in cards)
    ranks = sorted(counted, key=lambda rank: (counted[rank], rank), reverse=True)
    groups = tuple(counted[rank] for rank in ranks)
    if groups in _GROUPS:
        return _GROUPS[groups], ranks
    if ranks == [ACE, 3, 2, 1, 0]:
        ranks = [3, 2, 1, 0, -1]  # pt-803-2015 8: the ace is one.
    in_a_row = ranks[0] - ranks[4] == 4
    if len({card[1] for card in cards}) > 1:
        return (STRAIGHT if in_a_row else HIGH_CARD), ranks
    if not in_a_row:
        return FLUSH, ranks
    return (ROYAL if ranks[0] == ACE else STRAIGHT_FLUSH), ranks


def strength(variant: Variant, hole: Sequence[str], board: Sequence[str]) -> Strength | None:
    """None where these are not the different cards that a showdown of this variant needs."""
    cards = {*hole, *board}
    if (len(hole), len(board)) != (HOLE_CARDS[variant], _BOARD) or len(cards) != len(hole) + _BOARD:
        return None
    if not cards <= _NUMBERS.keys():
        return None
    if variant == "sintetico":
        return max(_of_sintetico([*hole, *three]) for three in combinations(board, 3))
    numbers = [_NUMBERS[card] for card in (*board, *hole)]  # phevaluator takes the board first
    return (-(_of_omaha if variant == "omaha" else _of_seven)(*numbers),)


def _of_sintetico(cards: Sequence[str]) -> Strength:
    kind, ranks = worth(cards)
    if ranks == _LOWEST:
        kind, ranks = _IN_SINTETICO[kind], ranks[1:]
    return _SWAPPED.get(kind, kind), *ranks
