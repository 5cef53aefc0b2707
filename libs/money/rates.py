"""Percentages of amounts, in basis points, rounded down to the minor unit."""

BASIS_POINTS = 10_000
"""One whole: 500 basis points are 5 %."""


def part_of(amount: int, basis_points: int) -> int:
    """`basis_points` of `amount`, rounded down: the charge never exceeds the percentage (pt-811-2015 17.a)."""
    if amount < 0 or basis_points < 0:
        raise ValueError("amounts and rates are not negative here")
    return amount * basis_points // BASIS_POINTS
