"""Chips of many accounts that end up with one player: a stack from each, so that no pair of them tells anything.

Each of those who give may make it look like something else, and none of the looks here asks how many hands anybody
played: hands cost nothing. Which opponents are looked at never depends on whether they lost or won, so that luck's
bound holds for them: with any sign turned round they would be the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import log
from sys import intern
from typing import Any, Literal, NamedTuple

import msgspec

from services.audit.integrity.acts import PlayedHand
from services.audit.integrity.cases import Case, HandId
from services.audit.integrity.stakes import (
    BIG_BLIND,
    Row,
    Stacks,
    Stake,
    in_big_blinds,
    judged_apart,
    luck_squared,
    unlikely,
)

FEW = 4
"""A stranger to somebody is of whom so many hands were half of all that went between the two (in squares) or more. So
nobody becomes a known opponent by hands that are folded, or by small pots; who played a thousand hands together is."""
RESULT_PARTS = 5
"""It was a player's own month with somebody, if a fifth of the whole result came of it."""
STACK = 100 * BIG_BLIND
"""More counts as so much where opponents are counted one by one: nobody is hidden behind one large win or loss."""
LOSERS = 5
FEWEST = 2
"""Of those who play with hardly anybody else: of one `chip_flow` tells."""
TIMES = 2
"""As much as it lost to others of them, counted by opponent. Who is better than they are by 20 big blinds in a hundred
hands wins of visitors of sixty hands each 1.4 times what it loses to them, however many come."""
NET_BIG_BLINDS = 500
LUCK = 5
"""As for `chip_flow`: times the root of the sum of squares. A player who wins 20 big blinds in a hundred hands of
whomever comes so far after some 40,000 hands. A sum of signs is beyond five roots with at most 3.18 times the chance of
the normal curve (Bentkus and Dzindzalieta, Bernoulli 21, 2015), which is one in 1,100,000 for each look."""
UNLIKELY = log(2_000_000)
"""By opponent the chance itself is bounded, too (Chernoff): 21 whole stacks of 21 are beyond it. Luck passes none of
the five looks, by either bound, more often than once in 150,000 times."""


class Moved(NamedTuple):
    """What one lost to another in a hand, or in a tournament: `part` in thousandths of a big blind, or what stands for
    it, `amount` in minor units."""

    loser: str
    winner: str
    stake: Stake
    part: int
    amount: int
    of: HandId


Who = Literal["strangers", "own_month", "mostly_with_it", "everybody"]


class _Between(msgspec.Struct):
    """Two players at one stake: what the second, by name, won of the first. Thousandths; `money` in minor units."""

    net: int = 0
    squares: int = 0
    money: int = 0
    largest: list[int] = []
    """Squares of the few largest hands, ascending."""

    def add(self, part: int, amount: int) -> None:
        square = part**2
        self.net, self.money, self.squares = self.net + part, self.money + amount, self.squares + square
        if len(self.largest) < FEW or square > self.largest[0]:
            self.largest = sorted((*self.largest, square))[-FEW:]

    @property
    def strangers(self) -> bool:
        return 2 * sum(self.largest) >= self.squares


class _Won(NamedTuple):
    """What one player won of an opponent at a stake; below zero: lost."""

    opponent: str
    net: int
    money: int
    squares: int
    who: tuple[Who, ...]
    """Where it counts."""


_LOOKS: tuple[tuple[Who, bool], ...] = (
    ("strangers", True),
    ("strangers", False),
    ("own_month", False),
    ("mostly_with_it", True),
    ("everybody", False),
)
"""Of whom, and whether hand by hand or opponent by opponent. By opponent nothing hides it that went to and fro between
the two; by their own month nothing that the opponents lost and won among themselves. By hand of two or more of whom
half of all that went either way (in squares, which know no sign) went here: each pair of them may be within luck."""


def chips_to_one(hands: Iterable[PlayedHand], now: int, window_ms: int) -> list[Case]:
    """A case for a player who won more than luck explains: at least 500 big blinds net, of five or more, who are
    strangers, or had their month with this player, or are everybody; or of two or more who mostly play with it.

    In any of what `judged_apart` names, so that no other table hides it. `hands` is gone through two or three times.
    What a loser lost is shared among the hand's winners by what each won.
    """
    since, stacks = now - window_ms, Stacks()
    for hand in hands:
        if since <= hand.at <= now:
            stacks.note(intern(hand.id[0]), hand.stake, hand.brought())
    short = stacks.short()

    def moved() -> Iterator[Moved]:
        for hand in hands:
            if since <= hand.at <= now:
                stake, stack = hand.stake, short.get((hand.id[0], hand.stake), 0)
                for (loser, winner), amount in hand.flows().items():
                    yield Moved(loser, winner, stake, in_big_blinds(amount, stake[1], stack), amount, hand.id)

    return _to_one(moved)


