"""Chips of many accounts that end up with one player: a stack from each, so that no pair of them tells anything."""

from collections import Counter
from collections.abc import Iterable
from sys import intern
from typing import Any

import msgspec

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case
from services.audit.integrity.stakes import BIG_BLIND, Row, Stake, in_big_blinds, judged_apart, luck_squared

STRANGER_HANDS = 100
"""Who played no more hands in the span is somebody who came, lost and went. Against others a player who is better than
they are wins in the long run, and that is no case."""
LOSERS = 5
NET_BIG_BLINDS = 500
LUCK = 5
"""As for `chip_flow`: times the root of the sum of squares. A player who wins 20 big blinds in a hundred hands of such
strangers comes so far after some 40,000 hands with them."""


_Hand = tuple[Stake, str, int]
"""Stake, table, number."""


class _Sums(msgspec.Struct):
    """At one stake, in thousandths of its big blind; `money` in minor units."""

    by_stranger: Counter[str]
    net: int = 0
    squares: int = 0
    money: int = 0


class _Won(msgspec.Struct):
    """What one player won of strangers and lost to them."""

    at: dict[Stake, _Sums]
    hands: list[_Hand]
    """Those won."""


def chips_to_one(hands: Iterable[PlayedHand], now: int, window_ms: int) -> list[Case]:
    """A case for a player who won more of strangers than luck explains: at least 500 big blinds net, of five or more.

    In any of what `judged_apart` names, so that no other table hides it. `hands` is gone through twice. What a loser
    lost is shared among the hand's winners by what each won.
    """
    since = now - window_ms
    played: Counter[str] = Counter()
    for hand in hands:
        if since <= hand.at <= now:
            played.update(map(intern, hand.players.values()))
    strangers = {player for player, count in played.items() if count <= STRANGER_HANDS}
    won: dict[str, _Won] = {}
    stakes: dict[Stake, Stake] = {}
    for hand in hands:
        if since <= hand.at <= now:
            where = (stakes.setdefault(hand.stake, hand.stake), intern(hand.id[0]), hand.id[1])
            for (loser, winner), amount in hand.flows().items():
                if loser in strangers:
                    _add(won, winner, loser, amount, where)
                if winner in strangers:
                    _add(won, loser, winner, -amount, where)
    return [case for player in sorted(won) if (case := _case(player, won[player])) is not None]


def _add(won: dict[str, _Won], player: str, stranger: str, amount: int, hand: _Hand) -> None:
    stake = hand[0]
    if (whole := won.get(player)) is None:
        whole = won[player] = _Won({}, [])
    if (sums := whole.at.get(stake)) is None:
        sums = whole.at[stake] = _Sums(Counter())
    part = in_big_blinds(amount, stake[1])
    sums.by_stranger[intern(stranger)] += part
    sums.net += part
    sums.squares += part**2
    sums.money += amount
    if amount > 0:
        whole.hands.append(hand)


def _case(player: str, won: _Won) -> Case | None:
    """All rows of stakes are told, so that none that is worth little stands before another one."""
    rows = judged_apart(won.at)
    luck = luck_squared(LUCK, len(rows))
    found: list[tuple[Row, dict[str, Any]]] = []
    for stakes in rows:
        there = [won.at[stake] for stake in stakes]
        net = sum(sums.net for sums in there)
        enough = net >= NET_BIG_BLINDS * BIG_BLIND and net**2 >= luck * sum(sums.squares for sums in there)
        if not enough or any(set(stakes) <= set(known) for known, _ in found):
            continue
        by_stranger, money = Counter[str](), Counter[str]()
        for stake, sums in zip(stakes, there, strict=True):
            by_stranger.update(sums.by_stranger)
            money[stake[0]] += sums.money
        losers = sum(part > 0 for part in by_stranger.values())
        if losers >= LOSERS:
            told = {"to": player, "big_blinds": net // BIG_BLIND, "stakes": list(stakes), "net": dict(money)}
            found.append((stakes, told | {"strangers": len(by_stranger), "lost_to_it": losers}))
    if not found:
        return None
    (_, first), *further = found
    evidence = first | ({"also": [told for _, told in further]} if further else {})
    concerned = {stake for stakes, _ in found for stake in stakes}
    hands = dict.fromkeys((table, number) for stake, table, number in won.hands if stake in concerned)
    return Case(kind="chips_to_one", players=(player,), hands=tuple(hands), evidence=evidence)
