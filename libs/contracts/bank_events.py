"""Public events of a table's bank: the house's own money at a table, from the treasury and back.

Amounts are minor units of `currency`; `bank` is what lies in the bank afterwards. The bank is never below zero.
"""

from typing import Literal

from libs.contracts.configurations import Kind
from libs.contracts.facts import Chips, TableEvent

Direction = Literal["top_up", "drop"]
OPENING = "opening"
"""Name of the change with which a bank gets its first money."""


class BankEvent(TableEvent):
    """Money moved between the treasury and the bank."""

    currency: str
    kind: Kind


class BankOpened(BankEvent):
    """Empty, until a second one of the staff approves the change `opening` that follows; `risk_limit` is the worst case
    of one round that the house accepts at this table."""

    amount: Chips
    bank: Chips
    risk_limit: Chips
    by: str
    alone_up_to: Chips = 0
    """What one of the staff may move alone until two have agreed again, once another one has approved the change
    `opening`; 0: nothing."""


class BankChangeRequested(TableEvent):
    """One of the staff asks; nothing moves before another one approves."""

    change: str
    direction: Direction
    amount: Chips
    currency: str
    by: str
    reason: str
    alone_up_to: Chips = 0
    """Of the change `opening`: what one may move alone once it is approved."""


class BankChanged(BankEvent):
    """A change that one of the staff asked for and another approved; the same one within `alone_up_to`."""

    change: str
    amount: Chips
    bank: Chips
    requested_by: str
    by: str


class BankToppedUp(BankChanged):
    """From the treasury to the bank; `by` approved what `requested_by` had asked for."""


class BankDropped(BankChanged):
    """From the bank to the treasury; `by` approved what `requested_by` had asked for."""


class BankChangeDeclined(TableEvent):
    """One of the staff declined: nothing moves, and the id of the change is used up."""

    change: str
    direction: Direction
    amount: Chips
    currency: str
    requested_by: str
    by: str
    reason: str


class BankAlarmRaised(TableEvent):
    """The bank may not be able to pay alone; lawful bets go on, and the table closes after the round."""

    bank: Chips
    exposure: Chips
    currency: str
    cause: str


class BankCovered(BankEvent):
    """The treasury adds what the bank lacks for a lawful payout, before the settlement that needs it."""

    amount: Chips
    bank: Chips
    cause: str


class BankClosed(BankEvent):
    """The rest goes back to the treasury before the table closes."""

    amount: Chips
