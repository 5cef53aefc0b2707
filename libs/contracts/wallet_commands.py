"""Commands that the wallet service takes. Stream = account id, `account-<player>-<CUR>` (`-demo` for play money)."""

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.messages import Message
from libs.contracts.table_commands import Amount, Id

Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Reference = Annotated[str, Field(min_length=1, max_length=128)]


class OpenAccount(Message):
    player: Id
    currency: Currency
    kind: Literal["real", "demo"] = "real"


class DepositFunds(Message):
    """Operator. The reference is the operator's own and counts once, for ever; with other content it is a conflict."""

    reference: Reference
    amount: Amount


class WithdrawFunds(Message):
    reference: Reference
    amount: Amount


class HoldFunds(Message):
    """Policy, after `SeatReserved` or `TopUpDue`. `sitting` is the reservation; a buy-in's hold has the same id."""

    hold: Id
    sitting: Id
    table: Id
    amount: Amount


class ReleaseHold(Message):
    """Policy: the seat or top-up came to nothing."""

    hold: Id
    reason: str = Field(max_length=64)


class SettleHold(Message):
    """Policy, after `PlayerLeft`: every hold of the sitting ends and `returned` comes home.

    `settlement` tells a sitting's settlements apart: a void hand may send a refund after a player who had gone
    (pt-811-2015 72). Each counts once, for ever; with other content it is a conflict.
    """

    sitting: Id
    returned: int = Field(ge=0)
    settlement: str = Field(default="", max_length=128)


class ChargeFee(Message):
    """Policy, after `SessionFeeDue` (pt-217-2007 7.b): out of free money, once for ever."""

    fee: str = Field(min_length=1, max_length=200)
    table: Id
    rulebook: str = Field(min_length=1, max_length=64)
    amount: Amount


SignalKind = Literal["device", "address", "payment", "program"]


class ReportSignal(Message):
    """Operator: a device, an address, a means of payment or a program that was seen with an account (pt-811-2015 11).

    `value` is a keyed digest, save of a program, which has its name. `report` counts once, for ever.
    """

    report: Reference
    kind: SignalKind
    value: str = Field(min_length=1, max_length=128)


WALLET_COMMANDS: tuple[type[Message], ...] = (
    OpenAccount, DepositFunds, WithdrawFunds, HoldFunds, ReleaseHold, SettleHold, ReportSignal,
    ChargeFee,
)  # fmt: skip


def account_id(player: str, currency: str, kind: str = "real") -> str:
    return f"account-{player}-{currency}" + ("-demo" if kind == "demo" else "")
