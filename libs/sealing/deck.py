"""Shuffled cards with the secrets that belong to them, hidden from every printer and serialiser: a deck, a shoe."""

from collections.abc import Sequence
from typing import ClassVar, Self

from libs.cards.card import DECK_SIZE, Card
from libs.sealing.secret import SecretBytes

_SALT_BYTES = 32
_KEY_BYTES = 32
_SECRETS = _SALT_BYTES + _KEY_BYTES


class ShuffledCards(SecretBytes):
    """Cards in order of dealing, the root of the leaf salts, and the data key that seals them at rest."""

    __slots__ = ()
    _decks: ClassVar[tuple[int, ...]]
    """How many decks may be shuffled together."""
    _whole: ClassVar[str]

    @classmethod
    def of(cls, cards: Sequence[Card], salt_secret: bytes, data_key: bytes) -> Self:
        """ValueError when the cards are not whole decks or a secret has not 32 bytes; the text names no card."""
        decks, over = divmod(len(cards), DECK_SIZE)
        if over or decks not in cls._decks or sorted(cards) != sorted([*range(DECK_SIZE)] * decks):
            raise ValueError(cls._whole)
        if len(salt_secret) != _SALT_BYTES or len(data_key) != _KEY_BYTES:
            raise ValueError("salt and key are 32 bytes each")
        return cls(bytes(cards) + salt_secret + data_key)

    @property
    def cards(self) -> bytes:
        """The card at each position, 0 the top."""
        return self._hidden[:-_SECRETS]

    @property
    def salt_secret(self) -> bytes:
        return self._hidden[-_SECRETS:-_KEY_BYTES]

    @property
    def data_key(self) -> bytes:
        return self._hidden[-_KEY_BYTES:]

    @property
    def material(self) -> bytes:
        """Cards and salt, the part that is sealed under the data key."""
        return self._hidden[:-_KEY_BYTES]

    @classmethod
    def from_material(cls, material: bytes, data_key: bytes) -> Self:
        return cls.of(material[:-_SALT_BYTES], material[-_SALT_BYTES:], data_key)


class Deck(ShuffledCards):
    """The 52 cards of one hand or round."""

    __slots__ = ()
    _decks = (1,)
    _whole = "a deck is every card once"


class Shoe(ShuffledCards):
    """2 to 8 decks shuffled together, 104 to 416 cards, dealt from over many coups."""

    __slots__ = ()
    _decks = (2, 3, 4, 5, 6, 7, 8)
    _whole = "a shoe is every card as often as it has decks, 2 to 8"

    @property
    def decks(self) -> int:
        return len(self.cards) // DECK_SIZE
