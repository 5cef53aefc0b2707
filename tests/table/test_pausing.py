"""A pause: what it does to the order of blinds, so that nobody of the house has one player pay them (811 46, 64)."""

from collections.abc import Callable

import pytest

from libs.contracts.poker_events import BlindPosted, ButtonDrawn, HandStarted
from libs.contracts.table_events import TableResumed
from services.table.domain.games.registry import game_of
from tests.table.play import HOLDEM, MACAU, PORTUGAL, TableUnderTest

SEATS = (1, 3, 5, 7)
Pauses = Callable[[TableUnderTest], None]
"""Of the table while a hand runs."""


def never(table: TableUnderTest) -> None:
    table.folds_round()


def in_the_hand(table: TableUnderTest) -> None:
    assert (table.pause(), table.resume()) == (None, None)
    table.folds_round()


def over_its_end(table: TableUnderTest) -> None:
    assert table.pause() is None
    table.folds_round()
    assert table.resume() is None


def too_long(table: TableUnderTest) -> None:
    assert table.pause() is None
    table.folds_round()
    table.now += 60_000
    assert table.resume() is None


def blinds(rulebook: str, pauses: Pauses, hands: int = 20, **changes: int) -> list[tuple[int, int, int]]:
    """Button, small and big blind of each hand. Between two hands go ten seconds."""
    seats = {} if rulebook == MACAU else {"seats": 9}
    table = TableUnderTest(rulebook, **(seats | {"between_hands_ms": 10_000} | changes)).seat(*SEATS)
    for _ in range(hands):
        table.now += 10_000
        table.deal()
        assert table.state.hand is not None
        pauses(table)
    return [(each.button, each.small_blind, each.big_blind) for each in table.of(HandStarted, everything=True)]


@pytest.mark.rule("pt-811-2015", "46", "64")
@pytest.mark.rule("mo-97-2010", "1.2")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU, HOLDEM])
@pytest.mark.parametrize("pauses", [in_the_hand, over_its_end])
def test_a_pause_that_leaves_no_hand_out_changes_nothing(rulebook: str, pauses: Pauses) -> None:
    """Found by an attacker: paused and resumed in each hand, one of four was the big blind of 20 hands in Macau."""
    assert blinds(rulebook, pauses) == blinds(rulebook, never)


@pytest.mark.rule("pt-811-2015", "46", "64")
@pytest.mark.rule("mo-97-2010", "1.2")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU, HOLDEM])
def test_after_a_long_pause_the_big_blind_goes_on_from_where_it_lay(rulebook: str) -> None:
    assert blinds(rulebook, too_long) == blinds(rulebook, never)


@pytest.mark.rule("pt-811-2015", "46")
def test_a_table_that_stood_is_drawn_for_and_names_the_one_seat() -> None:
    table = TableUnderTest(PORTUGAL, seats=9).seat(*SEATS)
    table.deal()
    second = SEATS[(SEATS.index(table.hand.button) + 1) % len(SEATS)]
    too_long(table)
    table.deal()
    in_the_hand(table)
    table.deal()
    assert [resumed.left_out for resumed in table.of(TableResumed, everything=True)] == [True, False]
    assert [draw.among for draw in table.of(ButtonDrawn, everything=True)] == [list(SEATS), [second]]


@pytest.mark.rule("pt-811-2015", "21")
@pytest.mark.parametrize("pauses", [in_the_hand, too_long])
def test_who_sits_down_in_a_pause_waits_for_the_big_blind_as_ever(pauses: Pauses) -> None:
    """Found by the same attacker: a pause had those who waited dealt in free."""
    table = TableUnderTest(PORTUGAL, seats=9).seat(1, 3, 5)
    table.deal()
    assert table.pause() is None
    table.seat(7, 9)
    assert table.resume() is None
    pauses(table)
    assert (table.state.seats[7].waiting, table.state.seats[9].waiting) == (True, True)
    table.deal()
    assert {7, 9} & {*table.hand.order} <= {table.hand.big_blind}


def test_of_two_one_who_rests_in_a_pause_stops_the_table_as_ever() -> None:
    table = TableUnderTest(MACAU).seat(1, 3)
    table.deal()
    had = table.hand.big_blind
    assert table.pause() is None
    table.folds_round()
    assert table.sit_out(1) is None
    assert not table.state.running
    assert table.resume() is None
    assert not table.state.running
    assert table.sit_in(1) is None
    table.deal()
    assert table.hand.big_blind != had


def test_what_was_told_before_it_was_kept_means_what_it_meant() -> None:
    table = TableUnderTest(MACAU).seat(*SEATS)
    table.deal()
    assert not game_of(table.state.rules).follow(table.state, TableResumed(by="staff")).running  # type: ignore[attr-defined]


def test_blinds_are_paid_by_all_alike_however_often_one_pauses() -> None:
    table = TableUnderTest(MACAU).seat(*SEATS)
    for _ in range(20):
        table.deal()
        too_long(table)
    paid = dict.fromkeys(SEATS, 0)
    for each in table.of(BlindPosted, everything=True):
        paid[each.seat] += each.amount
    assert len({*paid.values()}) == 1
