"""Rates round down, parts add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.money.rates import part_of
from libs.money.splitting import one_unit_each, whole_remainder_to
from libs.money.words import in_words


@pytest.mark.rule("pt-811-2015", "17.a", "17.b", "19")
@pytest.mark.parametrize(
    ("amount", "rate", "part"),
    [(10_000, 500, 500), (2130, 500, 106), (150, 500, 7), (15, 500, 0), (1999, 750, 149), (8120, 450, 365)],
)
def test_rates_round_down(amount: int, rate: int, part: int) -> None:
    assert part_of(amount, rate) == part


@pytest.mark.rule("pt-811-2015", "62")
def test_odd_units_go_round() -> None:
    assert one_unit_each(2024, 3) == [675, 675, 674]


@pytest.mark.rule("mo-97-2010", "10.4", "10.5")
def test_a_remainder_goes_to_one() -> None:
    assert whole_remainder_to(2024, 3, 1) == [674, 676, 674]
    assert whole_remainder_to(1000, 3, 0, unit=25) == [350, 325, 325]


@given(st.integers(0, 10**15), st.integers(1, 11), st.integers(1, 1000))
def test_parts_add_up(amount: int, among: int, unit: int) -> None:
    even = one_unit_each(amount, among, unit)
    assert sum(even) == amount
    assert min(even) >= 0
    assert max(even) - min(even) < 2 * unit
    for place in range(among):
        assert sum(whole_remainder_to(amount, among, place, unit)) == amount


@pytest.mark.parametrize("wrong", [(-1, 2, 1), (1, 0, 1), (1, 2, 0)])
def test_nonsense_is_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="goes to one or more"):
        one_unit_each(*wrong)
    with pytest.raises(ValueError, match="not negative"):
        part_of(-1, 500)


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [(12_345, "EUR", "123.45 EUR"), (-5, "EUR", "-0.05 EUR"), (0, "MOP", "0.00 MOP"), (500, "JPY", "500 JPY")],
)
def test_amounts_as_people_read_them(amount: int, currency: str, words: str) -> None:
    assert in_words(amount, currency) == words
