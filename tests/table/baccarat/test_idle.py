"""Players who sit and do not bet: invited, warned, sent home (35, 36)."""

import pytest

from libs.contracts.table_events import PlayerInvitedToLeave, PlayerLeft, PlayerWarned
from tests.table.baccarat.play import START, CoupTable
from tests.table.views import notices
from tests.testkit.cases import Case

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


@rule(_REGULATION, "35.a/1")
def test_three_minutes_are_well_and_a_millisecond_more_is_an_invitation(case: Case) -> None:
    table = after_a_coup()
    assert table.settled.at == case.moment("settled")
    assert table.due == case.moment("invited") - START
    assert not invited(table.at(case.moment("well") - START))
    assert invited(table.at(case.moment("invited") - START))
    assert notices(table, 1) == ["invited: idle", "warned: idle"]
    assert [(event.player, event.reason) for event in table.of(PlayerInvitedToLeave)] == [("p1", "idle")]


@rule(_REGULATION, "35.a")
def test_time_with_a_bet_on_the_table_does_not_count() -> None:
    table = after_a_coup()
    assert table.bet(1, "ponto 100", now=170_000) is None
    assert table.due is None
    assert not invited(table.at(600_000))


def warned_alone(case: Case) -> CoupTable:
    table = after_a_coup().at(case.moment("warned") - START)
    assert [(event.player, event.reason) for event in table.of(PlayerWarned)] == [("p1", "idle")]
    return table


@rule(_REGULATION, "36/1")
def test_a_minute_after_the_warning_the_session_ends_unless_there_was_a_bet(case: Case) -> None:
    """Its statement: tests/wallet/ledger/test_sittings_at_baccarat.py."""
    idle = warned_alone(case)
    assert not idle.at(case.moment("bet") - START).of(PlayerLeft)
    (left,) = idle.at(case.moment("ends") - START).of(PlayerLeft)
    assert (left.player, left.reason, left.stack) == ("p1", "inactivity", 10_100)
    awake = warned_alone(case)
    assert notices(awake, 1) == ["invited: idle", "warned: idle"]
    assert awake.bet(1, "ponto 100", now=case.moment("bet") - START) is None
    assert notices(awake, 1) == ["invited: idle", "warned: idle", None], "told at once that the session goes on"
    awake.at(case.moment("ends") - START)
    assert awake.deal() is None
    assert not awake.of(PlayerLeft, everything=True)
    assert 1 in awake.state.seats


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


@rule(_REGULATION, "35.b/1")
@pytest.mark.parametrize("bet_after", [0, 1, 4])
def test_five_skipped_rounds_are_well_and_the_sixth_is_an_invitation(case: Case, bet_after: int) -> None:
    """Also when the player had bet in between: the count is of rounds in a row."""
    table = coups(many(), bet_after)
    if bet_after:
        assert table.bet(1, "ponto 100") is None
        coups(table, 1)
    coups(table, case["well"])
    assert not table.of(PlayerInvitedToLeave, everything=True)
    coups(table, case.int("invited") - case.int("well"))
    assert [(event.player, event.reason) for event in table.of(PlayerInvitedToLeave)] == [("p1", "idle")]


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


@rule(_REGULATION, "36/2")
def test_the_session_ends_when_one_more_round_closes_without_a_bet(case: Case) -> None:
    table = coups(many(), case.int("warned") - 1)
    assert not table.of(PlayerWarned, everything=True)
    coups(table, 1)
    (warning,) = table.of(PlayerWarned)
    assert (warning.player, warning.reason) == ("p1", "idle")
    assert not table.of(PlayerLeft, everything=True)
    coups(table, case.int("ends") - case.int("warned"))
    (left,) = table.of(PlayerLeft)
    assert (left.player, left.reason) == ("p1", "inactivity")
    assert set(table.state.seats) == {2}


@rule(_REGULATION, "36")
def test_a_bet_in_that_round_keeps_the_seat() -> None:
    table = coups(many(), 6)
    assert table.bet(1, "banca 100") is None
    coups(table, 2)
    assert notices(table, 1) == ["invited: idle", "warned: idle", None]
    assert not table.of(PlayerLeft, everything=True)


@rule(_REGULATION, "36")
def test_a_stake_that_is_taken_back_is_no_bet() -> None:
    """Each round anew it took the warning off, and the seat was held for ever."""
    table, rounds = coups(many(), 6), 0
    while 1 in table.state.seats and rounds < 10:
        table.wake()
        table.now += 1
        assert table.bet(1, "banca 100") is None
        assert table.withdraw(1, "banca") is None
        coups(table, 1)
        rounds += 1
    assert rounds == 2, "one round more than without"
    assert table.of(PlayerLeft)[0].reason == "inactivity"
    again = ["warned: idle", None, "warned: idle"]
    assert notices(table, 1)[:4] == ["invited: idle", *again]


@rule(_REGULATION, "36")
def test_who_takes_a_stake_back_and_bets_keeps_the_seat() -> None:
    table = coups(many(), 6)
    table.wake()
    for chance in ("banca", "ponto"):
        assert table.bet(1, f"{chance} 100") is None
        assert table.withdraw(1, chance) is None
    assert table.bet(1, "banca 100") is None
    coups(table, 6)
    assert not table.of(PlayerLeft, everything=True)
    assert not table.state.seats[1].withdrawn
    assert table.state.seats[1].lifted_at is None


@rule(_REGULATION, "35.a", "36")
def test_alone_stakes_that_are_taken_back_hold_no_seat() -> None:
    table = after_a_coup()
    while 1 in table.state.seats and table.now < START + 1_000_000:
        table.now += 20_000
        table.wake()
        if 1 in table.state.seats:
            assert table.bet(1, "ponto 100") is None
            assert table.withdraw(1, "ponto") is None
    assert table.now - START == 200_000 + 60_000, "more than three minutes, and one from the warning and its stake on"
    assert len(table.of(PlayerWarned, everything=True)) > 1
