"""Public events of conduct at any table: what players write to each other, measures against players, tips.

`sealed` is what a player wrote, closed by the gateway: it alone opens it, for those who may read it and when they may.
"""

from typing import Literal

from libs.contracts.facts import Chips, Seat, TableEvent


class MessageEvent(TableEvent):
    """Of one message."""

    message: str
    player: str
    sealed: str


class MessageSent(MessageEvent):
    """A player's message, delivered to the table."""


class MessageInRound(MessageEvent):
    """Of a message that was written while a round runs."""

    round: int
    names_cards: bool = False


class MessageWithheld(MessageInRound):
    """Written while a round runs: nobody gets it before that is over. `names_cards`: it looked like cards."""


class MessageBlocked(MessageInRound):
    """Written while a round runs, or by a muted player: it is never delivered."""

    reason: Literal["round_running", "muted"]


class ConductWarned(TableEvent):
    """A measure: who warned whom, under which rule and why. `count` is the player's number of warnings in this game."""

    player: str
    rule: str
    cause: str
    by: str
    count: int
    grave: bool = False


class PlayerMuted(TableEvent):
    """Staff took the player's right to write at this table."""

    player: str
    by: str
    cause: str


class DealerTipped(TableEvent):
    """Out of the stack into the slot for tips: never part of a pot or of the commission (pt-217-2007 9.d)."""

    player: str
    seat: Seat
    reservation: str
    amount: Chips
    stack: Chips
    currency: str
