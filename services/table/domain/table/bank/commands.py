"""What staff can ask of a table's bank. Two of them are needed to move money: one asks, another approves."""

from typing import Literal

from services.table.domain.table.commands import STAFF, Command

Direction = Literal["top_up", "drop"]


class RequestBankChange(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    only_while_open = True
    change: str
    direction: Direction
    amount: int
    reason: str


class ApproveBankChange(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    only_while_open = True
    change: str


class DeclineBankChange(Command, frozen=True, kw_only=True):
    may_ask = STAFF
    change: str
    reason: str
