"""Commitment to a deck: a Merkle root over 52 salted card leaves, hashed as in RFC 6962 section 2.1.

leaf = SHA-256(0x00 ‖ position ‖ card ‖ salt), node = SHA-256(0x01 ‖ left ‖ right); position and card are one byte each.
The salt of a leaf is HMAC-SHA-256(salt secret, position) cut to 16 bytes, so that showing one says nothing of others.
"""

import hashlib
import hmac
from collections.abc import Sequence
from functools import cache, lru_cache

from libs.sealing.deck import Deck

SALT_BYTES = 16


def salt_of(salt_secret: bytes, position: int) -> bytes:
    return hmac.digest(salt_secret, bytes([position]), "sha256")[:SALT_BYTES]


def _salts(salt_secret: bytes, size: int) -> tuple[bytes, ...]:
    """`salt_of` every position; the key is worked in once."""
    keyed = hmac.new(salt_secret, digestmod="sha256")
    salts = []
    for position in range(size):
        one = keyed.copy()
        one.update(bytes((position,)))
        salts.append(one.digest()[:SALT_BYTES])
    return tuple(salts)


def leaf_hash(position: int, card: int, salt: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + bytes((position, card)) + salt).digest()


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
    """All hashes of one deck's tree, for the root and the proofs."""

    __slots__ = ("_hashes", "_salts", "_size")

    def __init__(self, cards: Sequence[int], salt_secret: bytes) -> None:
        self._size = len(cards)
        self._salts = _salts(salt_secret, self._size)
        hashes = {
            (position, position + 1): leaf_hash(position, card, salt)
            for position, (card, salt) in enumerate(zip(cards, self._salts, strict=True))
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
def deck_tree(deck: Deck) -> DeckTree:
    """The tree of a deck; remembered while its hand is likely to run."""
    return DeckTree(deck.cards, deck.salt_secret)


def root_from(position: int, card: int, salt: bytes, proof: Sequence[bytes], size: int = 52) -> bytes:
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
    digest = leaf_hash(position, card, salt)
    for left, sibling in zip(reversed(turns), proof, strict=True):
        digest = _node_hash(digest, sibling) if left else _node_hash(sibling, digest)
    return digest


def verify_card(root: bytes, position: int, card: int, salt: bytes, proof: Sequence[bytes]) -> bool:
    """Whether this card lay at this position when the root was published."""
    try:
        return hmac.compare_digest(root_from(position, card, salt, proof), root)
    except ValueError:
        return False
