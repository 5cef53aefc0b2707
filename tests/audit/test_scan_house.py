"""What `croupier scan` looks for in rounds against the house: hands of five, the dealer's, and the order of a shoe."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from libs.cards.card import name_of, parse_all
from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.table_events import DeckCard
from libs.journal.log import LogRecord
from libs.sealing.deck import Deck, Shoe
from libs.sealing.merkle import salts_of
from services.cli.secrecy.cards import HiddenCards
from services.cli.secrecy.hands import Hand, note
from services.cli.secrecy.needles import Needles
from services.cli.secrecy.order import ShowingOrder

TABLE, SHOE_TABLE, ROUND = "caribe-1", "bacara-1", 7
_DICE = Random(803)


def shuffled(decks: int) -> list[int]:
    cards = list(range(52)) * decks
    _DICE.shuffle(cards)
    return cards


DECK = Deck.of(shuffled(1), bytes(range(32)), bytes(range(32, 64)))
SHOE = Shoe.of(shuffled(8), bytes(range(64, 96)), bytes(range(96, 128)))


def card(deck: Deck | Shoe, position: int) -> DeckCard:
    return DeckCard(position=position, card=name_of(deck.cards[position]), salt="00" * 32, proof=[])


def dealt() -> n.RoundDealt:
    deals = [n.RoundDeal(seat=1, positions=[1, 3, 5, 7, 9]), n.RoundDeal(seat=2, positions=[2, 4, 6, 8, 10])]
    return n.RoundDealt(
        table=TABLE, round=ROUND, deck_root="ab" * 32, burned=[0], deals=deals, dealer=[11, 12, 13, 14, 15],
        dealer_up=card(DECK, 15), generator="g",
    )  # fmt: skip


def folded() -> n.HandSurrendered:
    return n.HandSurrendered(table=TABLE, round=ROUND, seat=2, player="bob", actor="player", cause="player")


def shown(seat: int, positions: list[int]) -> n.RoundHandShown:
    cards = [card(DECK, position) for position in positions]
    return n.RoundHandShown(table=TABLE, round=ROUND, seat=seat, player="p", cards=cards, category="pair")


def dealer_shown() -> n.DealerShown:
    cards = [card(DECK, position) for position in (11, 12, 13, 14)]
    return n.DealerShown(table=TABLE, round=ROUND, cards=cards, category="pair", plays=True)


@pytest.fixture
def round_() -> Hand:
    """Alice's hand and the dealer's were shown, Bob folded."""
    hand = Hand(TABLE, ROUND, DECK)
    for fact in (dealt(), folded(), dealer_shown(), shown(1, [1, 3, 5, 7, 9])):
        note(hand, fact)
    return hand


@pytest.fixture
def shoe() -> Hand:
    """One coup was dealt from it."""
    hand = Hand(SHOE_TABLE, 1, SHOE)
    for fact in coup():
        note(hand, fact)
    return hand


def coup() -> Iterator[Fact]:
    for side, positions in (("ponto", (0, 2)), ("banca", (1, 3))):
        cards = [card(SHOE, position) for position in positions]
        yield b.SideShown(table=SHOE_TABLE, round=1, side=side, cards=cards, score=1, natural=False)  # type: ignore[arg-type]
    yield b.ThirdCardDealt(table=SHOE_TABLE, round=1, side="ponto", card=card(SHOE, 4), score=2)


def names(positions: list[int]) -> list[str]:
    return [name_of(DECK.cards[position]) for position in positions]


def looked_for(*hands: Hand) -> HiddenCards:
    needles = Needles()
    cards = HiddenCards(needles)
    for hand in hands:
        needles.add_hand(hand)
        cards.add(hand)
    return cards


BOB, ALICE, DEALER = [2, 4, 6, 8, 10], [1, 3, 5, 7, 9], [11, 12, 13, 14, 15]


@pytest.mark.parametrize("written", [" ".join, ",".join, "".join, lambda cards: str(sorted(cards))])
def test_a_folded_hand_of_five_is_found_and_a_shown_one_is_not(round_: Hand, written: Any) -> None:
    cards = looked_for(round_)
    assert list(cards.find(written(names(BOB)).encode()))
    assert not list(cards.find(written(names(ALICE)).encode()))


def test_a_dealer_who_never_showed_is_found() -> None:
    hand = Hand(TABLE, ROUND, DECK)
    note(hand, dealt())
    cards = looked_for(hand)
    assert list(cards.find(" ".join(names(DEALER)).encode()))
    assert not list(cards.find(f'{{"round":{ROUND},"table":"{TABLE}","up":"{names(DEALER)[4]}"}}'.encode()))
    assert list(cards.find(f'{{"round":{ROUND},"table":"{TABLE}","card":"{names(DEALER)[0]}"}}'.encode()))


def dealer_at(table: str) -> tuple[HiddenCards, str]:
    """What is looked for of a round at this table, and a card of it that was not shown."""
    hand = Hand(table, ROUND, DECK)
    note(hand, replace(dealt(), table=table))
    return looked_for(hand), names(DEALER)[0]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("ft", '{"type":"player_left","round":7,"card":"CARD"}'),
        ("b-1", '{"table":"b-11","round":7,"card":"CARD"}'),
        ("1", '{"table":"b-1","round":7,"card":"CARD"}'),
        ("b", '{"table":"b.2","round":7,"card":"CARD"}'),
        ("table", '{"type":"croupier.table.card_shown.v1","at":"b-2","round":7,"card":"CARD"}'),
        ("table", '{"table":"b-2","round":7,"card":"CARD"}'),
        ("card", r'{\"table\":\"b-2\",\"round\": 7,\"card\":"CARD"}'),
        ("a", "round: 7 at table=lisboa a-b 'CARD'"),
    ],
)
def test_an_id_within_a_word_names_no_table(table: str, text: str) -> None:
    cards, card = dealer_at(table)
    assert not list(cards.find(text.replace("CARD", card).encode()))


def test_two_cards_of_a_hand_are_found_and_the_group_of_an_id_is_none() -> None:
    """A command's id stands in every event of its commit, and in the answer: eleven findings at once in a demo."""
    own = list(parse_all("7c 8d"))
    deck = Deck.of(own + [each for each in range(52) if each not in own], bytes(range(32)), bytes(range(32, 64)))
    cards = looked_for(Hand("faro-1", 36, deck, hole={1: [0, 1]}))
    text = '{"table":"faro-1","hand":36,"causation":"018bcfe5-6c12-CARDS-b00c-a88b6e25b31f"}'
    assert not list(cards.find(text.replace("CARDS", "7c8d").encode()))
    for leak in ('"7c8d"', '["7c", "8d"]', "018bcfe5-7c8d", "-7c8d-"):
        assert list(cards.find(text.replace("CARDS", "734e").replace("}", f',"x":{leak}}}').encode())), leak


