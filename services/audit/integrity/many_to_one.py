"""Chips of many accounts that end up with one player: a stack from each, so that no pair of them tells anything.

Each of those who give may make it look like something else, and none of the looks here asks how many hands anybody
played: hands cost nothing. Which opponents are looked at never depends on whether they lost or won, so that luck's
bound holds for them: with any sign turned round they would be the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from math import log
from sys import intern
from typing import Any, Literal, NamedTuple

import msgspec

from services.audit.integrity.cases import Case, HandId
from services.audit.integrity.month import Grouped, Month, Spooled, WentThere
from services.audit.integrity.stakes import (
    BIG_BLIND,
    FEW,
    Row,
    Short,
    Stake,
    in_big_blinds,
    judged_apart,
    luck_squared,
    squared_in_big_blinds,
    unlikely,
)

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


Who = Literal["strangers", "own_month", "mostly_with_it", "everybody"]


class _Between(msgspec.Struct):
    """Two players at one stake: what the second, by name, won of the first. Thousandths; `money` in minor units."""

    net: int = 0
    squares: int = 0
    money: int = 0
    largest: list[int] = []
    """Squares of the few largest hands, ascending."""

    def add(self, there: WentThere, short: Short) -> None:
        """What went on a day at a table. `short`: as `in_big_blinds` has it."""
        _, big_blind = there.stake
        stack, (back, lost) = short.get((there.table, there.stake), 0), there.went.lost
        self.net += in_big_blinds(lost, big_blind, stack) - in_big_blinds(back, big_blind, stack)
        self.squares += squared_in_big_blinds(there.went.squares, big_blind, stack)
        self.money += lost - back
        largest = (in_big_blinds(amount, big_blind, stack) ** 2 for amount in there.went.largest)
        self.largest = sorted((*self.largest, *largest))[-FEW:]

    @property
    def strangers(self) -> bool:
        return 2 * sum(self.largest) >= self.squares


class _Pair(NamedTuple):
    """The same, as it is put by until it is known whose month is worth a look."""

    first: str
    second: str
    stake: Stake
    net: int
    money: int
    square: str
    """In decimals: it may be more than a file takes as a number."""
    strangers: bool


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


class Summed(NamedTuple):
    """What everybody won and lost on the days of a month, and each pair's part of it."""

    totals: "_Totals"
    pairs: Grouped[_Pair]
    until: int | None
    """Below that day."""
    short: Short

    def of(self, went: Iterable[WentThere]) -> tuple[list[WentThere], Short]:
        """What of it is in these sums, and by what they were made."""
        return [each for each in went if self.until is None or each.day < self.until], self.short

    def close(self) -> None:
        self.pairs.close()


def summed(month: Month, until: int | None = None) -> Summed:
    """Of all of it: days below `until`. Whoever asks closes it."""
    found = Summed(_Totals(), month.grouped(_Pair), until, month.short)
    try:
        for (first, second), went in month.went:
            for pair, sums in _pairs(first, second, went, month.short):
                found.totals.add(first, second, pair.stake, sums)
                found.pairs.add((first, second), pair)
    except BaseException:
        found.close()
        raise
    return found


def chips_to_one(month: Month, before: Summed | None = None) -> list[Case]:
    """A case for a player who won more than luck explains: at least 500 big blinds net, of five or more, who are
    strangers, or had their month with this player, or are everybody; or of two or more who mostly play with it.

    In any of what `judged_apart` names, so that no other table hides it. What a loser lost is shared among the hand's
    winners by what each won, to the minor unit; it is counted in big blinds by the day, not hand by hand.

    `before`: the sums of the month before this one, where it is not whole. They are of everybody: who rests may become
    a case by what opponents win or lose of others.
    """
    with closing(Spooled(_Pair)) as pairs, closing(month.grouped(_Pair)) as of_player:
        totals = _add_up(month, before, pairs)
        for pair in chain(pairs, before.pairs.besides(month.went) if before is not None else ()):
            for player in (pair.first, pair.second):
                if totals.enough(player):
                    of_player.add((player,), pair)
        found: dict[str, list[_Found]] = {}
        for (player,), theirs in of_player:
            if rows := _beyond_luck(totals.won(player, theirs)):
                found[player] = rows
    told_of = {
        (player, each.opponent, stake)
        for player, rows in found.items()
        for stakes, _, won in rows
        for stake in stakes
        for each in won.get(stake, ())
    }
    won_in: dict[str, set[tuple[int, str, int]]] = {player: set() for player in found}
    concerned = month.went.those(lambda pair: not found.keys().isdisjoint(pair)) if found else ()
    for (first, second), went in concerned:
        for winner, loser, from_first in ((second, first, True), (first, second, False)):
            if winner in found:
                there = (each for each in went if (winner, loser, each.stake) in told_of)
                won_in[winner].update(hand for each in there for hand in each.hands(from_first))
    return [_case(player, rows, hands_of(won_in[player])) for player, rows in sorted(found.items())]


