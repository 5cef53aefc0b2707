"""Chips of many accounts that end up with one player: a stack from each, so that no pair of them tells anything."""

from collections import Counter
from collections.abc import Iterable
from sys import intern

import msgspec

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case, HandId

STRANGER_HANDS = 100
"""Who played no more hands in the span is somebody who came, lost and went. Against others a player who is better than
they are wins in the long run, and that is no case."""
LOSERS = 5
NET_BIG_BLINDS = 500
LUCK = 5
"""As for `chip_flow`: times the root of the sum of squares. A player who wins 20 big blinds in a hundred hands of such
strangers comes so far after some 40,000 hands with them."""


class _Won(msgspec.Struct):
    """What one player won of strangers and lost to them. Sums in minor units."""

    by_stranger: Counter[str]
    squares: int = 0
    hands: list[HandId] = []
    big_blind: int = 0


def chips_to_one(hands: Iterable[PlayedHand], now: int, window_ms: int) -> list[Case]:
    """A case for a player who won more of strangers than luck explains: at least 500 big blinds net, of five or more.

    `hands` is gone through twice. What a loser lost is shared among the hand's winners by what each won.
    """
    since = now - window_ms
    played: Counter[str] = Counter()
    for hand in hands:
        if since <= hand.at <= now:
            played.update(map(intern, hand.players.values()))
    strangers = {player for player, count in played.items() if count <= STRANGER_HANDS}
    won: dict[str, _Won] = {}
    for hand in hands:
        if since <= hand.at <= now:
            for (loser, winner), amount in hand.flows().items():
                if loser in strangers:
                    _add(won, winner, loser, amount, hand)
                if winner in strangers:
                    _add(won, loser, winner, -amount, hand)
    return [case for player in sorted(won) if (case := _case(player, won[player])) is not None]


def _add(won: dict[str, _Won], player: str, stranger: str, amount: int, hand: PlayedHand) -> None:
    sums = won.get(player)
    if sums is None:
        sums = won[player] = _Won(Counter())
    sums.by_stranger[intern(stranger)] += amount
    sums.squares += amount**2
    sums.big_blind = max(sums.big_blind, hand.big_blind)
    if amount > 0:
        sums.hands.append((intern(hand.id[0]), hand.id[1]))


def _case(player: str, sums: _Won) -> Case | None:
    net = sum(sums.by_stranger.values())
    losers = sum(amount > 0 for amount in sums.by_stranger.values())
    enough = net >= NET_BIG_BLINDS * sums.big_blind and losers >= LOSERS
    if not enough or net**2 < LUCK**2 * sums.squares:
        return None
    evidence = {"to": player, "net": net, "strangers": len(sums.by_stranger), "lost_to_it": losers}
    return Case(kind="chips_to_one", players=(player,), hands=tuple(dict.fromkeys(sums.hands)), evidence=evidence)
