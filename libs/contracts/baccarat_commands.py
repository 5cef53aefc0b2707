"""Commands of baccarat (pt-812-2015-baccarat), beside those of any table against the house."""

from typing import Literal

from libs.contracts.commands import PLAYER, Amount, TableCommand
from libs.contracts.facts import Round

Chance = Literal["ponto", "banca", "empate", "par_ponto", "par_banca"]


class PlaceStake(TableCommand):
    """`amount` more on `chance`, until the betting closes (9, 10)."""

    may_ask = PLAYER
    example = {"round": 42, "chance": "banca", "amount": 2_000}
    chance: Chance
    amount: Amount
    round: Round | None = None
    """Null: the coup that is open, or opens with it."""


class WithdrawStake(TableCommand):
    """`amount` off `chance`, before the betting closes."""

    may_ask = PLAYER
    example = {"round": 42, "chance": "banca", "amount": 1_000}
    round: Round
    chance: Chance
    amount: Amount | None = None
    """Null: all of it."""
