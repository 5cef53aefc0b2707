"""Where the cards of a round lie in the deck (pt-803-2015 19)."""

from collections.abc import Sequence

HAND_SIZE = 5
BURN_POSITION = 0
"""The first card goes to the discard corner, face down (19.a)."""
_FIRST = BURN_POSITION + 1


def player_positions(seats: Sequence[int]) -> dict[int, list[int]]:
    """Deck positions of each seat's five cards: one to each seat clockwise, one to the dealer, five times (19.b).

    `seats` are those with an ante, ascending: the lowest number is dealt first.
    """
    return {seat: _laps(place, len(seats)) for place, seat in enumerate(seats)}


def dealer_positions(players: int) -> list[int]:
    """The dealer's five; the last of them lies open (19.c)."""
    return _laps(players, players)


def _laps(place: int, players: int) -> list[int]:
    return [_FIRST + place + lap * (players + 1) for lap in range(HAND_SIZE)]
