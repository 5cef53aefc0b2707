"""Fair order out of fresh operating-system entropy: Fisher–Yates with rejection sampling, one draw for one deal."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from libs.cards.card import DECK
from libs.sealing.deck import Deck, Shoe
from libs.sealing.health import HealthTest
from libs.sealing.secret import SecretBytes

MAX_SEATS = 11
_SECRET_BYTES = 32
_DECK_STOCK = 96
"""Bytes drawn at once: about what a deck takes."""
_SHOE_STOCK = 960
"""About what eight decks take, most of it for bounds above 256 with two bytes each."""
GENERATOR = "croupier-shuffle-1/os-entropy"
"""Name and version of what is in this file; a change of how orders are drawn changes it."""
Source = Callable[[int], bytes]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Entropy for one decision: a deck with its secrets, and a lot among seats. Printing it shows nothing."""

    deck: Deck = field(repr=False)
    seat_order: tuple[int, ...] = field(repr=False)
    """A uniform permutation of the seats 1..11; the first among those present wins the draw (pt-811-2015 46)."""
    generator: str = field(default="", repr=False)
    """Where the order came from, for the record; empty for an order that was given."""


@dataclass(frozen=True, slots=True)
class ShoeShuffle:
    """Entropy for one decision at a table that deals from a shoe. Printing it shows nothing."""

    shoe: Shoe = field(repr=False)
    generator: str = field(default="", repr=False)
    """Where the order came from, for the record; empty for an order that was given."""


class Shuffler:
    """Draws from one source under the running health test; each `shuffle()` and each `shoe()` is new."""

    __slots__ = ("_health", "_source")

    def __init__(self, source: Source = os.urandom) -> None:
        self._source = source
        self._health = HealthTest()

    def shuffle(self) -> Shuffle:
        """EntropyUnhealthy when the source fails its test, now and for ever after."""
        cards = self._permutation(DECK)
        deck = Deck.of(cards, self.secret(), self.secret())
        return Shuffle(deck, self._permutation(tuple(range(1, MAX_SEATS + 1))), GENERATOR)

    def shoe(self, decks: int) -> ShoeShuffle:
        """All cards of 2 to 8 decks in one order; EntropyUnhealthy as in `shuffle`."""
        cards = self._permutation(DECK * decks, stock=_SHOE_STOCK)
        return ShoeShuffle(Shoe.of(cards, self.secret(), self.secret()), GENERATOR)

    def secret(self) -> bytes:
        """32 fresh bytes that passed the health test; EntropyUnhealthy as in `shuffle`."""
        return self._draw(_SECRET_BYTES)

    def _draw(self, size: int) -> bytes:
        drawn = self._source(size)
        self._health.feed(drawn)
        return drawn

    def _permutation(self, items: tuple[int, ...], stock: int = _DECK_STOCK) -> tuple[int, ...]:
        return uniform_order(items, ByteSupply(self._draw, stock).next)


class ByteSupply:
    """Single bytes out of larger draws; what is left over is thrown away with it."""

    __slots__ = ("_at", "_draw", "_stock")

    def __init__(self, draw: Source, stock: int) -> None:
        self._draw = draw
        self._stock = SecretBytes(draw(stock))
        self._at = 0

    def next(self) -> int:
        if self._at == len(self._stock.reveal()):
            self._stock, self._at = SecretBytes(self._draw(32)), 0
        self._at += 1
        return self._stock.reveal()[self._at - 1]


def uniform_order(items: Sequence[T], next_byte: Callable[[], int]) -> tuple[T, ...]:
    """Each order with the same probability; at most 65536 items."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1, next_byte)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def below(bound: int, next_byte: Callable[[], int]) -> int:
    """Uniform number 0..bound-1 for a bound of 1..65536: bits are masked and what is too large is thrown away.

    No remainder is ever taken of a raw word, which would favour small numbers. A bound above 256 takes two bytes.
    """
    if not 1 <= bound <= 65536:
        raise ValueError("a bound of 1 to 65536")
    mask = (1 << (bound - 1).bit_length()) - 1
    if bound > 256:
        return _below_wide(bound, mask, next_byte)
    while True:
        drawn = next_byte() & mask
        if drawn < bound:
            return drawn


def _below_wide(bound: int, mask: int, next_byte: Callable[[], int]) -> int:
    while True:
        drawn = (next_byte() << 8 | next_byte()) & mask
        if drawn < bound:
            return drawn
