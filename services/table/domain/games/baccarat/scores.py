"""What cards count and when two are a pair (pt-812-2015 2.e, 7, 8, 11, 12)."""

from collections.abc import Iterable
from typing import Literal

from libs.cards.card import Card

Side = Literal["ponto", "banca"]
Winner = Literal["ponto", "banca", "empate"]
NATURAL = 8
"""A side that has 8 or 9 with its initial cards (19)."""
_SUITS = 4
_TEN, _ACE = 8, 12
"""Ranks as cards are numbered: 0 is the two."""


def face_of(card: Card) -> int:
    """1 for the ace, 2 to 9, and 10 for ten, jack, queen and king: how the drawing table names a third card."""
    rank = card // _SUITS
    if rank == _ACE:
        return 1
    return 10 if rank >= _TEN else rank + 2


def points_of(card: Card) -> int:
    """The ace 1, king, queen, jack and 10 nothing, the others their face (7)."""
    return face_of(card) % 10


def score(cards: Iterable[Card]) -> int:
    """The last digit of the sum, so exactly 10 or 20 is 0 (reading of 8)."""
    return sum(points_of(card) for card in cards) % 10


def is_pair(first: Card, second: Card) -> bool:
    """The same rank whatever the suit (11): a king pairs a king, not a queen (12)."""
    return first // _SUITS == second // _SUITS


def winner_of(ponto: int, banca: int) -> Winner:
    """Of two scores (22, 23)."""
    if ponto == banca:
        return "empate"
    return "ponto" if ponto > banca else "banca"
