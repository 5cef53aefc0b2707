"""What is secret at rest of a table: sealed decks, bound to their place; nothing unseen in clear anywhere."""

import msgspec
import pytest

from libs.cards.card import names_of
from libs.contracts.poker_events import CardsShown, StreetDealt
from libs.contracts.registry import encode_fact
from libs.sealing.sealed import Keyring
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from tests.table.play import TableUnderTest
from tests.table.samples import KEYRING
from tests.table.under_test import deck_in

CODEC = TableFormat(KEYRING)


def played() -> TableUnderTest:
    return TableUnderTest().seat(1, 2, 3).deal(button=1).plays("1 call", "2 call", "3 check")


def test_a_sealed_deck_opens_only_at_its_place() -> None:
    table = played()
    deck = table.hand.deck
    assert deck is not None
    sealed = CODEC.seal("t1", 7, deck)
    assert CODEC.unseal("t1", 7, sealed) == deck
    for stream, base in (("t2", 7), ("t1", 8)):
        assert CODEC.unseal(stream, base, sealed) is None
    assert TableFormat(Keyring({"k1": bytes(32)}, "k1")).unseal("t1", 7, sealed) is None
    snapshot = CODEC.encode_state("t1", table.state)
    assert CODEC.decode_state("t1", snapshot) == table.state
    assert deck_in(CODEC.decode_state("t2", snapshot)) is None


def test_old_keys_still_open_after_a_change_of_key() -> None:
    table = played()
    snapshot = CODEC.encode_state("t1", table.state)
    rotated = TableFormat(Keyring({"k1": bytes(range(32)), "k2": b"2" * 32}, "k2"))
    assert rotated.decode_state("t1", snapshot) == table.state


@pytest.mark.rule("pt-811-2015", "2.d")
@pytest.mark.rule("mo-97-2010", "6.2", "13.2")
def test_no_unseen_card_in_clear_in_anything_written_or_published() -> None:
    table = played()
    deck = table.hand.deck
    assert deck is not None
    seen = {card.card for event in table.told if isinstance(event, StreetDealt) for card in event.cards}
    unseen = set(names_of(deck.cards)) - seen
    published = "".join(encode_fact(event)[1].decode() for event in table.told)
    written = published.encode() + CODEC.seal("t1", 1, deck) + CODEC.encode_state("t1", table.state)
    for card in unseen:
        assert f'"{card}"' not in published
        assert msgspec.msgpack.encode(card) not in written
    for secret in (deck.cards, deck.cards[20:28], deck.salt_secret, deck.data_key):
        assert secret not in written
        assert secret.hex() not in published


def test_printing_events_and_states_shows_no_unseen_card() -> None:
    table = played()
    deck = table.hand.deck
    assert deck is not None
    text = f"{table.state!r} {table.told!r}"
    seen = {card.card for event in table.told if isinstance(event, StreetDealt) for card in event.cards}
    for card in set(names_of(deck.cards)) - seen:
        assert f"'{card}'" not in text
    assert repr(deck.cards) not in text


def test_the_deck_is_forgotten_when_the_hand_is_over() -> None:
    table = played().checks_down()
    assert table.of(CardsShown)
    assert table.state.hand is None
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", table.state)) == table.state


def test_a_plain_encoder_refuses_a_state_with_a_deck() -> None:
    with pytest.raises(TypeError):
        msgspec.msgpack.encode(played().state)
    assert isinstance(msgspec.msgpack.decode(msgspec.msgpack.encode(Table(table="t")), type=Table), Table)