def _to_one(moved: Callable[[], Iterable[Moved]]) -> list[Case]:
    """Of all that `moved` yields each time that it is asked."""
    between = _between(moved())
    found = {player: rows for player, won in _winners(between).items() if (rows := _beyond_luck(won))}
    won_in: dict[str, dict[HandId, None]] = {player: {} for player in found}
    told_of = {
        (player, each.opponent, stake)
        for player, rows in found.items()
        for stakes, _, won in rows
        for stake in stakes
        for each in won.get(stake, ())
    }
    for one in moved() if found else ():
        if (one.winner, one.loser, one.stake) in told_of:
            won_in[one.winner][one.of] = None
    return [_case(player, rows, tuple(won_in[player])) for player, rows in sorted(found.items())]


def _between(moved: Iterable[Moved]) -> dict[Stake, dict[tuple[str, str], _Between]]:
    between: dict[Stake, dict[tuple[str, str], _Between]] = {}
    for each in moved:
        loser, winner = intern(each.loser), intern(each.winner)
        pairs = between.setdefault(each.stake, {})
        sign, pair = (1, (loser, winner)) if loser < winner else (-1, (winner, loser))
        if (sums := pairs.get(pair)) is None:
            sums = pairs[pair] = _Between()
        sums.add(sign * each.part, sign * each.amount)
    return between


def _winners(between: dict[Stake, dict[tuple[str, str], _Between]]) -> dict[str, dict[Stake, list[_Won]]]:
    """Of everybody who may be a case what was won of whom, by stake."""
    gains, losers = Counter[str](), Counter[str]()
    results: dict[Stake, Counter[str]] = {}
    squares: dict[Stake, Counter[str]] = {}
    for stake, pairs in between.items():
        results[stake], squares[stake] = Counter[str](), Counter[str]()
        for (first, second), sums in pairs.items():
            results[stake][first] -= sums.net
            results[stake][second] += sums.net
            squares[stake].update({first: sums.squares, second: sums.squares})
            gains[second if sums.net > 0 else first] += abs(sums.net)
            losers[second if sums.net > 0 else first] += 1
    enough = {p for p, gain in gains.items() if gain >= NET_BIG_BLINDS * BIG_BLIND and losers[p] >= FEWEST}
    won: dict[str, dict[Stake, list[_Won]]] = {player: {} for player in enough}
    for stake, pairs in between.items():
        for (first, second), sums in pairs.items():
            for player, opponent, sign in ((second, first, 1), (first, second, -1)):
                if player in enough:
                    net, result = sign * sums.net, results[stake][opponent]
                    who: tuple[Who, ...] = ("strangers", "everybody") if sums.strangers else ("everybody",)
                    if -net * result * RESULT_PARTS >= result**2:
                        who = (*who, "own_month")
                    if 2 * sums.squares >= squares[stake][opponent]:
                        who = (*who, "mostly_with_it")
                    each = _Won(opponent, net, sign * sums.money, sums.squares, who)
                    won[player].setdefault(stake, []).append(each)
    return won


_Found = tuple[Row, Who, dict[Stake, list[_Won]]]


def _beyond_luck(won: dict[Stake, list[_Won]]) -> list[_Found]:
    """Of each row of stakes the first look that is beyond luck; none within another row that is."""
    rows = judged_apart(won)
    luck, chance = luck_squared(LUCK, len(rows)), UNLIKELY + luck_squared(0, len(rows)) / 2
    found: list[_Found] = []
    for stakes in rows:
        if any(set(stakes) <= set(known) for known, *_ in found):
            continue
        for who, by_hand in _LOOKS:
            looked = {stake: [each for each in won[stake] if who in each.who] for stake in stakes}
            nets = Counter[str]()
            for each in (each for there in looked.values() for each in there):
                nets[each.opponent] += each.net
            parts = list(nets.values()) if by_hand else [max(-STACK, min(STACK, net)) for net in nets.values()]
            if by_hand:
                squares = sum(each.squares for there in looked.values() for each in there)
            else:
                squares = sum(part**2 for part in parts)
            gains = [part for part in parts if part > 0]
            net, lost = sum(parts), sum(gains) - sum(parts)
            enough = len(gains) >= (FEWEST if who == "mostly_with_it" else LOSERS)
            much = enough and net >= NET_BIG_BLINDS * BIG_BLIND and sum(gains) >= TIMES * lost
            if much and (net**2 >= luck * squares or (not by_hand and unlikely(parts) >= chance)):
                found.append((stakes, who, looked))
                break
    return found


def _case(player: str, rows: list[_Found], hands: tuple[HandId, ...]) -> Case:
    """All rows of stakes are told, so that none that is worth little stands before another one."""
    first, *further = [_told(player, *row) for row in rows]
    evidence = first | ({"also": further} if further else {})
    return Case(kind="chips_to_one", players=(player,), hands=hands, evidence=evidence)


def _told(player: str, stakes: Row, who: Who, won: dict[Stake, list[_Won]]) -> dict[str, Any]:
    nets, money = Counter[str](), Counter[str]()
    big_blinds = 0
    for stake, there in won.items():
        for each in there:
            nets[each.opponent] += each.net
            money[stake[0]] += each.money
        big_blinds += in_big_blinds(sum(each.money for each in there), stake[1])
    return {
        "to": player,
        "big_blinds": big_blinds // BIG_BLIND,
        "stakes": list(stakes),
        "net": dict(money),
        "who": who,
        "players": len(nets),
        "lost_to_it": sum(net > 0 for net in nets.values()),
    }
