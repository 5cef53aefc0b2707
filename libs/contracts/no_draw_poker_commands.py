"""Commands of no-draw poker (pt-803-2015-no-draw), beside those of any table against the house."""

from typing import Literal

from libs.contracts.commands import PLAYER, Amount, TableCommand
from libs.contracts.facts import Round


class PlaceAnte(TableCommand):
    """The ante is `amount` from now on, whatever it was, until the betting closes (2.a, 16)."""

    may_ask = PLAYER
    example = {"round": 17, "amount": 500}
    amount: Amount
    round: Round | None = None
    """Null: the one that is open, or opens with it."""


class WithdrawAnte(TableCommand):
    """The whole ante comes back, before the betting closes."""

    may_ask = PLAYER
    example = {"round": 17}
    round: Round


class DecideHand(TableCommand):
    """Fold, or continue with twice the ante; one decision, which nobody can take back (20, 22, 23)."""

    may_ask = PLAYER
    example = {"round": 17, "decision": "continue", "bet": 1_000}
    round: Round
    decision: Literal["fold", "continue"]
    bet: Amount | None = None
    """Where it is said, it has to be what the table asks for (2.f)."""