@pytest.mark.parametrize("table", ["ft", "b-1", "1", "table", "card", "faro.1", "a:b"])
@pytest.mark.parametrize(
    "text",
    [
        '{"table":"TABLE","round":7,"card":"CARD"}',
        r'{\"table\": \"TABLE\", \"round\": 7, "cards": ["CARD"]}',
        "{'TABLE/1': {'round': 7, 'cards': ['CARD']}}",
        "table=TABLE round=7 card='CARD'",
        "seen at TABLE: round: 7, 'CARD'",
        "round=7 'CARD' at TABLE.",
        "stack/TABLE/bob round=7 'CARD'",
    ],
)
def test_a_table_of_any_name_is_named(table: str, text: str) -> None:
    """A leak at a table with an awkward name is found as any other."""
    cards, card = dealer_at(table)
    assert list(cards.find(text.replace("TABLE", table).replace("CARD", card).encode()))


def test_the_order_of_a_shoe_and_its_salts_are_found(shoe: Hand) -> None:
    needles = looked_for(shoe).needles
    assert {hit.what for hit in needles.find(b".." + SHOE.cards[200:216])} == {
        f"{SHOE_TABLE} hand 1: a run of its deck"
    }
    assert list(needles.find(salts_of(SHOE.salt_secret, len(SHOE.cards))[300].hex().encode()))
    assert not list(needles.find(salts_of(SHOE.salt_secret, len(SHOE.cards))[4].hex().encode())), "it was shown"
    assert list(needles.find(b"key " + SHOE.data_key))
    # Single cards of a shoe stand everywhere with every right: there are eight of each.
    assert not list(looked_for(shoe).find(f'{{"table":"{SHOE_TABLE}","round":1,"card":"As"}}'.encode()))


def told(order: ShowingOrder, table: str, facts: list[Fact]) -> list[str]:
    found: list[str] = []
    for version, fact in enumerate(facts, start=1):
        event = PublicEvent(
            stream=table, version=version, type=wire_name(type(fact)), time=1, causation="c",
            data=encode_fact(fact)[1],
        )  # fmt: skip
        key, value, headers = to_record(event)
        found += order.take(LogRecord(offset=version, timestamp=1, key=key, value=value, headers=headers))
    return found


def test_an_honest_round_shows_in_order_and_a_liar_does_not(round_: Hand, shoe: Hand) -> None:
    known = {(TABLE, ROUND): round_, (SHOE_TABLE, 1): shoe}
    liar = f"{TABLE} hand {ROUND}: a folded hand is shown"
    honest: list[Fact] = [dealt(), folded(), dealer_shown(), shown(1, ALICE)]
    assert told(ShowingOrder(known), TABLE, honest) == []
    assert told(ShowingOrder(known), TABLE, [*honest, shown(2, BOB)]) == [liar]
    early = replace(dealt(), generator=names(BOB)[0])
    assert any("is not in the open yet" in what for what in told(ShowingOrder(known), TABLE, [early]))
    started = b.ShoeStarted(
        table=SHOE_TABLE, shoe=1, decks=8, cards=416, cut=14, burned=[], deck_root="ef" * 32, generator="g"
    )
    assert told(ShowingOrder(known), SHOE_TABLE, [started, *coup()]) == []
    assert told(ShowingOrder(known), SHOE_TABLE, list(coup()))[0] == f"{SHOE_TABLE}: a card in an event outside a hand"
