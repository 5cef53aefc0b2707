"""The lead seat and its marker, the deal, who is dealt in: pt-217-2007 29, 30, 34, 35, 41 to 45, 77, 79 to 83, 93."""

import pytest

from libs.contracts.poker_events import BlindPosted, HandStarted, HoleCardsDealt, StreetDealt
from services.table.domain.games.poker.entering import stack_to_enter
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA, casino, h6, led, rule, to_flop
from tests.table.play import TableUnderTest


def leads(table: TableUnderTest, hands: int) -> list[int | None]:
    for _ in range(hands):
        table.deal().folds_round()
    return [event.lead for event in table.of(HandStarted, everything=True)]


def posts(table: TableUnderTest) -> list[tuple[str, int, int, int]]:
    """Kind, seat, amount and round total of each post of the last hand."""
    number = table.state.hands
    told = table.of(BlindPosted, everything=True)
    return [(e.blind, e.seat, e.amount, e.to) for e in told if e.hand == number]


def come_in(table: TableUnderTest, seat: int) -> None:
    assert table.take(seat, stack_to_enter(table.state), "gil") is None
    assert table.confirm(seat) is None


@rule("29", "30")
def test_the_lead_begins_at_the_lowest_seat_and_goes_round_clockwise() -> None:
    assert leads(casino(3, 5, 8, 10), 5) == [3, 5, 8, 10, 3]


@rule("30")
def test_the_lead_passes_a_seat_that_was_given_up() -> None:
    table = led(casino(1, 2, 4, 6, 9), 6).folds_round()
    assert table.leave(9) is None
    table.deal()
    assert table.hand.small_blind == 1


@rule("30", "90")
def test_a_resting_seat_is_passed_over_and_its_blinds_are_booked() -> None:
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4)
    (hand_30,) = table.of(HandStarted)
    assert (hand_30.small_blind, hand_30.big_blind) == (4, 9)
    assert [(missed.seat, missed.blind) for missed in hand_30.missed] == [(6, "big")]
    table.folds_round().deal()
    (hand_31,) = table.of(HandStarted)
    assert (hand_31.lead, hand_31.big_blind) == (9, 1)
    assert [(missed.seat, missed.blind) for missed in hand_31.missed] == [(6, "small")]
    table.folds_round()
    assert table.sit_in(6) is None
    table.deal()
    assert (table.hand.small_blind, table.hand.big_blind) == (1, 2)
    assert ("missed", 6, 300, 0) in posts(table)


@rule("69", "30")
@pytest.mark.parametrize(("moves", "lead"), [(False, 1), (True, 2)])
def test_a_void_hand_does_not_move_the_lead_unless_the_house_says_so(moves: bool, lead: int) -> None:
    table = h6(void_moves_lead=moves)
    assert table.void() is None
    table.deal()
    assert table.hand.small_blind == lead


@rule("81", "82", "83", "29")
def test_the_lead_posts_the_small_blind_and_the_seat_at_its_left_the_big() -> None:
    table = h6()
    assert posts(table) == [("small", 1, 100, 100), ("big", 2, 200, 200)]
    assert table.hand.pot == 300
    assert table.names.index("BlindPosted") < table.names.index("HoleCardsDealt"), "before the first card"
    table = led(casino(2, 5, 6, 9), 6)
    assert posts(table) == [("small", 6, 100, 100), ("big", 9, 200, 200)]
    assert table.turn == 2


@rule("35", "93")
def test_cards_go_round_from_the_lead_one_at_a_time() -> None:
    (dealt,) = h6().of(HoleCardsDealt)
    assert [(deal.seat, deal.positions) for deal in dealt.deals] == [
        (1, [0, 6]), (2, [1, 7]), (3, [2, 8]), (4, [3, 9]), (5, [4, 10]), (6, [5, 11]),
    ]  # fmt: skip


@rule("77", "2.a", "3")
def test_omaha_has_four_passes() -> None:
    table = led(casino(1, 2, 3, 5, rulebook=CASINO_OMAHA), 2)
    (dealt,) = table.of(HoleCardsDealt)
    assert [(deal.seat, deal.positions) for deal in dealt.deals] == [
        (2, [0, 4, 8, 12]), (3, [1, 5, 9, 13]), (5, [2, 6, 10, 14]), (1, [3, 7, 11, 15]),
    ]  # fmt: skip


