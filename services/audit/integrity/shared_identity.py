"""Accounts with the same device, address or means of payment at one table (pt-811-2015 11.c)."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case, HandId

Shared = Mapping[tuple[str, str], frozenset[str]]
"""(kind, digest) of a device, address or means of payment to the players it was reported for."""


def shared_identity(hands: Iterable[PlayedHand], shared: Shared) -> list[Case]:
    """A case for each pair that shares something and was dealt into the same hand."""
    kinds: dict[tuple[str, str], set[str]] = {}
    for (kind, _), players in shared.items():
        for first, second in combinations(sorted(players), 2):
            kinds.setdefault((first, second), set()).add(kind)
    together: dict[tuple[str, str], list[HandId]] = {}
    for hand in hands:
        for first, second in combinations(sorted(hand.players.values()), 2):
            if (first, second) in kinds:
                together.setdefault((first, second), []).append(hand.id)
    return [
        Case(kind="shared_identity", players=pair, hands=tuple(ids), evidence={"shared": sorted(kinds[pair])})
        for pair, ids in sorted(together.items())
    ]
