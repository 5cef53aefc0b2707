"""What can have happened to an account. Each event carries the figures after it, so that nobody computes them twice.

`by` names the principal of a movement (ACC-2). `available` and `held` are minor units and never below zero.
"""

from typing import Literal

import msgspec

Refusal = Literal["insufficient_funds", "account_closed"]
SignalKind = Literal["device", "address", "payment", "program"]
"""What may be reported of an account; all but a program come as digests."""


class AccountOpened(msgspec.Struct, frozen=True):
    player: str
    currency: str
    demo: bool
    by: str


class FundsDeposited(msgspec.Struct, frozen=True):
    reference: str
    amount: int
    available: int
    held: int
    by: str


class FundsWithdrawn(msgspec.Struct, frozen=True):
    reference: str
    amount: int
    available: int
    held: int
    by: str


class WithdrawalRefused(msgspec.Struct, frozen=True):
    """The reference is used up by it: a repetition never pays out later."""

    reference: str
    amount: int
    available: int
    reason: Refusal
    by: str


class FundsHeld(msgspec.Struct, frozen=True):
    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    held: int


class HoldRefused(msgspec.Struct, frozen=True):
    """Final for this hold id: the table gives the seat or the top-up up."""

    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    reason: Refusal


class HoldReleased(msgspec.Struct, frozen=True):
    hold: str
    sitting: str
    table: str
    amount: int
    available: int
    held: int
    reason: str


class HoldSettled(msgspec.Struct, frozen=True):
    """Every hold of the sitting is closed: `brought` was their sum, `returned` came home.

    A later settlement of the same sitting brings a refund home; its `brought` is zero.
    """

    sitting: str
    table: str
    brought: int
    returned: int
    available: int
    held: int
    settlement: str = ""


class SignalReported(msgspec.Struct, frozen=True):
    """No money moves. `value` is a keyed digest, or the name of a program."""

    report: str
    kind: SignalKind
    value: str
    by: str


class FeeCharged(msgspec.Struct, frozen=True):
    """A session's charge: from free money to the house (pt-217-2007 7.b)."""

    fee: str
    table: str
    rulebook: str
    amount: int
    available: int
    held: int


class FeeRefused(msgspec.Struct, frozen=True):
    """There was not enough; the table's staff hear of it."""

    fee: str
    table: str
    amount: int
    available: int
    reason: Refusal


Event = (
    AccountOpened
    | FundsDeposited
    | FundsWithdrawn
    | WithdrawalRefused
    | FundsHeld
    | HoldRefused
    | HoldReleased
    | HoldSettled
    | SignalReported
    | FeeCharged
    | FeeRefused
)
