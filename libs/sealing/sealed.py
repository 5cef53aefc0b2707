"""AES-256-GCM boxes, the data key of a hand wrapped under a key that can be changed, and a deck or shoe sealed so.

A box is nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). What it belongs to (stream, version, purpose) is bound as
associated data, so a box moved to another place does not open.
"""

import hmac
import os
from collections.abc import Mapping
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from libs.cards.card import DECK_SIZE
from libs.sealing.deck import Deck, Shoe, ShuffledCards
from libs.sealing.secret import SecretBytes

NONCE_BYTES = 12
KEY_BYTES = 32


class CannotOpen(Exception):
    """The box was changed, moved, or sealed under another key. Says nothing of what is inside."""


def associated_data(stream: str, version: int, purpose: str) -> bytes:
    return f"{purpose}\x1f{stream}\x1f{version}".encode()


def seal(key: bytes, clear: bytes, bound_to: bytes) -> bytes:
    """A box with a fresh random nonce."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, clear, bound_to)


def seal_alike(key: bytes, clear: bytes, bound_to: bytes) -> bytes:
    """A box that is the same for the same content at the same place: its nonce is made of both, under the key.

    It tells whether two boxes of one place hold the same, and nothing else.
    """
    nonce = hmac.digest(key, b"nonce\x1f" + bound_to + b"\x1f" + clear, "sha256")[:NONCE_BYTES]
    return nonce + AESGCM(key).encrypt(nonce, clear, bound_to)


def open_sealed(key: bytes, box: bytes, bound_to: bytes) -> bytes:
    """What was sealed; CannotOpen when anything differs."""
    try:
        return AESGCM(key).decrypt(box[:NONCE_BYTES], box[NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError) as refused:
        raise CannotOpen("sealed content does not open") from refused


class Wrapping(Protocol):
    """Seals data keys, and opens them again."""

    def wrap(self, data_key: bytes, bound_to: bytes) -> tuple[str, bytes]:
        """Key id and the data key sealed under it."""
        ...

    def unwrap(self, key_id: str, wrapped: bytes, bound_to: bytes) -> bytes:
        """Raises `CannotOpen`."""
        ...


class Keyring:
    """Key-encryption keys by id: new boxes take the current one, old ones keep opening under theirs."""

    __slots__ = ("_current", "_keys")

    def __init__(self, keys: Mapping[str, bytes], current: str) -> None:
        if current not in keys or any(len(key) != KEY_BYTES for key in keys.values()):
            raise ValueError("a keyring holds 32-byte keys and names its current one")
        self._keys = {key_id: SecretBytes(key) for key_id, key in keys.items()}
        self._current = current

    @property
    def current(self) -> str:
        return self._current

    def wrap(self, data_key: bytes, bound_to: bytes) -> tuple[str, bytes]:
        return self._current, seal(self._keys[self._current].reveal(), data_key, b"wrap\x1f" + bound_to)

    def unwrap(self, key_id: str, wrapped: bytes, bound_to: bytes) -> bytes:
        key = self._keys.get(key_id)
        if key is None:
            raise CannotOpen(f"no key {key_id} on this keyring")
        return open_sealed(key.reveal(), wrapped, b"wrap\x1f" + bound_to)

    def __repr__(self) -> str:
        return f"Keyring(current={self._current!r}, {len(self._keys)} keys)"


_DECK_MATERIAL = DECK_SIZE + 32
"""Bytes of one deck's cards and salt; more are a shoe's."""


class _Box(msgspec.Struct, frozen=True, array_like=True):
    """Key id, wrapped data key and the box with cards and salts."""

    kek: str
    key: bytes
    box: bytes


_DECODER = msgspec.msgpack.Decoder(_Box)


def seal_deck(keyring: Wrapping, deck: ShuffledCards, bound_to: bytes) -> bytes:
    kek, wrapped = keyring.wrap(deck.data_key, bound_to)
    return msgspec.msgpack.encode(_Box(kek, wrapped, seal(deck.data_key, deck.material, bound_to)))


def open_deck(keyring: Wrapping, sealed: bytes, bound_to: bytes) -> ShuffledCards:
    """CannotOpen when it was moved or changed; msgspec.MsgspecError for bytes that are no sealed deck."""
    box = _DECODER.decode(sealed)
    data_key = keyring.unwrap(box.kek, box.key, bound_to)
    material = open_sealed(data_key, box.box, bound_to)
    return (Deck if len(material) == _DECK_MATERIAL else Shoe).from_material(material, data_key)


def sealed_under(sealed: bytes) -> str:
    """Id of the key that opens it; empty for bytes that are no sealed deck."""
    try:
        return _DECODER.decode(sealed).kek
    except msgspec.MsgspecError:
        return ""
