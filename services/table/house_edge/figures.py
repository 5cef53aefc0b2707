"""A house edge beside the figure that others have published for the same bet under the same rules."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Figure:
    """`edge` of one unit staked on `bet`, exact, so without an error bar.

    `published` is in percent as it was printed; empty when nobody was found to have published it.
    """

    bet: str
    setting: str
    edge: Fraction
    published: str = ""
    source: str = ""

    @property
    def percent(self) -> Fraction:
        return self.edge * 100

    @property
    def difference(self) -> Fraction | None:
        """Ours less theirs, in percentage points."""
        return self.percent - Fraction(Decimal(self.published)) if self.published else None

    @property
    def agrees(self) -> bool:
        """Theirs, if there is one, is ours rounded to the digits they printed."""
        if self.difference is None:
            return True
        digits = -int(Decimal(self.published).as_tuple().exponent)
        return abs(self.difference) <= Fraction(1, 2 * 10**digits)
