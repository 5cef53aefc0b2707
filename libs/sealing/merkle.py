"""Commitment to a deck: a Merkle root over 52 salted card leaves, hashed as in RFC 6962 section 2.1.

leaf = SHA-256(0x00 ‖ position ‖ card ‖ salt), node = SHA-256(0x01 ‖ left ‖ right); position and card are one byte each.
The salt of a leaf is HMAC-SHA-256(salt secret, position) cut to 16 bytes, so that showing one says nothing of others.
"""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache

from libs.sealing.deck import Deck

SALT_BYTES = 16


def salt_of(salt_secret: bytes, position: int) -> bytes:
    return hmac.digest(salt_secret, bytes([position]), "sha256")[:SALT_BYTES]


def leaf_hash(position: int, card: int, salt: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + bytes((position, card)) + salt).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


class DeckTree:
    """All hashes of one deck's tree, for the root and the proofs."""

    __slots__ = ("_hashes", "_salts", "_size")

    def __init__(self, cards: Sequence[int], salt_secret: bytes) -> None:
        self._size = len(cards)
        self._salts = tuple(salt_of(salt_secret, position) for position in range(self._size))
        self._hashes: dict[tuple[int, int], bytes] = {}
        leaves = [leaf_hash(position, card, self._salts[position]) for position, card in enumerate(cards)]
        self._hash(0, self._size, leaves)

    def _hash(self, start: int, end: int, leaves: Sequence[bytes]) -> bytes:
        if end - start == 1:
            digest = leaves[start]
        else:
            middle = start + _split(end - start)
            digest = _node_hash(self._hash(start, middle, leaves), self._hash(middle, end, leaves))
        self._hashes[start, end] = digest
        return digest

    @property
    def root(self) -> bytes:
        return self._hashes[0, self._size]

    def salt(self, position: int) -> bytes:
        return self._salts[position]

    def proof(self, position: int) -> list[bytes]:
        """Audit path of RFC 6962, nearest sibling first."""
        path: list[bytes] = []
        start, end = 0, self._size
        while end - start > 1:
            middle = start + _split(end - start)
            if position < middle:
                path.append(self._hashes[middle, end])
                end = middle
            else:
                path.append(self._hashes[start, middle])
                start = middle
        return path[::-1]


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
