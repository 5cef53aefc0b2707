"""Events of a table's escrow at the wallet: what lies at that table of players' money and of its bank, and what of it
goes home (adr/0022). Of real money alone.

No money moves by any of them: it moves in the players' accounts. `left` is what may still come home in that currency
after the event, minor units; below zero where people have taken more out of a bank than lies there.
"""

from typing import Annotated

import msgspec

from libs.contracts.bank_events import Direction
from libs.contracts.facts import MAX_NUMBER, Chips, Moment, Part, WalletEvent
from libs.contracts.texts import Currency, Id, line, name


class HomeClaim(Part):
    """What a player takes home, as table and account say it: a stack, a refund, or funds that never became chips."""

    player: Id
    """Who is to get it."""
    currency: Currency
    """Of the account."""
    sitting: Id
    """The reservation."""
    amount: Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER, description="minor units of the currency (cents)")]
    """Minor units."""
    settlement: Annotated[str, name(128, 0)] = ""
    """Of chips: what tells a sitting's settlements apart."""
    reserve: Annotated[str, name(64, 0)] = ""
    """Of funds that never became chips: their reserve; empty: they are chips."""
    reason: Annotated[str, line(64, 0)] = ""
    """Why those did not."""


class EscrowEvent(WalletEvent):
    """Of what lies at one table. `account` is the escrow's stream."""

    table: str
    left: int


class ReserveNoted(EscrowEvent):
    """`player` has brought so much to the table: it is reserved in the account."""

    reserve: str
    amount: Chips


class RiskNoted(EscrowEvent):
    """The table has a bank in this currency, and the house accepts to lose `amount` in one of its rounds beyond it."""

    amount: Chips
    alone_up_to: Chips
    """What one of the staff may add to the bank alone until two have agreed again."""


class BankNoted(EscrowEvent):
    """People have moved so much between treasury and bank."""

    change: str
    direction: Direction
    amount: Chips
    alone: bool
    """By one of the staff."""


class CoverNoted(EscrowEvent):
    """The house has added so much for a lawful payout above the bank, out of what it accepts to lose."""

    amount: Chips


class BankReturned(EscrowEvent):
    """The bank is closed: `amount` of it went back to the treasury, and no round can cost more any more."""

    amount: Chips


class HomeHeld(EscrowEvent):
    """Not covered: nothing goes home, unless so much is noted at that table within a day."""

    claim: HomeClaim
    """What is to go home."""
    since: Moment
    """When that was decided."""


class HomeCovered(EscrowEvent):
    """By what lies at the table: it goes home from here on."""

    claim: HomeClaim
    """What goes home."""
    more: bool = False
    """Others that were held may be covered, too, which did not fit into this commit: they follow by themselves."""


class HomeStruck(EscrowEvent):
    """It was held for a day, or there was no room for it: it does not go home by itself. Staff pay what is owed."""

    claim: HomeClaim
    """What does not."""
    more: bool = False
    """As in `HomeCovered`."""
