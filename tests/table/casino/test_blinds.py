"""Blinds owed: hands without a bet, blinds missed while away (pt-217-2007 89, 90, FP-3)."""

from msgspec.structs import replace

from libs.contracts.poker_events import BlindPosted, HandEnded, HandStarted
from libs.contracts.table_events import PlayerLeft
from tests.table.casino.play import casino, led, rule
from tests.table.play import TableUnderTest


def posts_of(table: TableUnderTest, seat: int) -> list[tuple[str, int, int]]:
    number = table.state.hands
    told = table.of(BlindPosted, everything=True)
    return [(e.blind, e.amount, e.to) for e in told if (e.hand, e.seat) == (number, seat)]


def ten_idle_five() -> TableUnderTest:
    """Ten players; P4, lead in the hand before, is dealt five hands and puts nothing in."""
    table = led(casino(*range(1, 11)), 4).folds_round()
    for _ in range(5):
        table.deal().folds_round()
    assert table.state.seats[4].idle == 5
    return table


@rule("89")
def test_after_five_hands_without_a_bet_a_live_big_blind_is_due() -> None:
    table = ten_idle_five()
    table.deal()
    assert posts_of(table, 4) == [("idle", 200, 200)]
    (started,) = table.of(HandStarted)
    assert table.turn == started.big_blind % 10 + 1, "still the seat left of the big blind"
    table.folds_round()
    assert table.state.seats[4].idle == 0, "any post starts the count anew"


@rule("89", "84")
def test_the_live_blind_counts_as_a_bet_and_changes_no_turn() -> None:
    table = led(casino(2, 3, 4, 9, 10), 10).folds_round()
    table.state = replace(table.state, seats=table.state.seats | {4: replace(table.state.seats[4], idle=5)})
    table.deal()
    assert (table.hand.small_blind, table.hand.big_blind, table.turn) == (2, 3, 4)
    assert table.legal[0], "with no raise it may check"
    table.plays("4 check", "9 call")


@rule("89")
def test_in_the_big_blind_anyway_nothing_more_is_due() -> None:
    table = led(casino(2, 3, 4, 9, 10), 2).folds_round()
    table.state = replace(table.state, seats=table.state.seats | {4: replace(table.state.seats[4], idle=5)})
    table.deal()
    assert table.hand.big_blind == 4
    assert posts_of(table, 4) == [("big", 200, 200)]


@rule("89")
def test_who_refuses_the_post_sits_out() -> None:
    table = ten_idle_five()
    assert table.sit_out(4) is None
    table.deal()
    assert 4 not in table.hand.order


@rule("89")
def test_a_hand_not_dealt_in_does_not_count() -> None:
    table = led(casino(*range(1, 11)), 4).folds_round()
    table.deal().folds_round()
    assert table.state.seats[4].idle == 1
    assert table.sit_out(4) is None
    table.deal().folds_round()
    assert table.state.seats[4].idle == 1


def away() -> TableUnderTest:
    """Seats 1, 2, 4, 6, 9: P6 rests from lead 4 on for two hands, in which both blinds pass it."""
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4).folds_round()
    table.deal().folds_round()
    return table


@rule("90", "30")
def test_both_missed_blinds_are_paid_dead_and_the_call_is_still_owed() -> None:
    table = away()
    assert table.sit_in(6) is None
    table.deal()
    assert posts_of(table, 6) == [("missed", 300, 0)]
    assert (table.hand.pot, table.hand.players[6].dead) == (600, 300)
    table.plays("4 fold")
    assert (table.turn, table.legal[1]) == (6, 200)
    table.folds_round()
    assert not table.state.seats[6].owes_small
    assert not table.state.seats[6].owes_big


@rule("90")
def test_only_the_small_blind_missed() -> None:
    table = casino(1, 2, 4, 6, 9)
    led(table, 2).folds_round()
    table.deal().folds_round()
    assert table.state.button == 4, "P6 has just been the big blind"
    assert table.sit_out(6) is None
    table.deal().folds_round()
    assert table.sit_in(6) is None
    table.deal()
    assert posts_of(table, 6) == [("missed", 100, 0)]
    while table.turn != 6:
        table.plays(f"{table.turn} fold")
    assert table.legal[1] == 200


@rule("90")
def test_in_the_own_big_blind_both_are_posted() -> None:
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4).folds_round()
    table.state = replace(table.state, button=2)  # the lead comes to seat 4 again, so P6 is the big blind
    assert table.sit_in(6) is None
    table.deal()
    assert table.hand.small_blind == 4
    assert posts_of(table, 6) == [("big", 200, 200), ("missed", 200, 0)]


@rule("90")
def test_dead_money_is_won_with_the_main_pot() -> None:
    table = away()
    assert table.sit_in(6) is None
    table.deal().folds_round()
    (ended,) = table.of(HandEnded)
    assert sum(result.staked for result in ended.results) == 500
    assert {result.seat: result.staked for result in ended.results}[6] == 300


@rule("90")
def test_a_void_hand_leaves_the_debt() -> None:
    table = away()
    assert table.sit_in(6) is None
    table.deal()
    assert table.void() is None
    assert table.stacks[6] == 20_000
    table.deal()
    assert posts_of(table, 6) == [("missed", 300, 0)]


@rule("FP-3", "90")
def test_who_can_not_cover_debt_and_minimum_is_not_dealt_in() -> None:
    for stack, is_dealt in ((499, False), (500, True)):
        table = TableUnderTest("pt-217-2007-holdem", buy_in_min=400, buy_in_max=20_000)
        table.seat(1, 2, 4, 9, 10, amount=20_000).seat(s6=stack)
        assert table.sit_out(6) is None
        led(table, 4).folds_round()
        table.deal().folds_round()
        assert table.sit_in(6) is None
        table.deal()
        assert (6 in table.hand.order) is is_dealt
        if is_dealt:
            assert (posts_of(table, 6), table.stacks[6]) == ([("missed", 300, 0)], 200)


@rule("90", "13")
def test_who_does_not_come_back_leaves_with_the_whole_stack() -> None:
    """Both blinds were missed and the third hand too: removed by 13, and nothing is charged for the blinds."""
    table = away()
    table.deal().folds_round()
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack, left.reason) == (6, 20_000, "inactivity")
