"""AES-256-GCM boxes, and the data key of a hand wrapped under a key that can be changed.

A box is nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). What it belongs to (stream, version, purpose) is bound as
associated data, so a box moved to another place does not open.
"""

import hmac
import os
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

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
        """Key id and the data key sealed under it."""
        return self._current, seal(self._keys[self._current].reveal(), data_key, b"wrap\x1f" + bound_to)

    def unwrap(self, key_id: str, wrapped: bytes, bound_to: bytes) -> bytes:
        key = self._keys.get(key_id)
        if key is None:
            raise CannotOpen(f"no key {key_id} on this keyring")
        return open_sealed(key.reveal(), wrapped, b"wrap\x1f" + bound_to)

    def __repr__(self) -> str:
        return f"Keyring(current={self._current!r}, {len(self._keys)} keys)"
