"""Dividing an amount between several, to the last unit."""


def one_unit_each(amount: int, among: int, unit: int = 1) -> list[int]:
    """Equal parts in multiples of `unit`; the units left over go one each to the first ones (pt-811-2015 62).

    What is less than one unit goes to the first. The parts add up to `amount`, always.
    """
    parts, rest = _equal_parts(amount, among, unit)
    units, crumbs = divmod(rest, unit)
    for place in range(units):
        parts[place] += unit
    parts[0] += crumbs
    return parts


def whole_remainder_to(amount: int, among: int, place: int, unit: int = 1) -> list[int]:
    """Equal parts in multiples of `unit`; all that is left over goes to the one at `place` (mo-97-2010 10.5)."""
    parts, rest = _equal_parts(amount, among, unit)
    parts[place] += rest
    return parts


def _equal_parts(amount: int, among: int, unit: int) -> tuple[list[int], int]:
    if amount < 0 or among < 1 or unit < 1:
        raise ValueError("an amount of zero or more goes to one or more, in units of one or more")
    each = amount // among // unit * unit
    return [each] * among, amount - each * among
