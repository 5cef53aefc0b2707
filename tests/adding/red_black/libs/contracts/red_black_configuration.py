"""What an operator chose for a table of red or black."""

from libs.contracts.configurations import BankedConfiguration, BankedTiming, Group
from libs.contracts.facts import Chips, Milliseconds


class RedBlackTiming(BankedTiming):
    """Clocks and hours of a table of red or black."""

    betting_ms: Milliseconds
    """How long stakes may be placed at a table for many; a single player asks for the card."""


class RedBlackBetting(Group):
    """Limits of a stake."""

    min_stake: Chips
    """Least that a player has on a colour."""
    max_stake: Chips
    """Most that a player has on a colour."""


class RedBlackConfiguration(BankedConfiguration, tag="red_black"):
    """Red or black: one card of a fresh deck, and everybody has staked on its colour."""

    in_words = (
        "Stake {min_stake} to {max_stake} on red, on black, or on both.",
        "One card of a freshly shuffled deck is turned up: its colour is paid 1 to 1, the other loses.",
        "An ace is the house's, whatever its colour: all stakes lose.",
    )
    edges = {"red": 76_923, "black": 76_923}  # 28 of 52 cards lose, 24 win
    timing: RedBlackTiming
    betting: RedBlackBetting
