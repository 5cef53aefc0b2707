"""Shoes of several decks: fair order, a commitment over every position, and decks untouched by it."""

import os
from collections import Counter

import msgspec
import pytest

from libs.cards.card import DECK
from libs.sealing.deck import Deck, Shoe
from libs.sealing.health import EntropyUnhealthy
from libs.sealing.merkle import deck_tree, root_from, salts_of, verify_card
from libs.sealing.shuffle import Shuffler, below

_SHOE = Shoe.of(tuple(reversed(DECK * 8)), bytes(range(32)), bytes(32))


@pytest.mark.parametrize(("decks", "cards"), [(6, 312), (8, 416)])
def test_a_shoe_is_every_card_as_often_as_it_has_decks(decks: int, cards: int) -> None:
    one, two = Shuffler().shoe(decks), Shuffler().shoe(decks)
    assert len(one.shoe.cards) == cards
    assert one.shoe.decks == decks
    assert Counter(one.shoe.cards) == dict.fromkeys(range(52), decks)
    assert one.shoe.cards != two.shoe.cards
    assert one.shoe.data_key != two.shoe.data_key != two.shoe.salt_secret


def test_positions_of_a_shoe_are_uniform() -> None:
    """Chi-square of the rank at the first, a middle and the last place, 12 degrees: 60 is far beyond 10**-6."""
    shuffler = Shuffler()
    shoes = [shuffler.shoe(8).shoe.cards for _ in range(1300)]
    for position in (0, 255, 256, 300, 415):
        seen = Counter(shoe[position] // 4 for shoe in shoes)
        assert sum((seen[rank] - 100) ** 2 / 100 for rank in range(13)) < 60, position


@pytest.mark.parametrize("bound", [257, 312, 416, 512, 65536])
def test_rejection_above_256_leaves_every_number_equally_likely(bound: int) -> None:
    """Exhaustive over all words of two bytes under the mask: what is below the bound is itself, the rest is redrawn."""
    for word in range(1 << (bound - 1).bit_length()):
        supply = iter([word >> 8, word & 255, 0, 0])
        assert below(bound, supply.__next__) == (word if word < bound else 0)


@pytest.mark.parametrize("bound", [0, -1, 65537])
def test_a_bound_that_no_two_bytes_reach_is_an_error(bound: int) -> None:
    with pytest.raises(ValueError, match="1 to 65536"):
        below(bound, lambda: 0)


def test_every_card_of_a_shoe_proves_its_place_and_no_other() -> None:
    tree = deck_tree(_SHOE)
    for position, card in enumerate(_SHOE.cards):
        salt, proof = tree.salt(position), tree.proof(position)
        assert salt == salts_of(_SHOE.salt_secret, 416)[position]
        assert verify_card(tree.root, position, card, salt, proof, 416)
        assert not verify_card(tree.root, position, (card + 1) % 52, salt, proof, 416)
        # The same card lies at position ± 52 too: the place is part of what is proved.
        assert not verify_card(tree.root, (position + 52) % 416, card, salt, proof, 416)
        assert not verify_card(tree.root, position, card, salt, proof)
    with pytest.raises(ValueError, match="does not fit"):
        root_from(416, 0, bytes(16), tree.proof(0), 416)


def test_positions_beyond_one_byte_have_salts_of_their_own() -> None:
    tree = deck_tree(_SHOE)
    assert len({tree.salt(position) for position in range(416)}) == 416


def test_the_hashes_of_a_deck_are_those_of_the_first_day() -> None:
    """Frozen on 2026-11-22, when salts became one stream: roots once published and their proofs stay true."""
    deck = Deck.of(tuple(reversed(DECK)), bytes(range(32)), bytes(32))
    tree = deck_tree(deck)
    assert tree.root.hex() == "986d03d33c7a5cdfe054d6163412d4c6626858f6559d13790d4de66d536342a9"
    assert tree.salt(7).hex() == "ca7f3e8eab53456eba47300ad61fe0dc"


@pytest.mark.parametrize("cards", [(), DECK, DECK * 9, (*DECK, *DECK[1:], 0, 1), (0,) * 312, DECK * 6 + (0,)], ids=len)
def test_a_shoe_is_whole_or_none(cards: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="as often as it has decks"):
        Shoe.of(cards, bytes(32), bytes(32))


def test_a_shoe_comes_back_from_its_material_and_is_no_deck() -> None:
    again = Shoe.from_material(_SHOE.material, _SHOE.data_key)
    assert again == _SHOE
    with pytest.raises(ValueError, match="a deck is every card once"):
        Deck.from_material(_SHOE.material, _SHOE.data_key)


def test_a_shoe_neither_prints_nor_serialises() -> None:
    shuffle = Shuffler().shoe(6)
    for text in (repr(shuffle), str(shuffle), repr(shuffle.shoe), f"{shuffle.shoe}"):
        assert text in ("ShoeShuffle()", "Shoe(…)")
    with pytest.raises(TypeError):
        msgspec.msgpack.encode(shuffle.shoe)


def test_a_stuck_source_gives_no_shoe() -> None:
    with pytest.raises(EntropyUnhealthy, match="repetition"):
        Shuffler(bytes).shoe(8)
    assert Shuffler(os.urandom).shoe(8).generator.startswith("croupier-shuffle-")
