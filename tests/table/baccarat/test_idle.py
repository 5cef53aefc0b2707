"""Players who sit and do not bet: invited, warned, sent home (35, 36)."""

import pytest

from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerWarned
from tests.table.baccarat.play import CoupTable

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


def after_a_coup() -> CoupTable:
    """A single player whose last coup was settled at 10:00:00.000."""
    table = CoupTable(mode="single").seat(1).betting("4h 3d 5s 5c")
    assert table.bet(1, "ponto 100") is None
    assert table.deal() is None
    table.wake()
    return table


def invited(table: CoupTable) -> bool:
    return bool(table.of(PlayerInvitedToLeave))


@rule(_REGULATION, "35.a")
def test_three_minutes_are_well_and_a_millisecond_more_is_an_invitation() -> None:
    table = after_a_coup()
    assert table.due == 180_001
    assert not invited(table.at(180_000))
    assert invited(table.at(180_001))
    assert [(event.player, event.reason) for event in table.of(PlayerInvitedToLeave)] == [("p1", "idle")]


@rule(_REGULATION, "35.a")
def test_time_with_a_bet_on_the_table_does_not_count() -> None:
    table = after_a_coup()
    assert table.bet(1, "ponto 100", now=170_000) is None
    assert table.due is None
    assert not invited(table.at(600_000))


@rule(_REGULATION, "36")
def test_a_minute_after_the_warning_the_session_ends() -> None:
    table = after_a_coup().at(180_001)
    assert [event.reason for event in table.of(PlayerWarned)] == ["idle"]
    assert not table.at(240_000).of(PlayerLeft)
    left = table.at(240_001).of(PlayerLeft)[0]
    assert (left.player, left.reason, left.stack) == ("p1", "inactivity", 10_100)


@rule(_REGULATION, "36")
def test_a_bet_within_the_minute_cancels_the_warning() -> None:
    table = after_a_coup().at(180_001)
    assert table.bet(1, "ponto 100", now=240_000) is None
    assert not table.at(240_001).of(PlayerLeft, everything=True)
    assert table.deal() is None
    assert 1 in table.state.seats


def many() -> CoupTable:
    """Seat 2 bets in every coup, seat 1 in none unless it is told to."""
    return CoupTable().seat(1, 2)


def coups(table: CoupTable, number: int) -> CoupTable:
    for _ in range(number):
        if table.state.round is None:
            table.wake()
        assert table.bet(2, "ponto 100") is None, table.refused
        table.close_bets()
    return table


@rule(_REGULATION, "35.b")
def test_five_skipped_rounds_are_well_and_the_sixth_is_an_invitation() -> None:
    table = coups(many(), 5)
    assert not table.of(PlayerInvitedToLeave, everything=True)
    coups(table, 1)
    assert [(event.player, event.reason) for event in table.of(PlayerInvitedToLeave)] == [("p1", "idle")]


@rule(_REGULATION, "35.b")
def test_any_bet_begins_the_count_anew() -> None:
    table = coups(many(), 5)
    assert table.bet(1, "ponto 100") is None
    coups(table, 6)
    assert not table.of(PlayerInvitedToLeave, everything=True)
    assert invited(coups(table, 1))


@rule(_REGULATION, "35.b")
def test_a_period_in_which_nobody_bets_does_not_count() -> None:
    table = coups(many(), 5)
    table.now = table.state.round.until
    table.wake()
    assert "CoupLapsed" in table.names
    assert not table.of(PlayerInvitedToLeave, everything=True)


@rule(_REGULATION, "35.b")
def test_only_rounds_count_whose_whole_betting_the_player_was_seated_for() -> None:
    table = CoupTable().seat(2).betting()
    table.now += 1
    table.seat(1)
    coups(table, 6)
    assert not table.of(PlayerInvitedToLeave, everything=True)
    assert invited(coups(table, 1))


@rule(_REGULATION, "36")
def test_the_session_ends_when_one_more_round_closes_without_a_bet() -> None:
    table = coups(many(), 6)
    assert [event.player for event in table.of(PlayerWarned)] == ["p1"]
    assert not table.of(PlayerLeft, everything=True)
    coups(table, 1)
    left = table.of(PlayerLeft)[0]
    assert (left.player, left.reason) == ("p1", "inactivity")
    assert 2 in table.state.seats


@rule(_REGULATION, "36")
def test_a_bet_in_that_round_keeps_the_seat() -> None:
    table = coups(many(), 6)
    assert table.bet(1, "banca 100") is None
    coups(table, 2)
    assert not table.of(PlayerLeft, everything=True)