def _add_up(month: Month, before: Summed | None, pairs: Spooled[_Pair]) -> "_Totals":
    """Of the window; `pairs` gets those that the month goes through."""
    totals = _Totals(before.totals if before else None)
    for (first, second), went in month.went:
        for pair, sums in _pairs(first, second, went, month.short):
            totals.add(first, second, pair.stake, sums)
            pairs.add(pair)
        if before is not None:
            for pair, sums in _pairs(first, second, *before.of(went)):
                totals.add(first, second, pair.stake, sums, sign=-1)
    return totals


def _pairs(first: str, second: str, went: Iterable[WentThere], short: Short) -> Iterator[tuple[_Pair, "_Between"]]:
    for stake, sums in _between(went, short).items():
        yield _Pair(first, second, stake, sums.net, sums.money, str(sums.squares), sums.strangers), sums


def hands_of(found: Iterable[tuple[int, str, int]]) -> tuple[HandId, ...]:
    """Of days, tables and numbers: by day, then by table."""
    return tuple((table, number) for _, table, number in sorted(found))


def _between(went: Iterable[WentThere], short: Short) -> dict[Stake, _Between]:
    at: dict[Stake, _Between] = {}
    for each in went:
        at.setdefault(each.stake, _Between()).add(each, short)
    return at


class _Totals:
    """Of everybody all that went to or from whomever. It is all that is held in memory of all players."""

    def __init__(self, before: "_Totals | None" = None) -> None:
        """Beside what is `before`, which stays as it is."""
        self._before = before
        self._gains, self._losers = Counter[str](), Counter[str]()
        self._results: dict[Stake, Counter[str]] = {}
        self._squares: dict[Stake, Counter[str]] = {}

    def add(self, first: str, second: str, stake: Stake, sums: _Between, sign: Literal[1, -1] = 1) -> None:
        """With a `sign` of -1 it is taken out again."""
        first, second = intern(first), intern(second)
        results = self._results.setdefault(stake, Counter())
        results[first] -= sign * sums.net
        results[second] += sign * sums.net
        squares = self._squares.setdefault(stake, Counter())
        squares[first] += sign * sums.squares
        squares[second] += sign * sums.squares
        self._gains[second if sums.net > 0 else first] += sign * abs(sums.net)
        self._losers[second if sums.net > 0 else first] += sign

    def enough(self, player: str) -> bool:
        """Whether the player may be a case at all."""
        return self.gains(player) >= NET_BIG_BLINDS * BIG_BLIND and self.losers(player) >= FEWEST

    def gains(self, player: str) -> int:
        return self._gains[player] + (self._before.gains(player) if self._before else 0)

    def losers(self, player: str) -> int:
        return self._losers[player] + (self._before.losers(player) if self._before else 0)

    def result(self, stake: Stake, player: str) -> int:
        own = self._results[stake][player] if stake in self._results else 0
        return own + (self._before.result(stake, player) if self._before else 0)

    def squares(self, stake: Stake, player: str) -> int:
        own = self._squares[stake][player] if stake in self._squares else 0
        return own + (self._before.squares(stake, player) if self._before else 0)

    def won(self, player: str, pairs: Iterable[_Pair]) -> dict[Stake, list[_Won]]:
        """What a player won of whom, by stake. `pairs`: all that the player is one of."""
        won: dict[Stake, list[_Won]] = {}
        for each in pairs:
            sign, opponent = (1, each.first) if each.second == player else (-1, each.second)
            net, squares, result = sign * each.net, int(each.square), self.result(each.stake, opponent)
            who: tuple[Who, ...] = ("strangers", "everybody") if each.strangers else ("everybody",)
            if -net * result * RESULT_PARTS >= result**2:
                who = (*who, "own_month")
            if 2 * squares >= self.squares(each.stake, opponent):
                who = (*who, "mostly_with_it")
            won.setdefault(each.stake, []).append(_Won(opponent, net, sign * each.money, squares, who))
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
