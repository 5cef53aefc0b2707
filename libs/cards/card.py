"""One card of a 52-card deck: an integer 0..51, four times the rank (2 = 0 … ace = 12) plus the suit (c d h s)."""

from collections.abc import Iterable

Card = int

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK_SIZE = 52
DECK: tuple[Card, ...] = tuple(range(DECK_SIZE))
"""All cards once, lowest first; the same numbering as phevaluator's."""

_NAMES: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS: dict[str, Card] = {name: card for card, name in enumerate(_NAMES)}


def parse(name: str) -> Card:
    """The card called `Th`; ValueError for anything that is no card."""
    card = _CARDS.get(name)
    if card is None:
        raise ValueError("not a card: two characters, rank 2-9 T J Q K A, then suit c d h s")
    return card


def name_of(card: Card) -> str:
    """`Th` for the ten of hearts; IndexError outside 0..51."""
    if card < 0:
        raise IndexError(card)
    return _NAMES[card]


def parse_all(names: str | Iterable[str]) -> tuple[Card, ...]:
    """Cards of `As Kd 7h` or of a list of such names, in order."""
    return tuple(parse(name) for name in (names.split() if isinstance(names, str) else names))


def names_of(cards: Iterable[Card]) -> list[str]:
    return [name_of(card) for card in cards]
