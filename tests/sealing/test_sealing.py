"""Commitment, boxes, wrapped keys, and secrets that do not print."""

import hashlib
import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.cards.card import DECK
from libs.sealing.deck import Deck
from libs.sealing.merkle import DeckTree, deck_tree, leaf_hash, root_from, salts_of, verify_card
from libs.sealing.sealed import CannotOpen, Keyring, associated_data, open_sealed, seal
from libs.sealing.secret import SecretBytes

_DECK = Deck.of(tuple(reversed(DECK)), bytes(range(32)), bytes(32))


def test_every_card_proves_its_place_and_no_other() -> None:
    tree = deck_tree(_DECK)
    for position, card in enumerate(_DECK.cards):
        salt, proof = tree.salt(position), tree.proof(position)
        assert verify_card(tree.root, position, card, salt, proof)
        assert not verify_card(tree.root, position, (card + 1) % 52, salt, proof)
        assert not verify_card(tree.root, (position + 1) % 52, card, salt, proof)
        assert not verify_card(tree.root, position, card, bytes(16), proof)
        assert not verify_card(tree.root, position, card, salt, proof[:-1])


def test_the_root_is_that_of_rfc_6962() -> None:
    """Three leaves, by hand: the left subtree takes two."""
    secret = b"s" * 32
    leaves = [leaf_hash(place, card, salts_of(secret, 3)[place], 3) for place, card in enumerate((5, 6, 7))]
    pair = hashlib.sha256(b"\x01" + leaves[0] + leaves[1]).digest()
    assert DeckTree((5, 6, 7), secret).root == hashlib.sha256(b"\x01" + pair + leaves[2]).digest()


@pytest.mark.parametrize("size", [18, 30, 51])
def test_cards_that_cannot_come_share_the_last_leaf(size: int) -> None:
    """The others prove their place as ever, and every card of the deck still counts for the root."""
    tree = deck_tree(_DECK, size)
    for position, card in enumerate(_DECK.cards[: size - 1]):
        salt, proof = tree.salt(position), tree.proof(position)
        assert verify_card(tree.root, position, card, salt, proof, size)
        assert not verify_card(tree.root, position, (card + 1) % 52, salt, proof, size)
    last, salt = size - 1, tree.salt(size - 1)
    rest = hashlib.sha256(bytes([0, last]) + _DECK.cards[last:] + salt).digest()
    assert tree.proof(last - 1)[0] == rest or last % 2 == 0
    assert not verify_card(tree.root, last, _DECK.cards[last], _DECK.cards[last + 1 :] + salt, tree.proof(last), size)
    swapped = (*_DECK.cards[:-2], _DECK.cards[-1], _DECK.cards[-2])
    assert DeckTree(swapped, _DECK.salt_secret, size).root != tree.root


@pytest.mark.parametrize("size", [0, -1, 53])
def test_no_tree_has_more_leaves_than_cards(size: int) -> None:
    with pytest.raises(ValueError, match="a leaf at least"):
        DeckTree(DECK, bytes(32), size)


def test_a_proof_of_the_wrong_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        root_from(0, 0, bytes(16), [])


@given(st.binary(max_size=300), st.integers(0, 10**6))
def test_a_box_opens_only_where_it_belongs(clear: bytes, version: int) -> None:
    key, here = bytes(range(32)), associated_data("t1", version, "deck")
    box = seal(key, clear, here)
    assert open_sealed(key, box, here) == clear
    for other in (associated_data("t2", version, "deck"), associated_data("t1", version + 1, "deck"), b""):
        with pytest.raises(CannotOpen):
            open_sealed(key, box, other)
    with pytest.raises(CannotOpen):
        open_sealed(bytes(32), box, here)
    with pytest.raises(CannotOpen):
        open_sealed(key, box[:-1] + bytes([box[-1] ^ 1]), here)


def test_keys_rotate() -> None:
    old = Keyring({"k1": bytes(32)}, "k1")
    key_id, wrapped = old.wrap(b"data key", b"here")
    new = Keyring({"k1": bytes(32), "k2": b"2" * 32}, "k2")
    assert new.unwrap(key_id, wrapped, b"here") == b"data key"
    assert new.wrap(b"x", b"here")[0] == "k2"
    with pytest.raises(CannotOpen, match="no key k1"):
        Keyring({"k2": b"2" * 32}, "k2").unwrap(key_id, wrapped, b"here")


@pytest.mark.parametrize("keys", [{}, {"k1": b"short"}])
def test_a_keyring_takes_whole_keys_only(keys: dict[str, bytes]) -> None:
    with pytest.raises(ValueError, match="32-byte keys"):
        Keyring(keys, "k1")


def test_secrets_neither_print_nor_serialise() -> None:
    secret = SecretBytes(b"hush")
    assert "hush" not in f"{secret!r} {secret} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        msgspec.msgpack.encode(secret)
    assert "0000" not in repr(Keyring({"k1": bytes(32)}, "k1"))


@pytest.mark.parametrize("cards", [(), tuple(range(51)), (0,) * 52])
def test_a_deck_is_whole_or_none(cards: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="every card once"):
        Deck.of(cards, bytes(32), bytes(32))
