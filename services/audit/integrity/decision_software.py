"""Decisions too even for a person: a long run of them in nearly the same time (pt-811-2015 11.f)."""

from collections import deque
from collections.abc import Iterable

from services.audit.integrity.acts import PlayedHand, decision_times
from services.audit.integrity.cases import Case, HandId

RUN = 200
SPREAD_MS = 100
"""Longest less shortest of the run: a person who hurries always the same does not hurry this evenly."""
SHORTEST_MS = 300
"""Below it everybody is even: buttons pressed before the turn came."""


def decision_software(hands: Iterable[PlayedHand], run: int = RUN) -> list[Case]:
    """A case for each player with `run` decisions in a row that took the same time, give or take."""
    last: dict[str, deque[tuple[HandId, int]]] = {}
    found: dict[str, Case] = {}
    for player, hand, took in decision_times(hands):
        times = last.setdefault(player, deque(maxlen=run))
        times.append((hand, took))
        if player not in found and len(times) == run:
            shortest, longest = min(t for _, t in times), max(t for _, t in times)
            if shortest >= SHORTEST_MS and longest - shortest <= SPREAD_MS:
                evidence = {"decisions": run, "shortest_ms": shortest, "longest_ms": longest}
                evidence |= {"times_ms": [t for _, t in times]}  # type: ignore[dict-item]
                concerned = tuple(dict.fromkeys(hand for hand, _ in times))
                case = Case(kind="decision_software", players=(player,), hands=concerned, evidence=evidence)
                found[player] = case
    return [found[player] for player in sorted(found)]
