"""Deck, burn card, order of the deal, and who sees what (pt-803-2015-no-draw 6.b, 19, 24, 27, FP-1)."""

import pytest

from libs.cards.card import DECK, name_of, parse_all
from libs.contracts.no_draw_poker_events import DealerShown, RoundDealt, RoundHandShown
from libs.contracts.registry import encode_fact
from libs.contracts.table_events import DeckCard
from libs.sealing.merkle import verify_card
from services.table.domain.games.no_draw_poker.game import NoDrawPoker
from tests.table.no_draw.play import ACE_KING, REGULATION, NoDraw
from tests.testkit.cases import Case

rule = pytest.mark.rule

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


def seven(table: NoDraw) -> RoundDealt:
    """The next round, all seven seats with an ante; its deal, from an order that the house drew."""
    table.open()
    for seat in range(1, 8):
        assert table.ante(seat, 100) is None
    table.wait(20_000)
    (event,) = table.of(RoundDealt)
    dealt: RoundDealt = event
    return dealt


@rule(REGULATION, "6.b/1")
def test_the_deck_is_all_cards_and_seven_players_use_41_of_them(case: Case) -> None:
    table = NoDraw().seat(*range(1, case.int("players") + 1))
    event = seven(table)
    cards = table.deck_of(event).cards
    assert (len(cards), set(cards)) == (case["cards"], set(DECK))
    hands = [event.dealer, *(deal.positions for deal in event.deals)]
    assert ([len(hand) for hand in hands], len(hands)) == ([case["hand"]] * case.int("hands"), case["hands"])
    used = [*event.burned, *(place for hand in hands for place in hand)]
    assert (len(event.burned), sorted(used)) == (case["burned"], list(range(case.int("used"))))


@rule(REGULATION, "FP-1/1")
def test_every_round_has_a_full_deck_of_its_own(case: Case) -> None:
    table = NoDraw().seat(*range(1, 8))
    orders = []
    for _ in range(case.int("rounds")):
        event = seven(table)
        orders.append(bytes(table.deck_of(event).cards))
        assert (len(orders[-1]), sorted(orders[-1])) == (case["cards"], sorted(DECK))
        assert event.generator == "croupier-shuffle-1/os-entropy"
        table.plays(*(f"{seat} fold" for seat in range(1, 8)))
    assert len({*orders, bytes(DECK)}) == len(orders) + 1
    assert len({event.deck_root for event in table.of(RoundDealt, everything=True)}) == len(orders)


@rule(REGULATION, "19.a/1")
def test_the_first_card_is_burned_unseen(case: Case) -> None:
    (first,) = case.cards("first")
    table = NoDraw().seat(1, 3, 6).dealt(ANTES, {**HANDS, 3: "Kh Kd 9d 9c 2h"}, "Ac Ks 8h 5s 3c", burn=first)
    event = table.of(RoundDealt)[0]
    assert event.burned == [0]
    assert name_of(table.deck_of(event).cards[0]) == first
    assert all(0 not in deal.positions for deal in event.deals)
    assert 0 not in event.dealer
    table.plays("1 continue", "3 continue", "6 fold")
    assert f'"{first}"' not in shown_to_all(table)


@rule(REGULATION, "19.b/1")
def test_clockwise_one_card_at_a_time_and_the_dealer_last(case: Case) -> None:
    """The card c1 is the first after the burned one."""
    wanted = case.read("hands", dict[int, list[int]])
    table = NoDraw().seat(2, *wanted).dealt(dict.fromkeys(wanted, 100), HANDS, ACE_KING, burn=UNSEEN)
    event = table.of(RoundDealt)[0]
    deck = table.deck_of(event)
    positions = {deal.seat: deal.positions for deal in event.deals}
    assert (positions, event.dealer) == (wanted, case["dealer"])
    cards = {seat: " ".join(name_of(deck.cards[place]) for place in places) for seat, places in positions.items()}
    assert cards == HANDS


@rule(REGULATION, "19.c/1")
def test_the_dealers_last_card_lies_open_and_no_other(case: Case) -> None:
    """Whatever leaves the table: public events, and for the gateway each seat's own cards, sealed."""
    seats = case.ints("seats")
    table = dealt()
    event = table.of(RoundDealt)[0]
    assert [deal.seat for deal in event.deals] == seats
    assert (event.dealer_up.position, event.dealer_up.card) == (case["open"], ACE_KING.split()[-1])
    assert is_proved(table, event.dealer_up)
    public, cards = shown_to_all(table), table.deck_of(event).cards
    hidden = [name_of(cards[place]) for place in case.ints("hidden")]
    assert hidden == ACE_KING.split()[:-1]
    for card in [*hidden, *(name for hand in HANDS.values() for name in hand.split())]:
        assert f'"{card}"' not in public
    sent = NoDrawPoker().dealt(table.state, event)
    own = {each.seat: " ".join(name_of(cards[place]) for place in each.positions) for each in sent}
    assert own == {seat: HANDS[seat] for seat in seats}, "and nothing goes to anybody else"


@rule(REGULATION, "24/1")
@pytest.mark.parametrize("order", [("1 continue", "3 fold", "6 fold"), ("6 fold", "1 continue", "3 fold")])
def test_the_dealer_is_shown_when_all_have_decided_and_one_plays(order: tuple[str, ...]) -> None:
    table = dealt().plays(*order[:-1])
    assert table.of(DealerShown, everything=True) == []
    table.plays(order[-1])
    (shown,) = table.of(DealerShown)
    assert [card.card for card in shown.cards] == ACE_KING.split()
    assert all(is_proved(table, card) for card in shown.cards)


@rule(REGULATION, "24/2")
def test_if_all_fold_nothing_is_shown() -> None:
    table = dealt().plays("1 fold", "3 fold", "6 fold")
    assert table.names == ["HandSurrendered", "RoundSettled"]
    assert table.nets == {1: -200, 3: -500, 6: -100}
    public = shown_to_all(table)
    assert all(f'"{card}"' not in public for card in ACE_KING.split()[:-1])
    event = table.of(RoundDealt, everything=True)[0]
    kept = table.deck_of(event).cards  # sealed beside the deal, for the auditor
    assert [name_of(kept[place]) for place in event.dealer] == ACE_KING.split()


@rule(REGULATION, "27/1")
def test_hands_are_turned_up_for_a_dealer_who_plays_and_a_folded_one_is_not(case: Case) -> None:
    stay, folded = case.ints("continued"), case.int("folded")
    table = dealt().plays(*(f"{seat} continue" for seat in stay), f"{folded} fold")
    shown = {event.seat: " ".join(card.card for card in event.cards) for event in table.of(RoundHandShown)}
    assert shown == {seat: HANDS[seat] for seat in stay}
    assert all(is_proved(table, card) for event in table.of(RoundHandShown) for card in event.cards)
    assert all(f'"{card}"' not in shown_to_all(table) for card in HANDS[folded].split())
