"""A coup out of the shoe: the order of the cards decides everything (pt-812-2015 16 to 20, FP-3).

Who receives a third card is the drawing table of rule 20, as data.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.cards.card import Card
from services.table.domain.games.baccarat.scores import NATURAL, Winner, face_of, is_pair, score, winner_of

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
