"""Who plays the next hand, from where, and which blinds were missed by whom."""

from dataclasses import dataclass

from libs.contracts.poker_events import MissedBlind


@dataclass(frozen=True, slots=True)
class Plan:
    button: int
    small_blind: int
    big_blind: int
    entries: tuple[int, ...]
    """Seats that freely post a live big blind to be dealt in at once."""
    dealt: tuple[int, ...]
    """Clockwise from the left of the button."""
    lead: int | None = None
    """The lead seat, where the rulebook has one."""
    missed: tuple[MissedBlind, ...] = ()
    """Blinds that went past who is not dealt in."""
