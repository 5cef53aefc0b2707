"""A deck or shoe as bytes at rest: AES-256-GCM under its own data key, which is wrapped under a key of the keyring."""

import msgspec

from libs.cards.card import DECK_SIZE
from libs.sealing.deck import Deck, Shoe, ShuffledCards
from libs.sealing.sealed import Keyring, open_sealed, seal

_DECK_MATERIAL = DECK_SIZE + 32
"""Bytes of one deck's cards and salt; more are a shoe's."""


class _Box(msgspec.Struct, frozen=True, array_like=True):
    """Key id, wrapped data key and the box with cards and salts."""

    kek: str
    key: bytes
    box: bytes


_DECODER = msgspec.msgpack.Decoder(_Box)


def seal_deck(keyring: Keyring, deck: ShuffledCards, bound_to: bytes) -> bytes:
    kek, wrapped = keyring.wrap(deck.data_key, bound_to)
    return msgspec.msgpack.encode(_Box(kek, wrapped, seal(deck.data_key, deck.material, bound_to)))


def open_deck(keyring: Keyring, sealed: bytes, bound_to: bytes) -> ShuffledCards:
    """CannotOpen when it was moved or changed; msgspec.MsgspecError for bytes that are no sealed deck."""
    box = _DECODER.decode(sealed)
    data_key = keyring.unwrap(box.kek, box.key, bound_to)
    material = open_sealed(data_key, box.box, bound_to)
    return (Deck if len(material) == _DECK_MATERIAL else Shoe).from_material(material, data_key)
