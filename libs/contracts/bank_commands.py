"""Commands of any table against the house: its bank and its rounds.

Two of the staff are needed to move money: one asks, another approves.
"""

from libs.contracts.bank_events import Direction
from libs.contracts.commands import PLAYER, STAFF, Amount, Id, TableCommand, Words
from libs.contracts.facts import Round


class RequestBankChange(TableCommand):
    """Money from the treasury to the bank, or back. Nothing moves before another one of the staff approves."""

    may_ask = STAFF
    only_while_open = True
    example = {"change": "bank-20260102-1", "direction": "top_up", "amount": 500_000, "reason": "evening shift"}
    change: Id
    """The operator's own name for it; it counts once."""
    direction: Direction
    amount: Amount
    reason: Words


class ApproveBankChange(TableCommand):
    """By another principal than the one who asked."""

    may_ask = STAFF
    only_while_open = True
    example = {"change": "bank-20260102-1"}
    change: Id


class DeclineBankChange(TableCommand):
    """The change is spent; nothing moves. Also by the one who asked."""

    may_ask = STAFF
    example = {"change": "bank-20260102-1", "reason": "not today"}
    change: Id
    reason: Words


class DealRound(TableCommand):
    """A single player starts the deal, with a stake placed, and waits for no clock (pt-803-2015-no-draw 15,
    pt-812-2015-baccarat 28)."""

    may_ask = PLAYER
    example = {"round": 17}
    round: Round


class VoidRound(TableCommand):
    """A round can't go on: every stake goes back (pt-803-2015-no-draw 33, pt-812-2015-baccarat 29)."""

    may_ask = STAFF
    example = {"round": 17, "cause": "a shoe was lost"}
    round: Round
    cause: Words
