"""Folds of almost the whole stack: chips lost on purpose (pt-811-2015 11.e)."""

from collections.abc import Sequence
from typing import NamedTuple

from services.audit.integrity.acts import Acted, PlayedHand
from services.audit.integrity.cases import HandId

LARGE_POT_BIG_BLINDS = 50
ALONE_BIG_BLINDS = 100
ALMOST_ALL_BP = 9_000


class Dump(NamedTuple):
    """A fold that may be told. `staked` in minor units; `alone`: one is enough; `by_house`: the clock folded, or the
    player left."""

    hand: HandId
    loser: str
    winner: str
    staked: int
    sitting: str
    alone: bool = False
    by_house: bool = False


def dump_of(hand: PlayedHand) -> Dump | None:
    """The fold of almost the whole stack in a large pot between two, if it is in the hand."""
    left = set(hand.players)
    for place, act in enumerate(hand.acts):
        if act.action != "fold":
            continue
        before, left = left, left - {act.seat}
        if len(before) == 2 and len(left) == 1:
            return _dump(hand, act, left.pop(), hand.acts[:place])
    return None


def _dump(hand: PlayedHand, fold: Acted, gained: int, before: Sequence[Acted]) -> Dump | None:
    pot, stake, stack = sum(each.amount for each in before), hand.put_in(fold.seat), hand.stacks[fold.seat]
    large = pot > LARGE_POT_BIG_BLINDS * hand.big_blind
    if fold.taken_out or not large or stake * 10_000 <= ALMOST_ALL_BP * stack:
        return None
    who = hand.players[fold.seat], hand.players[gained]
    alone = pot >= ALONE_BIG_BLINDS * hand.big_blind and not fold.offline
    return Dump(hand.id, *who, stake, hand.sittings[fold.seat], alone, fold.by_house)
