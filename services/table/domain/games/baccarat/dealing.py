"""A coup out of the shoe: the order of the cards decides everything (pt-812-2015 16 to 20, FP-3).

What cards count and when two are a pair (2.e, 7, 8, 11, 12); who receives a third card is the drawing table of rule 20,
as data.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


MOST_CARDS = 6
_PONTO_DRAWS_UP_TO = 5
_BANCA_DRAWS_ALONE_UP_TO = 5
"""When Ponto stands."""
_ALL = frozenset(range(1, 11))
_BANCA_DRAWS: tuple[frozenset[int], ...] = (
    _ALL,
    _ALL,
    _ALL,
    _ALL - {8},
    frozenset({2, 3, 4, 5, 6, 7}),
    frozenset({4, 5, 6, 7}),
    frozenset({6, 7}),
    frozenset(),
)
"""By Banca's score: the faces of Ponto's third card on which Banca draws. 1 is the ace, 10 every card that counts 0."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One side's cards in order of dealing, the third last. Positions are places in the shoe, 0 the first card."""

    positions: tuple[int, ...]
    cards: tuple[Card, ...]

    @property
    def initial_score(self) -> int:
        return score(self.cards[:2])

    @property
    def score(self) -> int:
        return score(self.cards)

    @property
    def is_pair(self) -> bool:
        """Of the initial cards; the third does not count (11)."""
        return is_pair(self.cards[0], self.cards[1])


@dataclass(frozen=True, slots=True)
class Dealt:
    """A whole coup. `next_position` is the first card of the next one."""

    ponto: Drawn
    banca: Drawn
    next_position: int

    @property
    def natural(self) -> bool:
        return max(self.ponto.initial_score, self.banca.initial_score) >= NATURAL

    @property
    def winner(self) -> Winner:
        return winner_of(self.ponto.score, self.banca.score)


def deal_coup(shoe: Sequence[Card], first: int) -> Dealt:
    """Of the shoe's cards from position `first` on; IndexError when the shoe ends before the coup does."""
    # One at a time and alternately, beginning with Ponto (17).
    ponto, banca, place = [first, first + 2], [first + 1, first + 3], first + 4
    ponto_score, banca_score = (score(shoe[at] for at in side) for side in (ponto, banca))
    if max(ponto_score, banca_score) < NATURAL:  # 19
        third = None
        if ponto_draws(ponto_score):
            third = face_of(shoe[place])
            ponto.append(place)
            place += 1
        if banca_draws(banca_score, third):
            banca.append(place)
            place += 1
    return Dealt(_side(shoe, ponto), _side(shoe, banca), place)


def _side(shoe: Sequence[Card], positions: Sequence[int]) -> Drawn:
    return Drawn(tuple(positions), tuple(shoe[at] for at in positions))


def ponto_draws(score: int) -> bool:
    """Of Ponto's initial score, when neither side has a natural (19, 20)."""
    return score <= _PONTO_DRAWS_UP_TO


def banca_draws(score: int, ponto_third: int | None) -> bool:
    """Of Banca's initial score 0 to 7 and the face of Ponto's third card, None when Ponto stood."""
    if ponto_third is None:
        return score <= _BANCA_DRAWS_ALONE_UP_TO
    return ponto_third in _BANCA_DRAWS[score]
