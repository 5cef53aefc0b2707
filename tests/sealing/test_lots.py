"""Lots for tournaments: every item equally likely, the same seed the same draws, nothing printed."""

from collections import Counter

import pytest

from libs.sealing.health import EntropyUnhealthy
from libs.sealing.lots import LOTS, LotSeed
from libs.sealing.shuffle import Shuffler
from tests.testkit.lots import lots_of

_DRAWS = 6_000
_FAR = 200
"""More than five standard deviations of 1000 in 6000 draws."""


def test_each_item_is_equally_likely() -> None:
    drawn = Counter(lots_of(number).one_of("abcdef") for number in range(_DRAWS))
    assert set(drawn) == set("abcdef")
    assert all(abs(count - _DRAWS // 6) < _FAR for count in drawn.values())


@pytest.mark.rule("pt-217-2007", "31")
@pytest.mark.rule("mo-97-2010", "1.1.5")
@pytest.mark.rule("pt-812-2015-baccarat", "6.c")
def test_each_order_is_equally_likely() -> None:
    """Drawn by `uniform_order`, which also draws decks and shoes."""
    drawn = Counter(lots_of(number).order("abc") for number in range(_DRAWS))
    assert len(drawn) == 6
    assert all(abs(count - _DRAWS // 6) < _FAR for count in drawn.values())


def test_a_seed_gives_the_same_draws_however_many() -> None:
    one, other = lots_of(1), lots_of(1)
    order = one.order(range(2_000))
    assert order == other.order(range(2_000))
    assert sorted(order) == list(range(2_000))
    assert [one.one_of(range(50)) for _ in range(99)] == [other.one_of(range(50)) for _ in range(99)]
    assert order != lots_of(2).order(range(2_000))


def test_entropy_is_drawn_under_the_health_test_and_not_printed() -> None:
    seed = LotSeed.drawn(Shuffler())
    assert (len(seed.seed), seed.generator) == (32, LOTS)
    assert seed.seed.hex() not in repr(seed)
    assert repr(seed.seed) not in repr(seed)
    assert seed.lots().order("abc") == seed.lots().order("abc"), "a decision made again draws the same"
    with pytest.raises(EntropyUnhealthy):
        LotSeed.drawn(Shuffler(lambda size: bytes(size)))
