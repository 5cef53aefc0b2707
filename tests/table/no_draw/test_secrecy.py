"""No unseen card of a round in anything written, printed or published; own cards go to the gateway sealed."""

from base64 import b64decode

import msgspec
import pytest

from libs.cards.card import names_of
from libs.contracts.no_draw_poker_events import RoundDealt
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.registry import encode_fact
from libs.journal.fold import Step
from libs.sealing.sealed import open_sealed
from libs.sealing.secret import DataKey
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from services.table.publishing import private_deals
from tests.table.no_draw.play import ACE_KING, REGULATION, NoDraw
from tests.table.samples import KEYRING
from tests.table.under_test import deck_in, refolded

CODEC = TableFormat(KEYRING)
HANDS = {1: "8c 8d Kh 5d 2s", 3: "9c 9d Kc 6h 3s"}
GATEWAY_KEY = bytes(range(32))


def deciding() -> NoDraw:
    return NoDraw().seat(1, 3).dealt({1: 100, 3: 100}, HANDS, ACE_KING, burn="2d")


@pytest.mark.rule(REGULATION, "19.a", "19.c")
def test_no_unseen_card_in_clear_in_anything_written_or_published() -> None:
    table = deciding()
    deck = table.round.deck
    assert deck is not None
    seen = {ACE_KING.split()[-1]}
    published = "".join(encode_fact(event)[1].decode() for event in table.told)
    written = published.encode() + CODEC.seal("t1", 1, deck) + CODEC.encode_state("t1", table.state)
    printed = f"{table.state!r} {table.told!r}"
    for card in set(names_of(deck.cards)) - seen:
        assert f'"{card}"' not in published
        assert f"'{card}'" not in printed
        assert msgspec.msgpack.encode(card) not in written
    for secret in (deck.cards, deck.cards[11:20], deck.salt_secret, deck.data_key):
        assert bytes(secret) not in written
        assert bytes(secret).hex() not in published


def test_a_snapshot_of_a_running_round_opens_at_its_place_only() -> None:
    table = deciding()
    snapshot = CODEC.encode_state("t1", table.state)
    assert CODEC.decode_state("t1", snapshot) == table.state
    assert deck_in(CODEC.decode_state("t2", snapshot)) is None
    before = NoDraw().seat(1).wake()
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", before.state)) == before.state
    table.plays("1 fold", "3 continue")
    assert table.state.round is None
    assert CODEC.decode_state("t1", CODEC.encode_state("t1", table.state)) == table.state


@pytest.mark.rule(REGULATION, "19.c")
def test_each_seat_gets_its_own_cards_sealed() -> None:
    table = deciding()
    version, dealt = next((v, event) for v, event in enumerate(table.told, 1) if isinstance(event, RoundDealt))
    state = Table(table="t1")
    for event, deck in zip(table.told[:version], table.decks, strict=False):
        state = refolded(state, event, deck)
    records = private_deals(Step(version, "RoundDealt.1", dealt, state), "private", DataKey(GATEWAY_KEY))
    values = [record.value or b"" for record in records]
    deals = [PrivateDeal.decoded(value) for value in values]
    assert [(deal.seat, deal.player, deal.hand) for deal in deals] == [(1, "p1", 1), (3, "p3", 1)]
    for deal in deals:
        opened = open_sealed(GATEWAY_KEY, b64decode(deal.sealed), deal.associated_data)
        assert opened.decode() == HANDS[deal.seat]
        assert all(HANDS[deal.seat].encode() not in value for value in values)
