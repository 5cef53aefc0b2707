"""Soft play: two players who, whenever they are the last two, never bet against each other (pt-811-2015 11.c)."""

from collections.abc import Iterable

from services.audit.integrity.acts import BETS, PlayedHand
from services.audit.integrity.cases import Case, HandId

POTS = 200
WINDOW_MS = 30 * 86_400_000


def soft_play(hands: Iterable[PlayedHand], now: int, pots: int = POTS) -> list[Case]:
    """A case for each pair with at least `pots` pots in the last thirty days, and no bet or raise in any of them."""
    quiet: dict[tuple[str, str], list[HandId]] = {}
    fought: set[tuple[str, str]] = set()
    for hand in hands:
        last = hand.last_two()
        if last is None or not now - WINDOW_MS <= hand.at <= now:
            continue
        seats, acts = last
        first, second = sorted(hand.players[seat] for seat in seats)
        quiet.setdefault((first, second), []).append(hand.id)
        if any(act.action in BETS for act in acts):
            fought.add((first, second))
    return [
        Case(kind="soft_play", players=pair, hands=tuple(found), evidence={"pots": len(found), "bets": 0})
        for pair, found in sorted(quiet.items())
        if len(found) >= pots and pair not in fought
    ]
