"""A shuffled deck with the secrets that belong to it, hidden from every printer and serialiser."""

from libs.cards.card import DECK_SIZE, Card
from libs.sealing.secret import SecretBytes

_SALT_BYTES = 32
_KEY_BYTES = 32


class Deck(SecretBytes):
    """52 cards in order of dealing, the root of the leaf salts, and the data key that seals them at rest."""

    __slots__ = ()

    @classmethod
    def of(cls, cards: tuple[Card, ...], salt_secret: bytes, data_key: bytes) -> "Deck":
        """ValueError when it is not every card once with 32 bytes of salt and key; the text names no card."""
        if sorted(cards) != list(range(DECK_SIZE)):
            raise ValueError("a deck is every card once")
        if len(salt_secret) != _SALT_BYTES or len(data_key) != _KEY_BYTES:
            raise ValueError("salt and key are 32 bytes each")
        return cls(bytes(cards) + salt_secret + data_key)

    @property
    def cards(self) -> bytes:
        """The card at each position, 0 the top."""
        return self._hidden[:DECK_SIZE]

    @property
    def salt_secret(self) -> bytes:
        return self._hidden[DECK_SIZE : DECK_SIZE + _SALT_BYTES]

    @property
    def data_key(self) -> bytes:
        return self._hidden[DECK_SIZE + _SALT_BYTES :]

    @property
    def material(self) -> bytes:
        """Cards and salt, the part that is sealed under the data key."""
        return self._hidden[: DECK_SIZE + _SALT_BYTES]

    @classmethod
    def from_material(cls, material: bytes, data_key: bytes) -> "Deck":
        return cls.of(tuple(material[:DECK_SIZE]), material[DECK_SIZE:], data_key)
