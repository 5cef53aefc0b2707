"""Button, blinds, newcomers, dealing: how a hand begins."""

import pytest

from libs.contracts.poker_events import (
    BlindPosted,
    ButtonDrawn,
    DecisionAwaited,
    HandStarted,
    HoleCardsDealt,
    StreetDealt,
)
from libs.contracts.table_events import TableSuspended
from libs.sealing.shuffle import GENERATOR
from tests.table.play import MACAU, PORTUGAL, TableUnderTest, stacked


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def positions(table: TableUnderTest) -> tuple[int, int, int]:
    """Button, small blind, big blind of the hand just started."""
    (started,) = table.of(HandStarted)
    return started.button, started.small_blind, started.big_blind


def dealt_in(table: TableUnderTest) -> set[int]:
    (started,) = table.of(HandStarted)
    return {seat.seat for seat in started.seats}


def next_hand(table: TableUnderTest) -> TableUnderTest:
    """Ends the running hand by folds and starts the next."""
    table.folds_round()
    table.wake()
    return table


@portugal("2.i", "2.n", "48", "51", "2.c", "47")
@pytest.mark.parametrize(
    ("seats", "button", "small", "big", "first"),
    [
        ((1, 2, 4, 6), 2, 4, 6, 1),
        ((1, 3, 5), 5, 1, 3, 5),
        ((1, 2, 3, 4, 5, 6), 4, 5, 6, 1),
        ((1, 2, 3, 5, 6), 2, 3, 5, 6),
        ((3, 6), 6, 6, 3, 6),
    ],
)
def test_blinds_left_of_the_button(seats: tuple[int, ...], button: int, small: int, big: int, first: int) -> None:
    table = TableUnderTest().seat(*seats).deal(button=button)
    assert positions(table) == (button, small, big)
    assert table.turn == first


@portugal("48")
@macau("5.2", "3.2")
def test_heads_up_by_the_letter() -> None:
    table = TableUnderTest(heads_up_blinds="left_of_button").seat(3, 6).deal(button=6)
    assert positions(table) == (6, 3, 6)
    assert table.turn == 3
    table.plays("3 call", "6 check")
    assert table.turn == 3
    for switch, small, big in (("button_small", 7, 3), ("left_of_button", 3, 7)):
        table = TableUnderTest(MACAU, heads_up_blinds=switch).seat(3, 7).deal(button=7)
        assert positions(table) == (7, small, big)
        deals = {deal.seat: deal.positions for deal in table.of(HoleCardsDealt)[0].deals}
        assert deals == {3: [0, 2, 4, 6], 7: [1, 3, 5, 7]}


@portugal("2.j", "49", "50")
def test_the_order_of_a_hand_and_of_its_cards() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    assert table.names == ["HandStarted", "BlindPosted", "BlindPosted", "HoleCardsDealt", "DecisionAwaited"]
    deals = {deal.seat: deal.positions for deal in table.of(HoleCardsDealt)[0].deals}
    assert deals == {2: [0, 3, 6, 9], 3: [1, 4, 7, 10], 1: [2, 5, 8, 11]}
    table.checks_down()
    streets = [(e.street, [card.position for card in e.cards], e.burned) for e in table.of(StreetDealt, True)]
    assert streets == [("flop", [12, 13, 14], []), ("turn", [15], []), ("river", [16], [])]


@portugal("49")
@pytest.mark.parametrize(("switch", "small"), [("button_small", 6), ("left_of_button", 3)])
def test_heads_up_the_first_card_goes_to_the_small_blind(switch: str, small: int) -> None:
    table = TableUnderTest(heads_up_blinds=switch).seat(3, 6).deal(button=6)
    first = next(deal.seat for deal in table.of(HoleCardsDealt)[0].deals if 0 in deal.positions)
    assert first == small


@macau("6.1", "7.1", "8.1", "8.3", "3.2")
def test_macau_burns_before_each_street() -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3).deal(button=1)
    deals = {deal.seat: deal.positions for deal in table.of(HoleCardsDealt)[0].deals}
    assert deals == {2: [0, 3, 6, 9], 3: [1, 4, 7, 10], 1: [2, 5, 8, 11]}
    table.checks_down()
    streets = [(e.street, [card.position for card in e.cards], e.burned) for e in table.of(StreetDealt, True)]
    assert streets == [("flop", [13, 14, 15], [12]), ("turn", [17], [16]), ("river", [19], [18])]


@macau("1.1.3", "2.2")
def test_macau_eleven_players_use_the_whole_deck() -> None:
    table = TableUnderTest(MACAU, seats=11).seat(*range(1, 12)).deal(button=1).checks_down()
    used = [p for event in table.of(HoleCardsDealt, True) for deal in event.deals for p in deal.positions]
    for street in table.of(StreetDealt, True):
        used += [card.position for card in street.cards] + street.burned
    assert sorted(used) == list(range(52))


@portugal("25", "53", "55", "57", "2.e")
def test_given_cards_come_out() -> None:
    deck = stacked("2c 3c 4c 5c 6c 7c 8c 9c Ah Kh Qh Jh Th")
    table = TableUnderTest().seat(1, 2).deal(button=1, fresh=deck).checks_down()
    assert [[card.card for card in event.cards] for event in table.of(StreetDealt, True)] == [
        ["Ah", "Kh", "Qh"],
        ["Jh"],
        ["Th"],
    ]


