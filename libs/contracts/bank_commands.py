"""Commands of any table against the house: its bank and its rounds.

Two of the staff are needed to move money: one asks, another approves.
"""

from enum import StrEnum

from libs.contracts.bank_events import Direction
from libs.contracts.commands import Amount, PlayerCommand, SupervisorCommand, TableCommand
from libs.contracts.facts import Round
from libs.contracts.texts import Id, Words


class BankCommand(TableCommand):
    """Of a table's bank: of people alone, so that two who agree are two."""

    may_ask = ("staff",)
    roles = ("cashier", "supervisor")


class RequestBankChange(BankCommand):
    """Money from the treasury to the bank, or back. Above what the table lets one move alone, nothing moves before
    another one of the staff approves."""

    only_while_open = True
    example = {"change": "bank-20260102-1", "direction": "top_up", "amount": 500_000, "reason": "evening shift"}
    change: Id
    """The operator's own name for it; it counts once."""
    direction: Direction
    amount: Amount
    reason: Words


class ApproveBankChange(BankCommand):
    """By another one of the staff than the one who asked. `opening` is the change with which the bank is opened."""

    only_while_open = True
    example = {"change": "bank-20260102-1", "direction": "top_up", "amount": 500_000}
    change: Id
    direction: Direction
    amount: Amount
    """What is approved, as whoever approves has seen it: a change of the same name that says something else stays."""


class DeclineBankChange(BankCommand):
    """The change is spent; nothing moves. Also by the one who asked."""

    example = {"change": "bank-20260102-1", "reason": "not today"}
    change: Id
    reason: Words


class DealRound(PlayerCommand):
    """A single player starts the deal, with a stake placed, and waits for no clock (pt-803-2015-no-draw 15,
    pt-812-2015-baccarat 28)."""

    example = {"round": 17}
    round: Round


class VoidRound(SupervisorCommand):
    """A round can't go on: every stake goes back (pt-803-2015-no-draw 33, pt-812-2015-baccarat 29). From the close of
    the bets on two of the staff have to ask for it."""

    may_ask = ("staff",)
    voids = True
    example = {"round": 17, "cause": "a shoe was lost"}
    round: Round
    cause: Words


class BankedReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    WRONG_ROUND = "wrong_round"
    """The command names another round than the one that is open."""
    NO_ROUND = "no_round"
    """No round is open."""
    BETTING_IS_CLOSED = "betting_is_closed"
    """The betting period is over."""
    ABOVE_STACK = "above_stack"
    """The player has fewer chips."""
    NO_STAKE = "no_stake"
    """The player has staked nothing in this round."""
    DEALT_BY_THE_CLOCK = "dealt_by_the_clock"
    """At a table for many the clock deals, not a player."""
    BANK_TOO_SMALL = "bank_too_small"
    """The bank could not pay all seats at their limits."""
