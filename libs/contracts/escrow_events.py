"""Events of a table's escrow at the wallet: what lies at that table of players' money and of its bank, and what of it
goes home (adr/0022). Of real money alone.

No money moves by any of them: it moves in the players' accounts. `left` is what may still come home after the event,
minor units, never below zero.
"""

from typing import Annotated, Literal

import msgspec

from libs.contracts.bank_events import Direction
from libs.contracts.facts import MAX_NUMBER, Chips, Part, WalletEvent
from libs.contracts.texts import Currency, Id, line, name

HomeLack = Literal["funds", "currency"]
"""What keeps money from going home: there is not so much at that table; it is of another currency."""


class HomeClaim(Part):
    """What the table says that a player takes home: a stack, a refund, or funds that never became chips."""

    player: Id
    """Who is to get it."""
    currency: Currency
    """As the table says it."""
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
    left: Chips


class ReserveNoted(EscrowEvent):
    """`player` has brought so much to the table: it is reserved in the account."""

    reserve: str
    amount: Chips


class RiskNoted(EscrowEvent):
    """The table has a bank, and the house accepts to lose so much in one of its rounds beyond what lies there."""

    amount: Chips


class BankNoted(EscrowEvent):
    """People have moved so much between treasury and bank."""

    change: str
    direction: Direction
    amount: Chips


class HomeNoted(EscrowEvent):
    """Went home without having been asked for here, as the wallet of before had it."""

    sitting: str
    amount: Chips


class HomeHeld(EscrowEvent):
    """Not covered: nothing goes home, unless what it lacks is noted later."""

    claim: HomeClaim
    """What the table says."""
    lacks: HomeLack
    """Why not."""


class HomeCovered(EscrowEvent):
    """By what lies at the table: it goes home from here on."""

    claim: HomeClaim
    """What the table says."""
    more: bool = False
    """Others that were held may be covered, too, which did not fit into this commit: they follow by themselves."""
