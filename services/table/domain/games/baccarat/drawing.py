"""Who receives a third card: the drawing table of pt-812-2015 20, as data."""

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


def ponto_draws(score: int) -> bool:
    """Of Ponto's initial score, when neither side has a natural (19, 20)."""
    return score <= _PONTO_DRAWS_UP_TO


def banca_draws(score: int, ponto_third: int | None) -> bool:
    """Of Banca's initial score 0 to 7 and the face of Ponto's third card, None when Ponto stood."""
    if ponto_third is None:
        return score <= _BANCA_DRAWS_ALONE_UP_TO
    return ponto_third in _BANCA_DRAWS[score]