@portugal("64")
@pytest.mark.parametrize(("leaver", "then"), [(2, (3, 4, 1)), (3, (2, 4, 1)), (None, (2, 3, 4))])
def test_no_dead_button_when_somebody_leaves(leaver: int | None, then: tuple[int, int, int]) -> None:
    table = TableUnderTest().seat(1, 2, 3, 4).deal(button=1).folds_round()
    if leaver is not None:
        assert table.leave(leaver) is None
    table.wake()
    assert positions(table) == then


@portugal("64", "72")
@macau("1.2")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU])
def test_a_void_hand_keeps_the_button(rulebook: str) -> None:
    table = TableUnderTest(rulebook).seat(1, 2, 3).deal(button=2)
    table.void()
    table.wake()
    assert positions(table)[0] == 2
    table.void()
    table.leave(2)
    table.wake()
    assert positions(table)[0] == 3


@portugal("46")
def test_the_first_button_is_drawn_by_lot() -> None:
    table = TableUnderTest().seat(1, 3, 5)
    table.deal(fresh=stacked(seat_order=[2, 5, 1, 3, 4, 6, 7, 8, 9, 10, 11]))
    (drawn,) = table.of(ButtonDrawn)
    assert (drawn.seat, drawn.among) == (5, [1, 3, 5])
    (drawn,) = TableUnderTest().seat(1, 3, 5).deal().of(ButtonDrawn)
    assert drawn.generator == GENERATOR
    assert positions(table) == (5, 1, 3)
    next_hand(table)
    assert table.of(ButtonDrawn) == []


@macau("1.2")
def test_macau_starts_with_the_lowest_seat_and_no_draw() -> None:
    table = TableUnderTest(MACAU).seat(2, 5, 8)
    table.deal(fresh=stacked(seat_order=[8, 5, 2, 1, 3, 4, 6, 7, 9, 10, 11]))
    assert positions(table)[0] == 2
    assert table.of(ButtonDrawn) == []


@portugal("7", "46")
def test_fewer_than_two_suspend_and_a_second_resumes_with_a_draw() -> None:
    table = TableUnderTest().seat(1)
    assert table.due is None
    table.seat(2).deal()
    assert table.of(HandStarted)
    table.leave(table.turn or 0)
    assert table.names[-1] == "TableSuspended"
    assert table.of(TableSuspended)
    assert table.due is None
    table.seat(4).wake()
    assert table.of(ButtonDrawn)
    assert len(dealt_in(table)) == 2


@portugal("21")
def test_a_newcomer_may_freely_post() -> None:
    table = TableUnderTest().seat(1, 2, 3, 4).deal(button=1).seat(5)
    assert table.sit_in(5, post=True) is None
    assert table.sit_in(5, post=True) == "already_in"
    next_hand(table)
    assert positions(table) == (2, 3, 4)
    entry = table.of(BlindPosted)[-1]
    assert (entry.seat, entry.blind, entry.compulsory, entry.amount) == (5, "entry", False, 100)
    assert (table.turn, table.legal[:3]) == (5, (True, None, 200))


@portugal("21", "68")
def test_who_missed_a_hand_comes_back_with_the_big_blind_and_who_did_not_at_once() -> None:
    table = TableUnderTest().seat(1, 2, 3, 4).deal(button=1)
    table.sit_out(2)
    table.sit_in(2)
    next_hand(table)
    assert 2 in dealt_in(table)
    table.sit_out(2)
    next_hand(table)
    assert 2 not in dealt_in(table)
    table.sit_in(2)
    next_hand(table)
    assert positions(table) == (4, 1, 2)


@portugal("15")
def test_exactly_a_big_blind_plays_and_less_does_not() -> None:
    table = TableUnderTest(buy_in_min=100, buy_in_max=10_000).with_stacks(s1=10_000, s2=10_000, s3=100, s4=150)
    # p3 has aces and p4 nothing: a tie would leave nobody short.
    table.deal(button=1, fresh=stacked("2c As 3d 7h 2h Ah 4s 8d 5c Kd 6h 9s 2s Kc 3h Tc Jd 8c 5d Qs 4h"))
    (big,) = [event for event in table.of(BlindPosted) if event.blind == "big"]
    assert (big.seat, big.all_in, big.stack) == (3, True, 0)
    table.plays("4 call", "1 fold", "2 fold")
    short = [seat for seat, stack in table.stacks.items() if stack < 100]
    table.wake()
    assert dealt_in(table) == {1, 2, 3, 4} - set(short)
    assert short


@portugal("51", "43")
def test_cards_are_dealt_before_the_first_turn() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    assert table.names.index("HoleCardsDealt") < table.names.index("DecisionAwaited")
    (awaited,) = table.of(DecisionAwaited)
    assert awaited.until == table.now + 20_000
    assert table.hand.turn is not None
    assert table.hand.turn.version == table.state.version


@portugal("64")
def test_the_next_hand_waits_for_its_time() -> None:
    table = TableUnderTest(between_hands_ms=3000).seat(1, 2).deal(button=1).folds_round()
    assert table.due == table.now + 3000
    assert table.later(2999).last == []
    assert table.later(1).of(HandStarted)
