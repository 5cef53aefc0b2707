"""What can be asked of a table of baccarat, beside what any table takes."""

from services.table.domain.games.baccarat.paying import Chance
from services.table.domain.table.commands import Command


class PlaceStake(Command, frozen=True, kw_only=True):
    """`amount` more on `chance`. `round` None: the coup that is open, or opens with it."""

    may_ask = ("player",)
    chance: Chance
    amount: int
    round: int | None = None


class WithdrawStake(Command, frozen=True, kw_only=True):
    """`amount` off `chance`; None: all of it."""

    may_ask = ("player",)
    round: int
    chance: Chance
    amount: int | None = None


class DealCoup(Command, frozen=True, kw_only=True):
    """A single player starts the deal (pt-812-2015 28)."""

    may_ask = ("player",)
    round: int
