"""Chips lost on purpose: almost the whole stack into a large pot between two, and then a fold (pt-811-2015 11.e)."""

from collections.abc import Iterable

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case, HandId

TIMES = 3
LARGE_POT_BIG_BLINDS = 50
ALMOST_ALL_BP = 9_000


def chip_dumping(hands: Iterable[PlayedHand], times: int = TIMES) -> list[Case]:
    """A case where one sitting has folded so at least `times` times to the same player."""
    found: dict[tuple[str, str, str], list[HandId]] = {}
    for hand in hands:
        dumped = _dumped(hand)
        if dumped is not None:
            loser, winner = dumped
            key = (hand.sittings[loser], hand.players[loser], hand.players[winner])
            found.setdefault(key, []).append(hand.id)
    return [
        Case(
            kind="chip_dumping",
            players=(loser, winner),
            hands=tuple(ids),
            evidence={"from": loser, "to": winner, "times": len(ids), "sitting": sitting},
        )
        for (sitting, loser, winner), ids in sorted(found.items())
        if len(ids) >= times
    ]


def _dumped(hand: PlayedHand) -> tuple[int, int] | None:
    """Seats of who folded and of who won, when the hand looks like it."""
    left = set(hand.players)
    for place, act in enumerate(hand.acts):
        if act.action != "fold":
            continue
        before, left = left, left - {act.seat}
        if len(before) == 2 and len(left) == 1:
            pot = sum(each.amount for each in hand.acts[:place])
            stake, stack = hand.put_in(act.seat), hand.stacks[act.seat]
            large = pot > LARGE_POT_BIG_BLINDS * hand.big_blind
            if large and stake * 10_000 > ALMOST_ALL_BP * stack and not act.by_house:
                return act.seat, left.pop()
            return None
    return None
