"""A house edge beside the figure that others have published for the same bet under the same rules."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Figure:
    """`edge` of one unit staked on `bet`.

    `published` is in percent as it was printed; empty when nobody was found to have published it.
    """

    bet: str
    setting: str
    edge: Fraction
    published: str = ""
    source: str = ""
    error: Fraction = Fraction(0)
    """Standard error of `edge` where it was sampled; 0: exact."""

    @property
    def percent(self) -> Fraction:
        return self.edge * 100

    @property
    def error_bar(self) -> Fraction:
        """Two standard errors, in percentage points."""
        return 200 * self.error

    @property
    def difference(self) -> Fraction | None:
        """Ours less theirs, in percentage points."""
        return self.percent - Fraction(Decimal(self.published)) if self.published else None

    @property
    def agrees(self) -> bool:
        """Theirs, if there is one, is ours rounded to the digits they printed, or within two standard errors."""
        if self.difference is None:
            return True
        digits = -int(Decimal(self.published).as_tuple().exponent)
        return abs(self.difference) <= Fraction(1, 2 * 10**digits) + self.error_bar
