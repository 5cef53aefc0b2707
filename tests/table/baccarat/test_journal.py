"""What is written of a table of baccarat: round trips, the sealed shoe, and the same cards after a restart."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.cards.card import name_of
from libs.contracts.baccarat_events import CoupDealt, ShoeStarted, SideShown, ThirdCardDealt
from libs.contracts.registry import decode_fact, encode_fact
from libs.sealing.deck import Shoe
from libs.sealing.sealed import Keyring
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from tests.table.baccarat.play import CoupTable
from tests.table.under_test import deck_in, refolded

KEYRING = Keyring({"kek-1": bytes(range(32))}, "kek-1")
CODEC = TableFormat(KEYRING)


@pytest.fixture(scope="module")
def evening() -> CoupTable:
    """Twelve coups, a change of rules, a void coup, and stakes on the table at the end."""
    table = CoupTable().seat(1, 2)
    for coup in range(12):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 500", "empate 100") is None
        assert table.bet(2, "banca 700", "par_ponto 100") is None
        if coup == 5:
            table.change(2, commission_mode="half-on-6", decks=6)
        if coup == 8:
            table.void()
        else:
            table.close_bets()
    table.wake()
    assert table.bet(1, "banca 300") is None
    return table


def test_every_event_of_an_evening_survives_the_round_trip(evening: CoupTable) -> None:
    for event in evening.told:
        assert decode_fact(*encode_fact(event)) == event


def test_a_snapshot_has_the_shoe_sealed_in_a_coup_and_between_coups(evening: CoupTable) -> None:
    between = CoupTable().seat(1)
    between.plays("4h 3d 5s 5c", s1=["ponto 100"])
    for table in (evening, between):
        payload = CODEC.encode_state("b1", table.state)
        assert CODEC.decode_state("b1", payload) == table.state
        assert table.state.shoe.deck.cards[:40] not in payload
        assert deck_in(CODEC.decode_state("b2", payload)) is None
        assert deck_in(TableFormat(Keyring({"kek-1": bytes(32)}, "kek-1")).decode_state("b1", payload)) is None


def test_a_sealed_shoe_opens_only_at_its_place(evening: CoupTable) -> None:
    shoe = evening.state.shoe.deck
    sealed = CODEC.seal("b1", 7, shoe)
    assert shoe.cards[:20] not in sealed
    assert CODEC.unseal("b1", 7, sealed) == shoe
    for stream, base in (("b2", 7), ("b1", 8)):
        assert CODEC.unseal(stream, base, sealed) is None


def test_the_same_cards_go_on_after_a_restart_from_journal_or_snapshot(evening: CoupTable) -> None:
    """A coup with stakes on the table when the house dies: what is dealt then lay in the shoe before."""
    state = evening.state
    rebuilt = Table(table="b1")
    for told, deck in zip(evening.told, evening.decks, strict=True):
        event = decode_fact(*encode_fact(told))
        opened = CODEC.unseal("b1", 0, CODEC.seal("b1", 0, deck)) if deck is not None else None
        rebuilt = refolded(rebuilt, event, opened)
    restored = CODEC.decode_state("b1", CODEC.encode_state("b1", state))
    settled = []
    for again in (rebuilt, restored):
        table = CoupTable()
        table.now, table.state, table.told = evening.now, again, []
        settled.append(table.close_bets())
        shown = [card for event in table.of(SideShown) for card in event.cards]
        shown += [event.card for event in table.of(ThirdCardDealt)]
        assert [card.card for card in shown] == [name_of(state.shoe.deck.cards[card.position]) for card in shown]
        assert table.of(CoupDealt)[0].ponto[0] == state.shoe.next_position
    assert settled[0] == settled[1]


def test_no_public_event_has_a_card_that_was_not_turned_up(evening: CoupTable) -> None:
    turned: set[str] = set()
    for event in evening.told:
        if isinstance(event, SideShown):
            turned = {card.card for card in event.cards}
        elif isinstance(event, ThirdCardDealt):
            turned = {event.card.card}
        else:
            turned = set()
        body = encode_fact(event)[1].decode()
        named = {name for card in range(52) if f'"{(name := name_of(card))}"' in body}
        assert named == turned, type(event).__name__


def test_a_shoe_prints_nothing_wherever_it_stands(evening: CoupTable) -> None:
    shoe = evening.state.shoe
    assert isinstance(shoe.deck, Shoe)
    for text in (repr(evening.state), repr(evening.decks), str(shoe)):
        assert "Shoe(…)" in text
        assert str(list(shoe.deck.cards[:6])) not in text


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 12))
def test_roots_differ_from_shoe_to_shoe(coups: int) -> None:
    table = CoupTable(shuffle_every_coup=True).seat(1)
    for _ in range(coups):
        if table.state.round is None:
            table.wake()
        assert table.bet(1, "ponto 100") is None
        table.close_bets()
    roots = [event.deck_root for event in table.of(ShoeStarted, everything=True)]
    assert all(one != other for one, other in pairwise(roots))
