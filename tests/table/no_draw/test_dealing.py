"""Deck, burn card, order of the deal, and who sees what (pt-803-2015-no-draw 6.b, 19, 24, 27, FP-1)."""

import pytest

from libs.cards.card import DECK, name_of, parse_all
from libs.contracts.no_draw_poker_events import DealerShown, RoundDealt, RoundHandShown
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import DeckCard
from libs.sealing.merkle import verify_card
from services.table.domain.games.no_draw_poker.game import NoDrawPoker
from tests.table.no_draw.play import ACE_KING, NO_KING, REGULATION, NoDraw

HANDS = {1: "Ts Td Tc 4h 4d", 3: "Kh Kd 9d 9c 2h", 6: "7h 5c 3s Jd 8s"}
ANTES = {1: 200, 3: 500, 6: 100}
UNSEEN = "2s"
"""The burn card of these rounds."""


def dealt() -> NoDraw:
    return NoDraw().seat(1, 3, 6).dealt(ANTES, HANDS, ACE_KING, burn=UNSEEN)


def shown_to_all(table: NoDraw) -> str:
    return "".join(encode_fact(event)[1].decode() for event in table.told)


def is_proved(table: NoDraw, card: DeckCard) -> bool:
    root = bytes.fromhex(table.of(RoundDealt, everything=True)[-1].deck_root)
    proof = [bytes.fromhex(step) for step in card.proof]
    return verify_card(root, card.position, parse_all([card.card])[0], bytes.fromhex(card.salt), proof)


@pytest.mark.rule(REGULATION, "6.b", "FP-1")
def test_every_round_has_a_full_deck_of_its_own() -> None:
    table = NoDraw().seat(1, 2, 3, 4, 5, 6, 7)
    orders = []
    for _ in range(2):
        table.open()
        for seat in range(1, 8):
            assert table.ante(seat, 100) is None
        table.wait(20_000)
        event = table.of(RoundDealt)[0]
        deck = table.deck_of(event)
        assert sorted(deck.cards) == list(DECK)
        used = [*event.burned, *event.dealer, *(place for deal in event.deals for place in deal.positions)]
        assert sorted(used) == list(range(1 + 5 * 8))
        orders.append(bytes(deck.cards))
        table.plays(*(f"{seat} fold" for seat in range(1, 8)))
    assert orders[0] != orders[1]
    roots = [event.deck_root for event in table.of(RoundDealt, everything=True)]
    assert len(set(roots)) == 2
    assert {event.generator for event in table.of(RoundDealt, everything=True)} == {"croupier-shuffle-1/os-entropy"}


@pytest.mark.rule(REGULATION, "19.a")
def test_the_first_card_is_burned_unseen() -> None:
    table = dealt()
    event = table.of(RoundDealt)[0]
    assert event.burned == [0]
    assert name_of(table.deck_of(event).cards[0]) == UNSEEN
    assert all(0 not in deal.positions for deal in event.deals)
    assert 0 not in event.dealer
    table.plays("1 continue", "3 continue", "6 fold")
    assert f'"{UNSEEN}"' not in shown_to_all(table)


@pytest.mark.rule(REGULATION, "19.b")
def test_clockwise_one_card_at_a_time_and_the_dealer_last() -> None:
    table = dealt()
    event = table.of(RoundDealt)[0]
    deck = table.deck_of(event)
    positions = {deal.seat: deal.positions for deal in event.deals}
    assert positions == {1: [1, 5, 9, 13, 17], 3: [2, 6, 10, 14, 18], 6: [3, 7, 11, 15, 19]}
    assert event.dealer == [4, 8, 12, 16, 20]
    cards = {seat: " ".join(name_of(deck.cards[place]) for place in places) for seat, places in positions.items()}
    assert cards == HANDS


@pytest.mark.rule(REGULATION, "19.c")
def test_the_dealers_last_card_lies_open_and_no_other() -> None:
    table = dealt()
    event = table.of(RoundDealt)[0]
    assert (event.dealer_up.position, event.dealer_up.card) == (20, ACE_KING.split()[-1])
    assert is_proved(table, event.dealer_up)
    public = shown_to_all(table)
    for card in [*ACE_KING.split()[:-1], *(name for hand in HANDS.values() for name in hand.split())]:
        assert f'"{card}"' not in public
    state = table.state
    own = {each.seat: list(each.positions) for each in NoDrawPoker().dealt(state, event)}
    assert own == {deal.seat: deal.positions for deal in event.deals}


@pytest.mark.rule(REGULATION, "24")
def test_the_dealer_is_shown_when_all_have_decided_and_one_plays() -> None:
    table = dealt().plays("1 continue", "6 fold")
    assert table.of(DealerShown, everything=True) == []
    table.plays("3 fold")
    shown = table.of(DealerShown)[0]
    assert [card.card for card in shown.cards] == ACE_KING.split()
    assert all(is_proved(table, card) for card in shown.cards)


@pytest.mark.rule(REGULATION, "24")
def test_if_all_fold_nothing_is_shown() -> None:
    table = dealt().plays("1 fold", "3 fold", "6 fold")
    assert table.names == ["HandSurrendered", "RoundSettled"]
    assert table.nets == {1: -200, 3: -500, 6: -100}
    public = shown_to_all(table)
    assert all(f'"{card}"' not in public for card in ACE_KING.split()[:-1])
    assert table.deck_of(table.of(RoundDealt, everything=True)[0]) is not None  # kept, sealed, in the journal


@pytest.mark.rule(REGULATION, "27")
def test_hands_are_turned_up_only_for_a_dealer_who_plays() -> None:
    table = dealt().plays("1 continue", "3 continue", "6 fold")
    shown = {event.seat: " ".join(card.card for card in event.cards) for event in table.of(RoundHandShown)}
    assert shown == {1: HANDS[1], 3: HANDS[3]}
    assert all(is_proved(table, card) for event in table.of(RoundHandShown) for card in event.cards)
    assert all(f'"{card}"' not in shown_to_all(table) for card in HANDS[6].split())

    hidden = NoDraw().seat(1, 3, 6).dealt(ANTES, HANDS, NO_KING.replace("9c", "8c"), burn=UNSEEN)
    hidden.plays("1 continue", "3 continue", "6 fold")
    assert hidden.of(RoundHandShown) == []
    assert hidden.nets == {1: 200, 3: 500, 6: -100}
    public = shown_to_all(hidden)
    assert all(f'"{card}"' not in public for hand in HANDS.values() for card in hand.split())
