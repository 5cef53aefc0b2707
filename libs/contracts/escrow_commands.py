"""Commands to a table's escrow. The wallet's own policies alone send them; stream = `escrow-<table>`."""

from typing import Annotated

import msgspec

from libs.contracts.bank_events import Direction
from libs.contracts.commands import MAX_AMOUNT, POLICY, Amount, WalletCommand
from libs.contracts.escrow_events import HomeClaim
from libs.contracts.facts import When
from libs.contracts.texts import Currency, Id

Sum = Annotated[int, msgspec.Meta(ge=0, le=MAX_AMOUNT, description="minor units of the currency (cents)")]
ESCROW = "escrow-"
"""What the streams begin with that know what lies at tables; no account's does."""


def escrow_of(table: str) -> str:
    return ESCROW + table


class EscrowCommand(WalletCommand):
    """Of one table."""

    may_ask = POLICY
    roles = ()
    scope = None
    table: Id


class TimedEscrowCommand(EscrowCommand):
    """Counted once by its own id, which the journal remembers as long as it takes commands of that age (journal 13)."""

    told_at: When
    """When the event was told that it answers: under another id it is refused once the journal may have forgotten."""


class NoteReserve(TimedEscrowCommand):
    """After `FundsReserved`."""

    example = {
        "table": "table-1", "reserve": "reservation-41", "player": "alice", "currency": "EUR", "amount": 10_000,
        "told_at": 1_768_161_600_000,
    }  # fmt: skip
    reserve: Id
    player: Id
    currency: Currency
    amount: Amount


class NoteRisk(EscrowCommand):
    """After `BankOpened`, for which somebody of the staff has asked; it counts once."""

    example = {"table": "table-1", "currency": "EUR", "amount": 500_000, "alone_up_to": 100_000}
    currency: Currency
    amount: Sum
    """What the house accepts to lose in one round."""
    alone_up_to: Sum
    """What one of the staff may add alone until two have agreed again."""


class NoteBank(EscrowCommand):
    """After `BankToppedUp` or `BankDropped`, for which people have asked; a change counts once."""

    example = {
        "table": "table-1", "change": "bank-20260102-1", "direction": "top_up", "currency": "EUR", "amount": 500_000,
    }  # fmt: skip
    change: Id
    direction: Direction
    currency: Currency
    amount: Amount
    alone: bool = False
    """By one of the staff."""


class NoteCover(TimedEscrowCommand):
    """After `BankCovered`."""

    example = {"table": "table-1", "currency": "EUR", "amount": 20_000, "told_at": 1_768_161_600_000}
    currency: Currency
    amount: Amount


class ReturnBank(EscrowCommand):
    """After `BankClosed`; it counts once."""

    example = {"table": "table-1", "currency": "EUR", "amount": 480_000}
    currency: Currency
    amount: Sum
    """What went back to the treasury."""


class ClaimHome(TimedEscrowCommand):
    """After `HomeAsked`: it goes home if it is covered, and is held if not."""

    example = {
        "table": "table-1",
        "told_at": 1_768_161_600_000,
        "claim": {
            "player": "alice", "currency": "EUR", "sitting": "reservation-41", "amount": 12_500, "settlement": "e-7",
        },
    }  # fmt: skip
    claim: HomeClaim
    """What is to go home."""


class ReviewEscrow(EscrowCommand):
    """After `HomeCovered` or `HomeStruck` with `more`: whether more of what is held is covered."""

    example = {"table": "table-1"}
