"""Commands of tables against the house, as the table service takes them. Stream = table id."""

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, HandNumber, Id

Chance = Literal["ponto", "banca", "empate", "par_ponto", "par_banca"]
Reason = Annotated[str, Field(min_length=1, max_length=200)]


class PlaceAnte(Message):
    """Player, no-draw poker: the ante is `amount` from now on. No round: the one that is open, or opens with it."""

    amount: Amount
    round: HandNumber | None = None


class WithdrawAnte(Message):
    """Player, no-draw poker: the whole ante comes back, before the betting closes."""

    round: HandNumber


class DealRound(Message):
    """Player at a single table of no-draw poker, with an ante placed (pt-803-2015-no-draw 15)."""

    round: HandNumber


class DecideHand(Message):
    """Player, no-draw poker. `bet`, where it is said, has to be what the table asks for (2.f)."""

    round: HandNumber
    decision: Literal["fold", "continue"]
    bet: Amount | None = None


class PlaceStake(Message):
    """Player, baccarat: `amount` more on `chance`. No round named: the coup that is open or opens with it."""

    chance: Chance
    amount: Amount
    round: HandNumber | None = None


class WithdrawStake(Message):
    """Player, baccarat: `amount` off `chance`, or all of it, before the betting closes."""

    round: HandNumber
    chance: Chance
    amount: Amount | None = None


class DealCoup(Message):
    """Player at a single table of baccarat, with a bet placed (pt-812-2015-baccarat 28)."""

    round: HandNumber


class VoidRound(Message):
    """Staff, when a round against the house can't go on: every stake goes back."""

    round: HandNumber
    cause: Reason


class RequestBankChange(Message):
    """Staff: money from the treasury to the bank, or back. Nothing moves before another one approves."""

    change: Id
    direction: Literal["top_up", "drop"]
    amount: Amount
    reason: Reason


class ApproveBankChange(Message):
    """Staff, another principal than the one who asked."""

    change: Id


class DeclineBankChange(Message):
    change: Id
    reason: Reason


HOUSE_COMMANDS: tuple[type[Message], ...] = (
    PlaceAnte, WithdrawAnte, DealRound, DecideHand, PlaceStake, WithdrawStake, DealCoup, VoidRound,
    RequestBankChange, ApproveBankChange, DeclineBankChange,
)  # fmt: skip