@rule("41", "43", "45", "93")
def test_a_card_is_burnt_before_flop_turn_and_river() -> None:
    table = to_flop(h6(), 1, 2).checks_down()
    streets = [(e.burned, [card.position for card in e.cards]) for e in table.of(StreetDealt, everything=True)]
    # Twelve hole cards: c13 is position 12.
    assert streets == [([12], [13, 14, 15]), ([16], [17]), ([18], [19])]


@rule("2.a", "2.b", "92")
@pytest.mark.parametrize(("rulebook", "variant", "cards"), [(CASINO_OMAHA, "omaha", 4), (CASINO_HOLDEM, "holdem", 2)])
def test_the_first_event_of_a_hand_names_its_rulebook(rulebook: str, variant: str, cards: int) -> None:
    table = casino(1, 2, 3, 4, rulebook=rulebook).deal()
    (started,) = table.of(HandStarted)
    assert (started.rulebook, len(started.rulebook_hash)) == (rulebook, 64)
    assert table.state.rules.variant == variant
    (dealt,) = table.of(HoleCardsDealt)
    assert {len(deal.positions) for deal in dealt.deals} == {cards}


@rule("80")
def test_a_newcomer_on_the_lead_seat_plays_from_the_next_hand_on() -> None:
    table = led(casino(1, 2, 3, 4, 6, 8), 8).folds_round()
    assert table.leave(1) is None
    come_in(table, 1)
    table.deal()
    assert (table.hand.small_blind, table.hand.big_blind) == (2, 3)
    assert 1 not in table.hand.order
    table.folds_round().deal()
    assert table.hand.small_blind == 3
    assert 1 in table.hand.order
    assert [blind for blind, seat, *_ in posts(table) if seat == 1] == []


@rule("80")
def test_a_newcomer_elsewhere_is_dealt_in_without_a_post() -> None:
    table = led(casino(2, 3, 4, 6, 8), 8).folds_round()
    come_in(table, 5)
    table.deal()
    assert (table.hand.small_blind, 5 in table.hand.order) == (2, True)
    assert [blind for blind, seat, *_ in posts(table) if seat == 5] == []


@rule("80", "24", "FP-7")
def test_no_newcomer_is_passed_over_when_four_are_needed() -> None:
    table = led(casino(1, 2, 3, 4), 4).folds_round()
    assert table.leave(1) is None
    come_in(table, 1)
    table.deal()
    assert len(table.hand.order) == 4


@rule("79")
def test_who_has_less_than_the_minimum_is_not_dealt_in_and_keeps_the_seat() -> None:
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=350, buy_in_max=20_000, top_up_to=20_000)
    led(table.seat(1, 2, 4, 5, 6, amount=20_000).seat(s3=350), 6)
    table.plays("2 fold", "3 call", "4 fold", "5 fold", "6 fold", "1 check").plays("1 bet 200", "3 fold")
    assert table.stacks[3] == 150
    table.deal()
    assert 3 not in table.hand.order
    assert 3 in table.state.seats
    assert table.top_up(3, 10_000) is None
    table.folds_round()
    assert table.confirm_top_up() is None
    table.deal()
    assert 3 in table.hand.order
    assert table.stacks[3] + sum(p.committed + p.dead for s, p in table.hand.players.items() if s == 3) == 10_150


@rule("79")
def test_exactly_the_minimum_is_enough() -> None:
    table = TableUnderTest(CASINO_HOLDEM, buy_in_min=200, buy_in_max=20_000)
    led(table.seat(1, 2, 4, 5, amount=20_000).seat(s3=200), 4)
    assert 3 in table.hand.order


@rule("34")
def test_cards_dealt_are_seen_by_nobody_else() -> None:
    """The public event has positions in the sealed deck, two a player, and no card."""
    (dealt,) = h6().of(HoleCardsDealt)
    assert all(len(deal.positions) == 2 for deal in dealt.deals)
    assert set(dealt.deals[0].__struct_fields__) == {"seat", "positions"}
