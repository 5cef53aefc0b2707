"""Commitment to a deck or shoe: a Merkle root over salted card leaves, hashed as in RFC 6962 section 2.1.

leaf = SHA-256(0x00 ‖ position ‖ card ‖ salt), node = SHA-256(0x01 ‖ left ‖ right). Card is one byte; position is one
byte in a tree of up to 256 leaves and two bytes, the high one first, in a larger one, so a deck's hashes are what they
were before there were shoes. The salt of a leaf is HMAC-SHA-256(salt secret, position) cut to 16 bytes, so that
showing one says nothing of others.
"""

import hashlib
import hmac
from collections.abc import Sequence
from functools import cache, lru_cache

from libs.cards.card import DECK_SIZE
from libs.sealing.deck import ShuffledCards

SALT_BYTES = 16
_NARROW = 256
"""Up to so many leaves a position is one byte."""


@cache
def _places(size: int) -> tuple[bytes, ...]:
    """Every position as it is hashed in a tree of this size."""
    width = 1 if size <= _NARROW else 2
    return tuple(position.to_bytes(width, "big") for position in range(size))


def salt_of(salt_secret: bytes, position: int, size: int = DECK_SIZE) -> bytes:
    return hmac.digest(salt_secret, _places(size)[position], "sha256")[:SALT_BYTES]


def _salts(salt_secret: bytes, size: int) -> tuple[bytes, ...]:
    """`salt_of` every position; the key is worked in once."""
    keyed = hmac.new(salt_secret, digestmod="sha256")
    salts = []
    for place in _places(size):
        one = keyed.copy()
        one.update(place)
        salts.append(one.digest()[:SALT_BYTES])
    return tuple(salts)


def leaf_hash(position: int, card: int, salt: bytes, size: int = DECK_SIZE) -> bytes:
    return _leaf_hash(_places(size)[position], card, salt)


def _leaf_hash(place: bytes, card: int, salt: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + place + bytes((card,)) + salt).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


@cache
def _joints(size: int) -> tuple[tuple[int, int, int], ...]:
    """Start, middle and end of every inner node over `size` leaves, children before parents."""
    if size == 1:
        return ()
    middle = _split(size)
    right = tuple((start + middle, mid + middle, end + middle) for start, mid, end in _joints(size - middle))
    return (*_joints(middle), *right, (0, middle, size))


@cache
def _siblings(position: int, size: int) -> tuple[tuple[int, int], ...]:
    """Start and end of each node on the audit path of a leaf, nearest first."""
    path: list[tuple[int, int]] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if position < middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    return tuple(reversed(path))


class DeckTree:
    """All hashes of the tree of one deck or shoe, for the root and the proofs."""

    __slots__ = ("_hashes", "_salts", "_size")

    def __init__(self, cards: Sequence[int], salt_secret: bytes) -> None:
        self._size = len(cards)
        self._salts = _salts(salt_secret, self._size)
        hashes = {
            (position, position + 1): _leaf_hash(place, card, salt)
            for position, (place, card, salt) in enumerate(zip(_places(self._size), cards, self._salts, strict=True))
        }
        for start, middle, end in _joints(self._size):
            hashes[start, end] = _node_hash(hashes[start, middle], hashes[middle, end])
        self._hashes = hashes

    @property
    def root(self) -> bytes:
        return self._hashes[0, self._size]

    def salt(self, position: int) -> bytes:
        return self._salts[position]

    def proof(self, position: int) -> list[bytes]:
        """Audit path of RFC 6962, nearest sibling first."""
        return [self._hashes[node] for node in _siblings(position, self._size)]


@lru_cache(maxsize=128)
def deck_tree(deck: ShuffledCards) -> DeckTree:
    """The tree of a deck or shoe; remembered while it is likely to be dealt from."""
    return DeckTree(deck.cards, deck.salt_secret)


def root_from(position: int, card: int, salt: bytes, proof: Sequence[bytes], size: int = DECK_SIZE) -> bytes:
    """The root that a shown card leads to; ValueError when the proof has the wrong length."""
    turns: list[bool] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        left = position < middle
        turns.append(left)
        start, end = (start, middle) if left else (middle, end)
    if len(turns) != len(proof) or not 0 <= position < size:
        raise ValueError("position or proof does not fit the tree")
    digest = leaf_hash(position, card, salt, size)
    for left, sibling in zip(reversed(turns), proof, strict=True):
        digest = _node_hash(digest, sibling) if left else _node_hash(sibling, digest)
    return digest


def verify_card(
    root: bytes, position: int, card: int, salt: bytes, proof: Sequence[bytes], size: int = DECK_SIZE
) -> bool:
    """Whether this card lay at this position, of `size` cards, when the root was published."""
    try:
        return hmac.compare_digest(root_from(position, card, salt, proof, size), root)
    except ValueError:
        return False
