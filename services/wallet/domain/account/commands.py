"""What may be asked of an account. `by` is who asks; amounts are minor units of the account's currency, above zero."""

import msgspec

from libs.contracts import wallet_events as events


class By(msgspec.Struct, frozen=True):
    """Principal of the command: kind (`player`, `staff`, `policy`, `timer`, `operator`) and id."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


class OpenAccount(msgspec.Struct, frozen=True):
    by: By
    player: str
    currency: str
    demo: bool


class DepositFunds(msgspec.Struct, frozen=True):
    by: By
    reference: str
    amount: int


class WithdrawFunds(msgspec.Struct, frozen=True):
    by: By
    reference: str
    amount: int


class HoldFunds(msgspec.Struct, frozen=True):
    by: By
    hold: str
    sitting: str
    table: str
    amount: int


class ReleaseHold(msgspec.Struct, frozen=True):
    by: By
    hold: str
    reason: str


class SettleHold(msgspec.Struct, frozen=True):
    by: By
    sitting: str
    returned: int
    settlement: str = ""
    """Which leaving this settles; a void hand may refund a player who had gone."""


class ReportSignal(msgspec.Struct, frozen=True):
    """Something that was noticed of whoever uses the account; `report` counts once, for ever (pt-811-2015 11)."""

    by: By
    report: str
    kind: events.SignalKind
    value: str


class ChargeFee(msgspec.Struct, frozen=True):
    """A charge by the session (pt-217-2007 7.b): once, out of free money."""

    by: By
    fee: str
    table: str
    rulebook: str
    amount: int


Command = OpenAccount | DepositFunds | WithdrawFunds | HoldFunds | ReleaseHold | SettleHold | ReportSignal | ChargeFee
