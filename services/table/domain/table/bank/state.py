"""What is remembered of a table's bank beside its balance."""

import msgspec

from libs.contracts.bank_events import Direction


class BankChange(msgspec.Struct, frozen=True, kw_only=True):
    """Asked for by one of the staff; another has to approve it."""

    direction: Direction
    amount: int
    by: str


class BankOffice(msgspec.Struct, frozen=True, kw_only=True):
    risk_limit: int = 0
    pending: dict[str, BankChange] = {}
    alarmed: bool = False
    """An alarm was raised and no money has come since."""
