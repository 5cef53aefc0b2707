"""What can be asked of a table of no-draw poker, beside what any table takes."""

from typing import Literal

from services.table.domain.table.commands import Command


class PlaceAnte(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    """The ante is `amount` from now on, whatever it was. `round` None: the one that is open or opens with it."""

    amount: int
    round: int | None = None


class WithdrawAnte(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    round: int


class DealRound(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    """A single player starts the deal (pt-803-2015 15)."""

    round: int


class DecideHand(Command, frozen=True, kw_only=True):
    may_ask = ("player",)
    """`bet`, where it is said, has to be what the table asks for (2.f)."""

    round: int
    decision: Literal["fold", "continue"]
    bet: int | None = None
