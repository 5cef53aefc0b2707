"""What happened to a table's bank. `bank` is its balance afterwards, minor units of `currency`, never below zero."""

from typing import Literal

from services.table.domain.table.configuration import Kind
from services.table.domain.table.events import Event

Direction = Literal["top_up", "drop"]


class BankOpened(Event, frozen=True, kw_only=True):
    """`risk_limit`: the most that the house is ready to lose in one round at this table."""

    amount: int
    bank: int
    risk_limit: int
    currency: str
    kind: Kind
    by: str


class BankChangeRequested(Event, frozen=True, kw_only=True):
    """Nothing moves before another of the staff approves."""

    change: str
    direction: Direction
    amount: int
    currency: str
    by: str
    reason: str


class BankToppedUp(Event, frozen=True, kw_only=True):
    change: str
    amount: int
    bank: int
    currency: str
    kind: Kind
    requested_by: str
    by: str


class BankDropped(Event, frozen=True, kw_only=True):
    """Money of the bank goes back to the treasury."""

    change: str
    amount: int
    bank: int
    currency: str
    kind: Kind
    requested_by: str
    by: str


class BankChangeDeclined(Event, frozen=True, kw_only=True):
    change: str
    direction: Direction
    amount: int
    currency: str
    requested_by: str
    by: str
    reason: str


class BankAlarmRaised(Event, frozen=True, kw_only=True):
    """`exposure` is the most that a round can cost, more than the bank has."""

    bank: int
    exposure: int
    currency: str
    cause: str


class BankCovered(Event, frozen=True, kw_only=True):
    """The treasury adds what the bank lacks, so that a lawful win is paid in full."""

    amount: int
    bank: int
    currency: str
    kind: Kind
    cause: str


class BankClosed(Event, frozen=True, kw_only=True):
    """All of the bank goes back to the treasury; the table is about to close."""

    amount: int
    currency: str
    kind: Kind


BankEvent = (
    BankOpened | BankChangeRequested | BankToppedUp | BankDropped | BankChangeDeclined | BankAlarmRaised | BankCovered
    | BankClosed
)  # fmt: skip
