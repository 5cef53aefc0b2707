"""How much one of the staff may move at the cage without a second person."""

from typing import NamedTuple

ALONE_UP_TO = 1_000_000
A_DAY = 10_000_000


class CashBounds(NamedTuple):
    """Minor units, for deposits and withdrawals of real money alike."""

    alone_up_to: int = ALONE_UP_TO
    """At once. 0: nothing."""
    a_day: int = A_DAY
    """On one day (UTC), all together and in all currencies: units are added up as they are, whatever they are worth."""


BOUNDS = CashBounds()
