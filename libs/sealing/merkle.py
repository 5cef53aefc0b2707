"""Commitment to a deck or shoe: a Merkle root over salted card leaves, hashed as in RFC 6962 section 2.1.

leaf = SHA-256(0x00 ‖ position ‖ card ‖ salt), node = SHA-256(0x01 ‖ left ‖ right). Card is one byte; position is one
byte in a tree of up to 256 leaves and two bytes, the high one first, in a larger one. The salts of all leaves are the
stream of SHAKE-256(salt secret), 16 bytes for each position in turn, so that showing one says nothing of others.

A tree may have fewer leaves than there are cards: where only so many can come, the last leaf holds all the others.
"""

import hmac
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import sha256, shake_256
from struct import Struct

from libs.cards.card import DECK_SIZE
from libs.sealing.deck import ShuffledCards

SALT_BYTES = 16
_NARROW = 256
"""Up to so many leaves a position is one byte."""
_CARDS = tuple(bytes((card,)) for card in range(DECK_SIZE))


@cache
def _salts(size: int) -> Struct:
    return Struct(f"{SALT_BYTES}s" * size)


def salts_of(salt_secret: bytes, size: int) -> tuple[bytes, ...]:
    """The salt of every position."""
    return _salts(size).unpack(shake_256(salt_secret).digest(size * SALT_BYTES))


def leaf_hash(position: int, card: int, salt: bytes, size: int = DECK_SIZE) -> bytes:
    return sha256(_leaf_starts(size)[position] + _CARDS[card] + salt).digest()


@cache
def _leaf_starts(size: int) -> tuple[bytes, ...]:
    """What a leaf is hashed from before its card, at every position of a tree of this size."""
    width = 1 if size <= _NARROW else 2
    return tuple(b"\x00" + position.to_bytes(width, "big") for position in range(size))


def _node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


@cache
def _paths(size: int) -> tuple[tuple[int, ...], ...]:
    """The audit path of every leaf, nearest first, as places in the list of all hashes, level after level."""
    paths: list[list[int]] = [[] for _ in range(size)]
    start, width, height = 0, size, 0
    while width > 1:
        for position, path in enumerate(paths):
            sibling = position >> height ^ 1
            if sibling < width:
                path.append(start + sibling)
        start, width, height = start + width, (width + 1) // 2, height + 1
    return tuple(map(tuple, paths))


class DeckTree:
    """All hashes of the tree of one deck or shoe, for the root and the proofs; without `size` every card has a leaf."""

    __slots__ = ("_hashes", "_salts")

    def __init__(self, cards: Sequence[int], salt_secret: bytes, size: int | None = None) -> None:
        size = len(cards) if size is None else size
        if not 1 <= size <= len(cards):
            raise ValueError("a tree has a leaf at least, and no more than there are cards")
        self._salts = salts_of(salt_secret, size)
        leaves = [_CARDS[card] for card in cards[: size - 1]]
        leaves.append(bytes(cards[size - 1 :]))
        salted = zip(_leaf_starts(size), leaves, self._salts, strict=True)
        # Written out, for `leaf_hash` and `_node_hash` once a card would take as long as the hashing.
        level = [sha256(start + cards + salt).digest() for start, cards, salt in salted]
        hashes = level
        while len(level) > 1:
            # A node without a partner goes up as it is: these are the splits of RFC 6962.
            left_over = level[-1:] if len(level) % 2 else []
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [sha256(b"\x01" + left + right).digest() for left, right in pairs] + left_over
            hashes = hashes + level
        self._hashes = hashes

    @property
    def root(self) -> bytes:
        return self._hashes[-1]

    def salt(self, position: int) -> bytes:
        return self._salts[position]

    def proof(self, position: int) -> list[bytes]:
        """Audit path of RFC 6962, nearest sibling first."""
        return [self._hashes[node] for node in _paths(len(self._salts))[position]]

    def shown(self, position: int) -> tuple[str, list[str]]:
        """Salt and audit path in hex, as they are published with the card."""
        hashes = self._hashes
        return self._salts[position].hex(), [hashes[node].hex() for node in _paths(len(self._salts))[position]]


@lru_cache(maxsize=128)
def deck_tree(deck: ShuffledCards, size: int | None = None) -> DeckTree:
    """The tree of a deck or shoe; remembered while it is likely to be dealt from."""
    return DeckTree(deck.cards, deck.salt_secret, size)


def root_from(position: int, card: int, salt: bytes, proof: Sequence[bytes], size: int = DECK_SIZE) -> bytes:
    """The root that a shown card leads to in a tree of `size` leaves; ValueError when the proof has another length."""
    turns: list[bool] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        left = position < middle
        turns.append(left)
        start, end = (start, middle) if left else (middle, end)
    if len(turns) != len(proof) or not (0 <= position < size and 0 <= card < DECK_SIZE and len(salt) == SALT_BYTES):
        raise ValueError("position, card, salt or proof does not fit the tree")
    digest = leaf_hash(position, card, salt, size)
    for left, sibling in zip(reversed(turns), proof, strict=True):
        digest = _node_hash(digest, sibling) if left else _node_hash(sibling, digest)
    return digest


def verify_card(
    root: bytes, position: int, card: int, salt: bytes, proof: Sequence[bytes], size: int = DECK_SIZE
) -> bool:
    """Whether this card lay at this position when the root, of a tree of `size` leaves, was published."""
    try:
        return hmac.compare_digest(root_from(position, card, salt, proof, size), root)
    except ValueError:
        return False
