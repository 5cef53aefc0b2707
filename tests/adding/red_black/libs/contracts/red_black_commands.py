"""Commands of red or black, beside those of any table against the house."""

from enum import StrEnum
from typing import Literal

from libs.contracts.commands import PLAYER, Amount, TableCommand
from libs.contracts.facts import Round

Colour = Literal["red", "black"]


class StakeOnColour(TableCommand):
    """The player's stake on `colour` is `amount` from now on, whatever it was, until the betting closes."""

    may_ask = PLAYER
    path = "/colours"
    summary = "Stake on a colour"
    example = {"round": 3, "colour": "red", "amount": 500}
    colour: Colour
    """What is bet on."""
    amount: Amount
    """All that is to lie on the colour."""
    round: Round | None = None
    """Null: the one that is open, or opens with it."""


class TakeBackColour(TableCommand):
    """The whole stake on `colour` comes back, before the betting closes."""

    may_ask = PLAYER
    path = "/colours/withdraw"
    summary = "Take a stake back"
    example = {"round": 3, "colour": "red"}
    colour: Colour
    """What was bet on."""
    round: Round
    """The one that is open."""


class RedBlackReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    COLOUR_BELOW_MINIMUM = "colour_below_minimum"
    """The stake is below `min_stake`."""
    COLOUR_ABOVE_MAXIMUM = "colour_above_maximum"
    """The stake is above `max_stake`."""
