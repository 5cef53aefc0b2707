"""Public events of the wallet service. `available` and `held` are the account's figures after it, minor units."""

from typing import Literal

from libs.contracts.messages import Message

Refusal = Literal["insufficient_funds", "account_closed"]


class WalletEvent(Message):
    account: str
    player: str
    currency: str


class AccountOpened(WalletEvent):
    kind: Literal["real", "demo"]


class FundsDeposited(WalletEvent):
    reference: str
    amount: int
    available: int
    held: int


class FundsWithdrawn(WalletEvent):
    reference: str
    amount: int
    available: int
    held: int


class WithdrawalRefused(WalletEvent):
    reference: str
    amount: int
    available: int
    reason: Refusal


class FundsHeld(WalletEvent):
    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    held: int


class HoldRefused(WalletEvent):
    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    reason: Refusal


class HoldReleased(WalletEvent):
    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    held: int
    reason: str


class HoldSettled(WalletEvent):
    """The sitting is over: `brought` was held for it, `returned` came home; the difference was won, lost or rake."""

    sitting: str
    table: str
    brought: int
    returned: int
    available: int
    held: int


class FeeCharged(WalletEvent):
    """A session's charge: from the player's free money to the house (pt-217-2007 7.b)."""

    fee: str
    table: str
    rulebook: str
    amount: int
    available: int
    held: int


class FeeRefused(WalletEvent):
    fee: str
    table: str
    amount: int
    available: int
    reason: Refusal


class SignalReported(WalletEvent):
    """Seen with the account (pt-811-2015 11.c, 11.f): `value` is a keyed digest, or a program's name. No money."""

    report: str
    kind: Literal["device", "address", "payment", "program"]
    value: str


WALLET_EVENTS: tuple[type[WalletEvent], ...] = (
    AccountOpened, FundsDeposited, FundsWithdrawn, WithdrawalRefused, FundsHeld, HoldRefused, HoldReleased, HoldSettled,
    SignalReported, FeeCharged, FeeRefused,
)  # fmt: skip
