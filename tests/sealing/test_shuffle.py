"""Fairness of the shuffle, and the health test that stops it."""

import os
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from libs.sealing.health import PROPORTION_CUTOFF, PROPORTION_WINDOW, EntropyUnhealthy
from libs.sealing.shuffle import Shuffler, below


def test_rejection_leaves_every_number_equally_likely() -> None:
    """Exhaustive over all bytes: each number below the bound comes from the same count of accepted bytes."""
    for bound in range(1, 257):
        mask = (1 << (bound - 1).bit_length()) - 1
        accepted = Counter(byte & mask for byte in range(256) if byte & mask < bound)
        assert set(accepted) == set(range(bound))
        assert len(set(accepted.values())) == 1
        for byte in range(256):
            drawn = below(bound, iter([byte, 0]).__next__)
            assert drawn == (byte & mask if byte & mask < bound else 0)


def test_every_order_of_four_from_every_stream_of_bits() -> None:
    """Fisher–Yates over exact choices gives each of the 24 orders once."""
    orders: Counter[tuple[int, ...]] = Counter()
    for choices in product(range(4), range(3), range(2)):
        order = [0, 1, 2, 3]
        for last, other in zip((3, 2, 1), choices, strict=True):
            order[last], order[other] = order[other], order[last]
        orders[tuple(order)] += 1
    assert len(orders) == 24
    assert set(orders.values()) == {1}


def test_cards_are_uniform_over_positions() -> None:
    """Chi-square of the card on top, in the middle and at the bottom, 51 degrees: 120 is far beyond 10**-6."""
    shuffler = Shuffler()
    decks = [shuffler.shuffle().deck.cards for _ in range(5200)]
    for position in (0, 25, 51):
        seen = Counter(deck[position] for deck in decks)
        chi_square = sum((seen[card] - 100) ** 2 / 100 for card in range(52))
        assert chi_square < 120, position


@pytest.mark.rule("pt-811-2015", "46")
def test_each_seat_is_drawn_as_often() -> None:
    """Four players ready, 10,000 draws: each seat 2,500 times, give or take 200."""
    shuffler = Shuffler()
    ready = {2, 3, 7, 9}
    drawn = Counter(next(s for s in shuffler.shuffle().seat_order if s in ready) for _ in range(10_000))
    assert all(2300 <= drawn[seat] <= 2700 for seat in ready)


@pytest.mark.rule("mo-97-2010", "1.1.3", "1.1.5")
def test_a_shuffle_is_every_card_once_and_its_own_secrets() -> None:
    one, two = Shuffler().shuffle(), Shuffler().shuffle()
    assert sorted(one.deck.cards) == list(range(52))
    assert sorted(one.seat_order) == list(range(1, 12))
    assert one.deck.cards != two.deck.cards
    assert one.deck.data_key != two.deck.data_key != two.deck.salt_secret


def test_printing_a_shuffle_shows_nothing() -> None:
    shuffle = Shuffler().shuffle()
    for text in (repr(shuffle), str(shuffle), repr(shuffle.deck), f"{shuffle.deck}"):
        assert text in ("Shuffle()", "Deck(…)")


def test_a_stuck_source_stops_the_dealing_for_good() -> None:
    broken = [True]
    shuffler = Shuffler(lambda size: bytes(size) if broken[0] else os.urandom(size))
    with pytest.raises(EntropyUnhealthy, match="repetition"):
        shuffler.shuffle()
    broken[0] = False
    with pytest.raises(EntropyUnhealthy):
        shuffler.shuffle()


def test_a_lopsided_source_stops_the_dealing() -> None:
    def lopsided(size: int) -> bytes:
        return bytes(byte if place % 3 else 7 for place, byte in enumerate(os.urandom(size)))

    shuffler = Shuffler(lopsided)
    with pytest.raises(EntropyUnhealthy, match="proportion"):
        [shuffler.shuffle() for _ in range(200)]


def test_the_cutoff_is_the_one_of_the_standard() -> None:
    """NIST SP 800-90B 4.4.2 with four bits a byte and a false alarm of at most 2**-40."""

    def tail(cutoff: int) -> Fraction:
        p, n = Fraction(1, 16), PROPORTION_WINDOW
        return sum((comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(cutoff, n + 1)), Fraction(0))

    assert tail(PROPORTION_CUTOFF) < Fraction(1, 2**40) <= tail(PROPORTION_CUTOFF - 1)
