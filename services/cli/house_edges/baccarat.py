"""The house edge of baccarat, exact: all sequences of points from a full shoe, each weighed by the orders that give it.

Composition-exact, in whole numbers: no sampling, no float, so nothing here has an error bar. A sequence of four to six
points (0 to 9) weighs as many as there are ways to take its cards out of the shoe one by one, times the ways of the
cards that the coup does not need, so that every sequence weighs out of the same whole.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import perm

from libs.contracts.baccarat_commands import Chance
from services.table.domain.games.baccarat.dealing import (
    MOST_CARDS,
    NATURAL,
    Winner,
    banca_draws,
    ponto_draws,
    winner_of,
)
from services.table.domain.games.baccarat.paying import PAYS, CommissionMode, commission_on

_SUITS, _RANKS_OF_ZERO = 4, 4
_STAKE = 20
"""Five percent and a half of it are whole: no commission is rounded."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a coup can end, as far as anybody is paid by it."""

    winner: Winner
    banca_score: int


@dataclass(frozen=True, slots=True)
class Odds:
    """Of the first coup of a shoe; every number is exact."""

    decks: int
    orders: dict[Ending, int]
    """Of the shoe's first six cards, how many orders end the coup so."""
    pair: Fraction
    """That one side's initial cards are a pair."""

    @property
    def whole(self) -> int:
        return sum(self.orders.values())

    def edge(self, chance: Chance, mode: CommissionMode = "none") -> Fraction:
        """What the house keeps of each unit staked on `chance`, on average, ties counted as coups."""
        if chance in ("par_ponto", "par_banca"):
            return 1 - self.pair * (1 + PAYS[chance])
        gains = (orders * gain(chance, ending, mode) for ending, orders in self.orders.items())
        return -sum(gains, Fraction(0)) / self.whole


def gain(chance: Chance, ending: Ending, mode: CommissionMode) -> Fraction:
    """Of one unit staked: winnings less commission, nothing, or the stake gone (22 to 26)."""
    if chance == ending.winner:
        winnings = _STAKE * PAYS[chance]
        commission = commission_on(winnings, ending.banca_score, mode) if chance == "banca" else 0
        return Fraction(winnings - commission, _STAKE)
    return Fraction(0 if ending.winner == "empate" else -1)


def odds(decks: int) -> Odds:
    """By enumeration of every sequence of points that a coup can take, some 400,000."""
    shoe = [decks * _SUITS * (1 if points else _RANKS_OF_ZERO) for points in range(10)]
    cards = sum(shoe)
    orders: Counter[Ending] = Counter()
    for ending, weight in _coups(shoe, cards):
        orders[ending] += weight
    found = Odds(decks, dict(orders), pair=Fraction(decks * _SUITS - 1, cards - 1))
    assert found.whole == perm(cards, MOST_CARDS), "every order of six cards is counted once"
    return found


def _coups(shoe: list[int], cards: int) -> Iterator[tuple[Ending, int]]:
    """Each sequence's ending with its weight: points are taken out of `shoe` and put back."""
    for first, second, third, fourth in product(range(10), repeat=4):
        weight = 1
        for points in (first, second, third, fourth):
            weight *= shoe[points]
            shoe[points] -= 1
        if weight:
            yield from _drawn(shoe, cards - 4, (first + third) % 10, (second + fourth) % 10, weight)
        for points in (first, second, third, fourth):
            shoe[points] += 1


def _drawn(shoe: list[int], left: int, ponto: int, banca: int, weight: int) -> Iterator[tuple[Ending, int]]:
    """After the initial cards, `left` cards being in the shoe: the drawing table, to the end (19, 20)."""
    if max(ponto, banca) >= NATURAL:
        yield _ended(ponto, banca), weight * perm(left, 2)
    elif ponto_draws(ponto):
        for points in range(10):
            drawn = weight * shoe[points]
            shoe[points] -= 1
            yield from _banca(shoe, left - 1, (ponto + points) % 10, banca, points or 10, drawn)
            shoe[points] += 1
    else:
        yield from _banca(shoe, left, ponto, banca, None, weight)


def _banca(
    shoe: list[int], left: int, ponto: int, banca: int, third: int | None, weight: int
) -> Iterator[tuple[Ending, int]]:
    over = 1 if third is not None else 2
    """Cards of the six that Ponto left for Banca and for nobody."""
    if not banca_draws(banca, third):
        yield _ended(ponto, banca), weight * perm(left, over)
        return
    for points in range(10):
        yield _ended(ponto, (banca + points) % 10), weight * shoe[points] * perm(left - 1, over - 1)


def _ended(ponto: int, banca: int) -> Ending:
    return Ending(winner_of(ponto, banca), banca)
